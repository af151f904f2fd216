import type { z } from 'zod';

/** The first thing that is wrong with settings of the operator, in one line. @param name of their key in the config file */
export function settingsFault(name: string, { issues }: z.ZodError): Error {
  const [issue] = issues;
  // What is wrong with a key stands one level deeper.
  const message = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
  return new Error(`TOOLEXEC_CONFIG, ${name}, ${issue?.path.join('.') ?? ''}: ${message ?? 'they cannot be read'}`);
}
