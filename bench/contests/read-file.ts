// Read of 2,000 lines over POST, against the same work in this process and a POST of a call that does nothing.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPlace, createSession, httpClient, postCalls, type HttpClient } from '../client.ts';
import { both, type Contest } from '../contest.ts';
import { linesOf } from '../files.ts';
import { median } from '../statistics.ts';
import { timesOf } from '../timed.ts';
import { noopMessage } from './post-noop.ts';

const LINES = 2_000;
/** Each is read once in a round: one that a session has read already would only be said to be unchanged. */
const FILES = 40;

export function readFiles(): Contest {
  return {
    calls: FILES,
    warmUps: 3,
    lines: [{ row: '11', name: 'Read of 2,000 lines over POST', against: 'readFile, format, no-op POST', unit: 'ms', target: 1.3 }],
    async open({ toolexec }) {
      const http = httpClient(toolexec.address('http'));
      const noops = `/v1/sessions/${await createSession(http)}/messages`;
      return {
        measure: async (oursFirst) => [
          await both(oursFirst, {
            ours: () => readOverPost(http),
            theirs: () => readByHand(http, noops),
          }),
        ],
        close: () => http.close(),
      };
    },
  };
}

/** In a session of its own, which has read nothing yet. @returns milliseconds a file */
async function readOverPost(http: HttpClient): Promise<number> {
  return overFiles(http, async (path, session) => {
    const text = await postCalls(http, session, [{ name: 'Read', input: { file_path: path } }]);
    if (!text.includes(`line${LINES - 1} `) || !text.includes('"outcome":"ok"'))
      throw new Error(`Read did not show the whole file: ${text.slice(0, 500)}`);
  });
}

async function readByHand(http: HttpClient, noops: string): Promise<number> {
  return overFiles(http, async (path) => {
    numbered(await readFile(path, 'utf8'));
    await http.post(noops, noopMessage());
  });
}

/** @returns the median of the time a file, in milliseconds */
async function overFiles(http: HttpClient, read: (path: string, session: string) => Promise<void>): Promise<number> {
  const { id, directory } = await createPlace(http);
  const paths = await plantFiles(directory);
  let next = 0;
  const spentMs = await timesOf(FILES, () => read(paths[next++] ?? '', id));
  await http.delete(`/v1/sessions/${id}`);
  return median(spentMs);
}

async function plantFiles(directory: string): Promise<string[]> {
  const paths = Array.from({ length: FILES }, (_, n) => join(directory, `file-${n}.ts`));
  await Promise.all(paths.map((path) => writeFile(path, linesOf(LINES))));
  return paths;
}

function numbered(text: string): string {
  return text
    .split('\n')
    .map((line, index) => `${index + 1}\t${line}`)
    .join('\n');
}
