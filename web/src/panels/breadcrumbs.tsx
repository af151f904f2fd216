import type { Signal } from '@preact/signals';

/** The directory that is open, and the way up. */
export function Breadcrumbs({ path, open }: { path: Signal<string>; open: (path: string) => void }) {
  const names = path.value.split('/').filter((name) => name !== '');
  return (
    <nav aria-label="Directory" class="crumbs">
      <button type="button" class="link" onClick={() => open('')}>
        workspace
      </button>
      {names.map((name, index) => (
        <span key={index}>
          {' / '}
          <button type="button" class="link" onClick={() => open(names.slice(0, index + 1).join('/'))}>
            {name}
          </button>
        </span>
      ))}
    </nav>
  );
}
