// Looks for helpers that a process of the service has left behind, and asks them whose commands they still run.
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { socketPath } from '../processes/command-record.ts';
import { readJsonLines, writeJsonLine } from '../json-lines.ts';
import type { AttachLine } from '../messages.ts';

/** Milliseconds that a helper has to answer: the start of the service waits for it. */
const ANSWER_MS = 1_000;

const sessionsSchema = z.array(z.string());

/** Ids of sessions that have commands running to which nobody attends, also those of another service on this machine. */
export async function orphanedSessions(): Promise<string[]> {
  const directories = (await Promise.all(['/dev/shm', tmpdir()].map(helpersIn))).flat();
  return [...new Set((await Promise.all(directories.map(sessionsOf))).flat())];
}

async function helpersIn(parent: string): Promise<string[]> {
  const names = await readdir(parent).catch(() => {
    // Not every system has both.
    return [];
  });
  return names.filter((name) => name.startsWith('toolexec-commands-')).map((name) => join(parent, name));
}

/** None where nobody answers, such as where another user's helper is. */
function sessionsOf(directory: string): Promise<string[]> {
  return new Promise((resolve) => {
    let sessions: string[] = [];
    const socket = connect(socketPath(directory));
    const timer = setTimeout(() => socket.destroy(), ANSWER_MS);
    socket.on('error', () => {
      // `close` follows.
    });
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(sessions);
    });
    readJsonLines(socket, (line) => {
      sessions = sessionsSchema.parse(line);
    });
    const question: AttachLine = { type: 'sessions' };
    writeJsonLine(socket, question);
  });
}
