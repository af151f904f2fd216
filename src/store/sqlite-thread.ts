// A thread of its own for the store file: a transaction takes milliseconds, and the event loop of the service has none to give.
// It opens the file, says whether that went well, and then does what it is asked, one after another.
import { parentPort, workerData } from 'node:worker_threads';
import { openError, plainError } from './sqlite-errors.ts';
import { openStoreFile } from './sqlite-file.ts';
import { sqliteWork, type SqliteWork } from './sqlite-work.ts';
import type { Asked, Told } from './ask-sqlite.ts';

const port = parentPort;
if (port === null) throw new Error('This file is the thread of a store: it is started by openSqliteThread.');
const { file } = workerData as { file: string };

const work = open();
if (work !== undefined) {
  tell({ id: 0, value: work.position() });
  port.on('message', (asked: Asked) => tell(answer(work, asked)));
}

function open(): SqliteWork | undefined {
  try {
    return sqliteWork(openStoreFile(file));
  } catch (error) {
    tell({ id: 0, error: plainError(openError(file, error)) });
    return undefined;
  }
}

function answer(does: SqliteWork, { id, name, args }: Asked): Told {
  try {
    // Whoever asks was held to the parameters of that function.
    const value = (does[name] as (...given: unknown[]) => unknown)(...args);
    return { id, value };
  } catch (error) {
    return { id, error: plainError(error) };
  }
}

function tell(told: Told): void {
  port?.postMessage(told);
}
