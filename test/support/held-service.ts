// The service with tools that stand still at one moment of their calls, for tests that kill it there. `HOLD_DIR` names a
// directory in which a file for each call tells that it has come so far; without it nothing stands still.
import { access, appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { buildTool, type Tool, type ToolEmission, type ToolResult } from '../../src/contract/index.ts';
import Bash from '../../tools/bash/index.ts';
import Edit from '../../tools/edit/index.ts';
import Read from '../../tools/read/index.ts';
import Write from '../../tools/write/index.ts';

const directory = process.env['HOLD_DIR'];

async function hold(toolUseId: string): Promise<void> {
  if (directory === undefined) return;
  await writeFile(join(directory, toolUseId), '');
  await new Promise(() => {});
}

/** The tool, which stands still before it does anything, or when it has done all. */
function held(tool: Tool, moment: 'Before' | 'After'): Tool {
  return {
    ...tool,
    name: `${tool.name}${moment}`,
    aliases: [],
    async *call(input, context) {
      if (moment === 'Before') await hold(context.toolUseId);
      const run = tool.call(input, context);
      const result = isStream(run) ? yield* run : await run;
      if (moment === 'After') await hold(context.toolUseId);
      return result;
    },
  };
}

function isStream(run: ReturnType<Tool['call']>): run is AsyncGenerator<ToolEmission, ToolResult, void> {
  return Symbol.asyncIterator in run;
}

/** Ends the service with each of its calls, while a file `deadly` lies in the workspace. */
const deadly = buildTool({
  name: 'Deadly',
  description: () => 'Ends the service.',
  inputSchema: { type: 'object' },
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  effect: () => 'read',
  async call(_input, { workspace }) {
    await appendFile(join(workspace, 'attempts'), 'attempt\n');
    const armed = await access(join(workspace, 'deadly')).then(
      () => true,
      () => false,
    );
    if (armed) process.kill(process.pid, 'SIGKILL');
    return { content: 'It lives.' };
  },
});

/** A command of which nobody can tell what became of it. */
function unprobed(tool: object): Tool {
  const fields = Object.entries(tool).filter(([field]) => field !== 'probe');
  return { ...(Object.fromEntries(fields) as unknown as Tool), name: 'Lost' };
}

// Each tool takes its own input; here nobody looks into it.
const tools = [Bash, Edit, Read, Write] as unknown as Tool[];
const lost = held(unprobed(Bash), 'After');
const extraTools = [...tools.flatMap((tool) => [held(tool, 'Before'), held(tool, 'After')]), lost, deadly as unknown as Tool];
const app = await buildApp({ config: readConfig(process.env), logger: undefined, extraTools });
const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ address })}\n`);
process.on('SIGTERM', () => void app.close());
