// The workspace: down into directories, up by the path above them, files in and out.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Directory } from '../../../client/src/index.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useAction } from '../parts/use-action.ts';
import { useLoaded } from '../parts/use-loaded.ts';
import type { LiveSession } from '../session/live-session.ts';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { FileEntries } from './file-entries.tsx';

const PAGE = 200;

export function Files({ session }: { session: LiveSession }) {
  const path = useSignal('');
  const limit = useSignal(PAGE);
  const action = useAction();
  const { files } = session.remote;
  const listed = useLoaded(() => list(files, path.value, limit.value), [session, path.value, limit.value]);
  const open = (to: string): void => {
    path.value = to;
    limit.value = PAGE;
  };
  const put = async (chosen: readonly File[]): Promise<void> => {
    for (const file of chosen) await files.put(joined(path.value, file.name), file);
    listed.reload();
  };
  const save = async (name: string): Promise<void> => saveFile(await (await files.get(joined(path.value, name))).blob(), name);
  const saveAll = async (): Promise<void> => saveFile(await (await files.archive()).blob(), 'workspace.tar');
  const remove = async (name: string): Promise<void> => {
    await files.delete(joined(path.value, name));
    listed.reload();
  };
  const { data = [], next_cursor: more } = listed.value.value ?? {};
  return (
    <div class="files">
      <div class="toolbar">
        <Breadcrumbs path={path} open={open} />
        <span class="grow" />
        <button type="button" onClick={listed.reload}>
          Refresh
        </button>
        <button type="button" disabled={action.busy.value} onClick={() => action.run(saveAll)}>
          Download all
        </button>
        <Upload onChosen={(chosen) => action.run(() => put(chosen))} />
      </div>
      <FaultNote fault={action.fault} />
      <FaultNote fault={listed.fault} />
      <FileEntries
        entries={data}
        disabled={action.busy.value}
        onOpen={(name) => open(joined(path.value, name))}
        onSave={(name) => action.run(() => save(name))}
        onDelete={(name) => action.run(() => remove(name))}
      />
      {listed.value.value !== undefined && data.length === 0 && <p class="empty">This directory is empty.</p>}
      {more !== undefined && (
        <button type="button" onClick={() => (limit.value += PAGE)}>
          Show more
        </button>
      )}
    </div>
  );
}

/** Looks like a button; the browser's own is behind it. */
function Upload({ onChosen }: { onChosen: (files: readonly File[]) => void }) {
  const id = useId();
  return (
    <>
      <input
        id={id}
        class="sr-only"
        type="file"
        multiple
        onChange={({ currentTarget }) => {
          const chosen = [...(currentTarget.files ?? [])];
          currentTarget.value = '';
          onChosen(chosen);
        }}
      />
      <label class="button" for={id}>
        Upload
      </label>
    </>
  );
}

/** As many entries as are wanted, page by page. */
async function list(
  files: { list: (path: string, page: { limit: number; cursor?: string }) => Promise<Directory> },
  path: string,
  limit: number,
): Promise<Pick<Directory, 'data' | 'next_cursor'>> {
  const data: Directory['data'] = [];
  let cursor: string | undefined;
  do {
    const page = await files.list(path, { limit: PAGE, ...(cursor !== undefined && { cursor }) });
    data.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== undefined && data.length < limit);
  return { data, ...(cursor !== undefined && { next_cursor: cursor }) };
}

function joined(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`;
}
