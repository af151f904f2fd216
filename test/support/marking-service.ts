// The service with a tool that leaves a mark in the workspace with each start and takes its time, whoever wants it stopped: for
// tests of a node that is frozen while it runs.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { buildTool, type Tool } from '../../src/contract/index.ts';

const marks = buildTool({
  name: 'Marks',
  inputSchema: z.strictObject({ ms: z.number().default(0), reads: z.boolean().default(false) }),
  description: () => 'Leaves a mark.',
  effect: ({ reads }) => (reads ? 'read' : 'once'),
  async call({ ms }, { toolUseId, workspace }) {
    await appendFile(join(workspace, 'marks'), `${toolUseId}\n`);
    await sleep(ms);
    return { content: `marked by ${process.pid}` };
  },
}) as unknown as Tool;

const app = await buildApp({ config: readConfig(process.env), logger: undefined, extraTools: [marks] });
const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ address })}\n`);
process.on('SIGTERM', () => void app.close());
