// One command that prints many megabytes, read back whole and compared byte by byte through a digest.
import { createHash } from 'node:crypto';
import { callId, createSession, type HttpClient } from '../client.ts';

/** Numbers of eight digits, so that each line has nine bytes and no two are equal. */
const FIRST = 10_000_000;
const LINE_BYTES = 9;
const LINES_A_CHUNK = 10_000;

interface Reply {
  readonly turn: { readonly id: string; readonly calls: readonly { readonly outcome: string; readonly duration_ms: number }[] };
}

export interface LargeOutput {
  readonly outcome: string;
  readonly durationMs: number;
  readonly bytes: number;
  readonly expectedBytes: number;
  readonly intact: boolean;
}

/** @param address `host:port` of the service. @param megabytes that it prints */
export async function runLargeOutput(http: HttpClient, address: string, megabytes: number): Promise<LargeOutput> {
  const session = await createSession(http);
  const lines = Math.floor((megabytes * 1_000_000) / LINE_BYTES);
  const id = callId();
  const input = { command: `seq ${FIRST} ${FIRST + lines - 1}`, timeout: 300_000 };
  const body = JSON.stringify({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input }] });
  const { turn } = JSON.parse(await http.post(`/v1/sessions/${session}/messages`, body)) as Reply;
  const reply = await fetch(`http://${address}/v1/sessions/${session}/turns/${turn.id}/calls/${id}/output`);
  const digest = createHash('sha256');
  let bytes = 0;
  for await (const chunk of reply.body ?? []) {
    bytes += chunk.length;
    digest.update(chunk);
  }
  return {
    outcome: turn.calls[0]?.outcome ?? 'none',
    durationMs: turn.calls[0]?.duration_ms ?? 0,
    bytes,
    expectedBytes: lines * LINE_BYTES,
    intact: digest.digest('hex') === expectedDigest(lines),
  };
}

function expectedDigest(lines: number): string {
  const digest = createHash('sha256');
  for (let done = 0; done < lines; done += LINES_A_CHUNK) {
    const count = Math.min(LINES_A_CHUNK, lines - done);
    digest.update(Array.from({ length: count }, (_, n) => `${FIRST + done + n}\n`).join(''));
  }
  return digest.digest('hex');
}
