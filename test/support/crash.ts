// A service that is killed in the middle of calls, and starts again.
import { mkdtemp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProcess, type ServerProcess } from './process.ts';
import { assistant, type Json } from './server.ts';

const HELD_SERVICE = fileURLToPath(new URL('./held-service.ts', import.meta.url));
/** Milliseconds after which a test that waits for what never happens fails instead of hanging. */
const NEVER_MS = 40_000;

type Cleaning = Pick<TestContext, 'after'>;

export interface HeldService {
  readonly dataDir: string;
  /** Ids of calls that stand still. */
  held(): Promise<string[]>;
  process: ServerProcess;
  /** Starts it again on the same data. @param holding whether calls stand still as before */
  again(holding?: boolean): Promise<void>;
  request(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json; headers: Headers }>;
  /** @returns id and workspace of a session that may do everything */
  session(options?: Json): Promise<{ id: string; workspace: string }>;
  /** Posts a message whose answer nobody waits for. */
  begin(sessionId: string, calls: Json[]): void;
  post(sessionId: string, calls: Json[]): Promise<{ status: number; body: Json; headers: Headers }>;
  events(sessionId: string): Promise<Json[]>;
}

/** @param env settings beside the usual ones */
export async function startHeldService(t: Cleaning, env: Record<string, string> = {}): Promise<HeldService> {
  const base = await mkdtemp(join(tmpdir(), 'toolexec-held-'));
  const [dataDir, holdDir] = [join(base, 'data'), join(base, 'hold')];
  await mkdir(holdDir);
  const start = (holding: boolean): Promise<ServerProcess> =>
    startProcess(t, { TOOLEXEC_DATA_DIR: dataDir, ...env, ...(holding && { HOLD_DIR: holdDir }) }, HELD_SERVICE);
  t.after(async () => {
    await service.process.end('SIGKILL');
    await rm(base, { recursive: true, force: true });
  });
  const service: HeldService = {
    dataDir,
    held: () => readdir(holdDir),
    process: await start(true),
    async again(holding = false) {
      service.process = await start(holding);
    },
    async request(method, path, body) {
      const response = await fetch(service.process.url + path, {
        method,
        headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Json, headers: response.headers };
    },
    async session(options = {}) {
      const { body } = await service.request('POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' }, ...options });
      return { id: body['id'] as string, workspace: body['workspace'].path as string };
    },
    begin(sessionId, calls) {
      service.post(sessionId, calls).catch(() => {
        // The service is killed before it answers.
      });
    },
    post: (sessionId, calls) => service.request('POST', `/v1/sessions/${sessionId}/messages`, assistant(calls)),
    events: async (sessionId) => (await service.request('GET', `/v1/sessions/${sessionId}/events`)).body['data'],
  };
  return service;
}

/** @throws Error when it never holds */
export async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const never = Date.now() + NEVER_MS;
  while (!(await holds())) {
    if (Date.now() > never) throw new Error(`This never came: ${what}.`);
    await sleep(20);
  }
}

/** The text of a file, empty where there is none. */
export function textAt(...path: string[]): Promise<string> {
  return readFile(join(...path), 'utf8').catch(() => '');
}
