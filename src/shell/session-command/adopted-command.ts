// A call that was interrupted while its command ran: what becomes of it is what became of the command.
import { stat } from 'node:fs/promises';
import { LostCommandError, messageOf, type CallContext, type ProbeAnswer, type ToolResult } from '../../contract/index.ts';
import { showOutput } from './shown-output.ts';

/** What is said of an error has 10,000 characters in all. */
const MAX_SHOWN_CHARS = 9_000;

/**
 * @param ended how the command ended, once it has
 * @param resultOf makes of that what the call would have
 * @returns what a probe answers; where nobody can tell how the command ended, with what it has printed
 * @throws Error when its output is not there any more: the call had been answered, and nobody has heard it
 */
export async function adopted<End, Output>(
  { outputFile }: CallContext,
  ended: Promise<End>,
  resultOf: (end: End) => ToolResult<Output> | Promise<ToolResult<Output>>,
): Promise<ProbeAnswer<Output>> {
  let end: End;
  try {
    end = await ended;
  } catch (error) {
    if (error instanceof LostCommandError) return { kind: 'unclear', ...(await printed(outputFile)) };
    return { kind: 'applied', result: { content: messageOf(error), isError: true } };
  }
  return { kind: 'applied', result: await resultOf(end) };
}

async function printed(outputFile: string): Promise<{ known?: string }> {
  const bytes = await stat(outputFile).then(
    ({ size }) => size,
    () => 0,
  );
  if (bytes === 0) return {};
  const { text } = await showOutput(outputFile, { bytes, maxChars: MAX_SHOWN_CHARS, withTail: true });
  return { known: `What it printed until then:\n${text}` };
}
