import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { z } from 'zod';
import bash from '../../tools/bash/index.ts';
import edit from '../../tools/edit/index.ts';
import grep from '../../tools/grep/index.ts';
import read from '../../tools/read/index.ts';
import write from '../../tools/write/index.ts';
import {
  buildTool,
  type HookOpinion,
  type Judgement,
  type PermissionContext,
  type PermissionMode,
  type Tool,
} from '../../src/contract/index.ts';
import type { RuleTexts } from '../../src/permissions/rules/parse-rules.ts';
import type { PolicyOptions } from '../../src/permissions/policy.ts';
import { NO_RULES, testPolicy } from './test-policy.ts';

/** Directories with a few files, gone when the tests of the file have ended. */
export interface Ground {
  /** Absolute real path of everything. */
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  readonly dataDir: string;
}

const FILES = [
  'workspace/a.txt',
  'workspace/.env',
  'workspace/src/a.ts',
  'workspace/src/gen/b.ts',
  'home/.ssh/id',
  'other/c.txt',
  'data/toolexec.sqlite',
];

export async function ground(): Promise<Ground> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-permissions-')));
  after(() => rm(root, { recursive: true, force: true }));
  for (const file of FILES) {
    await mkdir(join(root, dirname(file)), { recursive: true });
    await writeFile(join(root, file), 'text\n');
  }
  const [workspace = '', home = '', dataDir = ''] = ['workspace', 'home', 'data'].map((name) => join(root, name));
  return { root, workspace, home, dataDir };
}

export interface Asked {
  readonly mode?: PermissionMode;
  /** The session's. */
  readonly rules?: Partial<RuleTexts>;
  readonly operator?: Partial<RuleTexts> & { source?: string };
  readonly hook?: HookOpinion;
  readonly policy?: Partial<PolicyOptions>;
  readonly context?: Partial<PermissionContext>;
  readonly cwd?: string;
}

/** What the policy says of one call. Read, Edit and Write take a path, Bash a line, WebFetch a URL. */
export async function judged(
  { workspace, home, dataDir }: Ground,
  [tool, argument]: readonly [Tool | string, string],
  asked: Asked = {},
): Promise<Judgement> {
  const { mode = 'default', rules = {}, operator = {}, hook, policy = {}, context = {}, cwd = workspace } = asked;
  const used = typeof tool === 'string' ? (TOOLS.get(tool) ?? named(tool)) : tool;
  const input = (used.inputSchema as z.ZodType).parse({ ...INPUTS[used.name]?.(argument) });
  const state = { cwd, mode, todos: [], loadedTools: [] };
  const judging = testPolicy({ session: { ...NO_RULES, ...rules }, operator: { ...NO_RULES, ...operator }, home, dataDir, ...policy });
  const call = { toolUseId: 'toolu_1', tool: used, input, readOnly: used.isReadOnly(input), ...(hook && { hook }) };
  return judging.decide(call, { sessionId: 'ses_1', workspace, env: {}, state, ...context });
}

/** As {@link judged}, in short: `allow rule`, `ask mode default`. */
export async function verdict(where: Ground, call: readonly [Tool | string, string], asked: Asked = {}): Promise<string> {
  const { behavior, decided_by } = await judged(where, call, asked);
  return `${behavior} ${decided_by}`;
}

const INPUTS: Readonly<Record<string, (argument: string) => object>> = {
  Bash: (command) => ({ command }),
  Read: (file_path) => ({ file_path }),
  Edit: (file_path) => ({ file_path, old_string: 'a', new_string: 'b' }),
  Write: (file_path) => ({ file_path, content: 'x' }),
  Grep: (path) => ({ pattern: 'x', path }),
  NotebookEdit: (notebook_path) => ({ notebook_path }),
  WebFetch: (url) => ({ url }),
};

/** A tool that says nothing of what it touches. */
export function named(name: string, more: Partial<Tool> = {}): Tool {
  return {
    ...buildTool({ name, inputSchema: z.looseObject({}), description: () => 'Does something.', call: () => ({ content: '' }) }),
    ...more,
  };
}

const webFetch = named('WebFetch', {
  permissionSubjects: (input) => [{ kind: 'url', url: (input as { url: string }).url }],
  isReadOnly: () => true,
});
const notebookEdit = named('NotebookEdit', {
  permissionSubjects: (input) => [{ kind: 'path', access: 'write', path: (input as { notebook_path: string }).notebook_path }],
});
const TOOLS: ReadonlyMap<string, Tool> = new Map([bash, edit, grep, read, write, webFetch, notebookEdit].map((tool) => [tool.name, tool]));
