// A directory that stands for the corpus' file system: `/w` is the workspace, `/home/u` the home, and what else a case names
// beside system files lies next to them.
import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import bash from '../../tools/bash/index.ts';
import edit from '../../tools/edit/index.ts';
import glob from '../../tools/glob/index.ts';
import grep from '../../tools/grep/index.ts';
import read from '../../tools/read/index.ts';
import write from '../../tools/write/index.ts';
import {
  buildTool,
  type CallContext,
  type Decision,
  type PermissionContext,
  type PermissionMode,
  type Tool,
} from '../../src/contract/index.ts';
import { NO_BACKGROUND, NO_PEOPLE, NO_SERVICES, NO_TOOLS } from '../support/nobody.ts';
import { startCommandRunner } from '../../src/sandbox/command-runner.ts';
import { createSessionFiles } from '../../src/workspace/session-files.ts';
import { testPolicy } from './test-policy.ts';

export interface CorpusCase {
  readonly id: string;
  readonly kind: string;
  readonly rules: { readonly allow?: string[]; readonly ask?: string[]; readonly deny?: string[] };
  readonly call: { readonly tool: string } & Readonly<Record<string, string>>;
  readonly expect: string;
  readonly accept?: readonly string[];
  readonly why: string;
  readonly mode?: PermissionMode;
  readonly fs?: readonly {
    readonly path: string;
    readonly type: 'file' | 'symlink' | 'hardlink';
    readonly text?: string;
    readonly target?: string;
  }[];
  readonly rule_source?: 'user';
  readonly additional_dirs?: readonly string[];
  readonly redirect_to?: string;
  readonly must_not_contain?: string;
}

type Answer = { readonly behavior: Decision['behavior'] | 'error'; readonly decided_by?: string };

export interface CorpusWorld {
  answer(each: CorpusCase): Promise<Answer>;
  /** Runs the call and gives its result. @throws what the tool throws */
  run(each: CorpusCase): Promise<string>;
  remove(): Promise<void>;
}

const OURS = /(?<![\w./])\/(w2|w|W|home\/u|lib22|lib2|data\/proj|srv|tmp\/x|tmp\/out)(?=[/\s"')]|$)/g;
const FILES = [
  'w/.env',
  'w/a.txt',
  'w/x.txt',
  'w/src/a.ts',
  'w/src/gen/a.ts',
  'w/sub/b.txt',
  'home/u/.ssh/id_rsa',
  'data/proj/a',
  'srv/other/file',
  'tmp/x/y/z',
  'tmp/out/z',
];

export async function corpusWorld(): Promise<CorpusWorld> {
  const runner = startCommandRunner();
  const base = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-corpus-')));
  const rooms = new Map<string, string>();
  const roomOf = async (each: CorpusCase): Promise<string> => {
    const room = rooms.get(each.id) ?? (await furnish(base, each));
    rooms.set(each.id, room);
    return room;
  };
  return {
    answer: async (each) =>
      strictest(
        await Promise.all([
          judge(each, await roomOf(each)),
          ...(each.redirect_to === undefined
            ? []
            : [judge({ ...each, call: { ...each.call, url: each.redirect_to } }, await roomOf(each))]),
        ]),
      ),
    run: async (each) => {
      const room = await roomOf(each);
      const { tool, input, context } = callOf(each, room);
      const workspace = context.workspace;
      const services: Omit<CallContext, keyof PermissionContext> = {
        turnId: 'turn_1',
        toolUseId: each.id,
        format: 'anthropic',
        people: NO_PEOPLE,
        decision: { behavior: 'allow', decided_by: 'test' },
        toolIndex: NO_TOOLS,
        ...NO_SERVICES,
        backgroundRequest: NO_BACKGROUND,
        files: createSessionFiles({ workspace, readableRoots: [] }),
        commands: runner,
        signal: new AbortController().signal,
        outputFile: join(room, 'output.txt'),
      };
      return JSON.stringify(await tool.call(input, { ...context, ...services }));
    },
    remove: async () => {
      await runner.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

async function furnish(base: string, { id, fs = [], additional_dirs = [] }: CorpusCase): Promise<string> {
  const room = join(base, id);
  for (const path of FILES) await put(join(room, path), 'text');
  for (const path of additional_dirs) await mkdir(join(room, path), { recursive: true });
  for (const { path, type, text = '', target = '' } of fs) {
    const [at, to] = [move(path, room), move(target, room)];
    await mkdir(dirname(at), { recursive: true });
    if (type === 'file') await writeFile(at, text);
    else if (type === 'symlink') await symlink(to, at);
    else await link(to, at);
  }
  return room;
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function move(text: string, room: string): string {
  return text.replace(OURS, (_, name: string) => `${room}/${name}`);
}

async function judge(each: CorpusCase, room: string): Promise<Answer> {
  try {
    const { tool, input, context } = callOf(each, room);
    const rules = { allow: each.rules.allow ?? [], ask: each.rules.ask ?? [], deny: each.rules.deny ?? [] };
    const outside = rules.allow.filter((rule) => /\((\/\/|~)/.test(rule));
    const policy = testPolicy({
      ...(each.rule_source === 'user'
        ? { operator: { ...rules, source: join(room, 'home/u/.claude') } }
        : {
            session: { ...rules, allow: rules.allow.filter((rule) => !outside.includes(rule)) },
            operator: { allow: outside, ask: [], deny: [] },
          }),
      home: join(room, 'home/u'),
      dataDir: join(room, 'service'),
    });
    return await policy.decide({ toolUseId: each.id, tool, input, readOnly: tool.isReadOnly(input) }, context);
  } catch (error) {
    return { behavior: 'error', decided_by: String(error) };
  }
}

function strictest(answers: readonly Answer[]): Answer {
  const order = ['error', 'deny', 'ask', 'allow'];
  return answers.toSorted((one, other) => order.indexOf(one.behavior) - order.indexOf(other.behavior))[0] ?? { behavior: 'error' };
}

/** @throws Error when there is no such tool, or the input is not valid */
function callOf(
  { call: { tool: name, ...given }, mode = 'default', additional_dirs = [], fs = [] }: CorpusCase,
  room: string,
): { tool: Tool; input: unknown; context: PermissionContext } {
  const tool = TOOLS.get(name) ?? server(name);
  const linked = fs.some(({ target }) => target === '/data/proj');
  const workspace = join(room, linked ? 'data/proj' : 'w');
  const moved = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, key === 'url' ? value : move(value, room)]));
  const extra = {
    ...(name === 'Write' && { content: 'x' }),
    ...(name === 'Edit' && { old_string: 'a', new_string: 'b' }),
    ...(name === 'Bash' && !('command' in given) && { command: 'anything' }),
  };
  const input = (tool.inputSchema as z.ZodType).parse({ ...extra, ...moved });
  const roots = [workspace, ...additional_dirs.map((path) => join(room, path))];
  const state = { cwd: workspace, mode, todos: [], loadedTools: [] };
  return { tool, input, context: { sessionId: 'ses_1', workspace, readableRoots: roots, writableRoots: roots, env: {}, state } };
}

const webFetch = buildTool({
  name: 'WebFetch',
  inputSchema: z.strictObject({ url: z.string() }),
  description: () => 'Fetches a page.',
  isReadOnly: () => true,
  permissionSubjects: ({ url }) => [{ kind: 'url', url }],
  call: () => ({ content: '' }),
});

/** A tool of a server, as it would be named here. */
function server(name: string): Tool {
  return buildTool({
    name,
    inputSchema: z.strictObject({}),
    description: () => 'Does something.',
    isReadOnly: () => true,
    call: () => ({ content: '' }),
  }) as Tool;
}

const TOOLS: ReadonlyMap<string, Tool> = new Map([bash, edit, glob, grep, read, write, webFetch].map((tool) => [tool.name, tool as Tool]));
