// What servers tell by themselves about the files that are open in them.
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { z } from 'zod';
import type { CodeDiagnostic } from '../contract/index.ts';
import { createPulse } from './pulse.ts';
import { readDiagnostics } from './read-diagnostics.ts';
import { pathOf } from './uris.ts';
import { happens, type Bounds } from './within.ts';

const Told = z.object({ uri: z.string(), diagnostics: z.array(z.unknown()) });

export interface Published {
  latest(path: string): readonly CodeDiagnostic[] | undefined;
  /** Whether something is told of the file within that time. @throws Error when the signal fires */
  more(path: string, bounds: Bounds): Promise<boolean>;
  forget(path: string): void;
}

/** @param isOpen of others nothing is kept */
export function keepPublished(connection: MessageConnection, isOpen: (path: string) => boolean): Published {
  const latest = new Map<string, readonly CodeDiagnostic[]>();
  const told = createPulse();
  connection.onNotification('textDocument/publishDiagnostics', (params: unknown) => {
    const { data } = Told.safeParse(params);
    const path = data && pathOf(data.uri);
    for (const known of latest.keys()) if (!isOpen(known)) latest.delete(known);
    if (data === undefined || path === undefined || !isOpen(path)) return;
    latest.set(path, readDiagnostics(data.diagnostics, path));
    told.beat();
  });
  return {
    latest: (path) => latest.get(path),
    more(path, bounds) {
      const before = latest.get(path);
      const another = async (): Promise<void> => {
        while (latest.get(path) === before) await told.next();
      };
      return happens(another(), bounds);
    },
    forget: (path) => void latest.delete(path),
  };
}
