// How well plain words find tools: those of the reference servers, among a hundred others that are no less likely.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Tool } from '../../src/contract/index.ts';
import { sampleTool } from './sample-tools.ts';
import { found, openWorld, remoteTool, servers } from './toolbox-world.ts';

interface Cases {
  /** Any of the tools is a right answer. */
  readonly queries: readonly { readonly query: string; readonly tools: readonly string[] }[];
  /** By server and tool: what it does, and the names of its parameters. */
  readonly noise: Readonly<Record<string, Readonly<Record<string, readonly [description: string, parameters: string]>>>>;
}

const SERVERS = ['everything', 'filesystem', 'memory', 'sequential-thinking'];

test('Of sixty questions in plain words at least nine in ten find the right tool among the first five', async (t) => {
  const { queries, noise } = JSON.parse(await readFile(new URL('./cases/tool-queries.json', import.meta.url), 'utf8')) as Cases;
  const own = (await Promise.all(SERVERS.map((name) => toolsOf(name, t)))).flat();
  const others = noiseTools(noise);
  assert.equal(queries.length, 60);
  assert.ok(own.length >= 35 && others.length >= 100, `${own.length} tools among ${others.length}`);

  const world = openWorld({ remote: servers(...own, ...others) });
  const missed: string[] = [];
  let first = 0;
  for (const { query, tools } of queries) {
    const results = await found(world, query);
    const place = results.findIndex((name) => tools.some((tool) => own.some((one) => one.name === name && name.endsWith(`__${tool}`))));
    if (place === -1) missed.push(`${query} → ${results.join(', ')}`);
    if (place === 0) first += 1;
  }
  const right = queries.length - missed.length;
  t.diagnostic(`${right} of ${queries.length} among the first five, ${first} in first place; missed: ${missed.join('; ')}`);
  assert.ok(right / queries.length >= 0.9, missed.join('\n'));
});

/** What a reference server lists, when it really runs. */
async function toolsOf(server: string, t: TestContext): Promise<Tool[]> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-search-'));
  const file = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${server}/dist/index.js`));
  const args = server === 'filesystem' ? [file, directory] : [file];
  const client = new Client({ name: 'test', version: '1.0.0' });
  t.after(async () => {
    await client.close();
    await rm(directory, { recursive: true, force: true });
  });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: directory, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  return tools.map(({ name, title, description = '', inputSchema }) =>
    sampleTool(`mcp__${server}__${name}`, { searchHint: title ?? '', inputSchema, description: () => description }),
  );
}

function noiseTools(noise: Cases['noise']): Tool[] {
  return Object.entries(noise).flatMap(([server, tools]) =>
    Object.entries(tools).map(([name, [description, parameters]]) =>
      remoteTool(`mcp__${server}__${name}`, description, parameters.split(',').filter(Boolean)),
    ),
  );
}
