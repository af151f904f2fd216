import type { FileEntry } from '../../../client/src/index.ts';
import { showBytes, showTime } from '../model/durations.ts';
import { SureButton } from '../parts/sure-button.tsx';

interface FileEntriesProps {
  readonly entries: readonly FileEntry[];
  readonly disabled: boolean;
  readonly onOpen: (name: string) => void;
  readonly onSave: (name: string) => void;
  readonly onDelete: (name: string) => void;
}

export function FileEntries({ entries, ...rest }: FileEntriesProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Entries of the directory">
      <table class="entries">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Size</th>
            <th scope="col">Changed</th>
            <th scope="col">
              <span class="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Entry key={entry.name} entry={entry} {...rest} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Entry({ entry, disabled, onOpen, onSave, onDelete }: { entry: FileEntry } & Omit<FileEntriesProps, 'entries'>) {
  const { name, type, size, modified_at: changedAt } = entry;
  const isDirectory = type === 'directory';
  return (
    <tr>
      <td>
        <button
          type="button"
          class="link"
          disabled={!isDirectory && (disabled || type !== 'file')}
          onClick={() => (isDirectory ? onOpen(name) : onSave(name))}
        >
          {isDirectory ? `${name}/` : name}
        </button>
      </td>
      <td>{type === 'file' ? showBytes(size) : type}</td>
      <td>{showTime(changedAt)}</td>
      <td>
        {!isDirectory && <SureButton label="Delete" sure="Delete" describes={name} disabled={disabled} onSure={() => onDelete(name)} />}
      </td>
    </tr>
  );
}
