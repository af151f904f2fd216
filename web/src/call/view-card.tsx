import { useSignal } from '@preact/signals';
import type { View, ViewBody } from '../model/wire.ts';
import { DiffView } from './diff-view.tsx';
import { LongText } from './long-text.tsx';

/** Rows of a table and items of a list that are drawn at first. */
const FIRST = 200;

/** A picture of a call, as its tool has drawn it. */
export function ViewCard({ heading, view }: { heading: string; view: View }) {
  const { title, subtitle, body, collapsed = false } = view;
  return (
    <section class="view">
      <h3>
        <span class="view-heading">{heading}</span> {title}
      </h3>
      {subtitle !== undefined && <p class="hint">{subtitle}</p>}
      {body !== undefined && (
        <details open={!collapsed}>
          <summary class="sr-only">Content</summary>
          <Body body={body} />
        </details>
      )}
    </section>
  );
}

function Body({ body }: { body: ViewBody }) {
  switch (body.kind) {
    case 'text':
      return <LongText text={body.text} kind="plain" />;
    case 'markdown':
      return <LongText text={body.text} kind="prose" />;
    case 'terminal':
      return <LongText text={body.text} kind="terminal" />;
    case 'diff':
      return <DiffView path={body.path} diff={body.diff} />;
    case 'table':
      return <Table columns={body.columns} rows={body.rows} />;
    case 'list':
      return <List items={body.items} />;
    default:
      // A kind that is newer than this page.
      return <LongText text={JSON.stringify(body, null, 2)} kind="plain" />;
  }
}

function Table({ columns, rows }: { columns: readonly string[]; rows: readonly (readonly string[])[] }) {
  const shown = useSignal(FIRST);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown.value).map((cells, index) => (
            <tr key={index}>
              {cells.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown.value && (
        <button type="button" onClick={() => (shown.value += FIRST)}>
          {rows.length - shown.value} more rows
        </button>
      )}
    </div>
  );
}

function List({ items }: { items: readonly string[] }) {
  const shown = useSignal(FIRST);
  return (
    <>
      <ul class="items">
        {items.slice(0, shown.value).map((item, index) => (
          <li key={index}>{item}</li>
        ))}
      </ul>
      {items.length > shown.value && (
        <button type="button" onClick={() => (shown.value += FIRST)}>
          {items.length - shown.value} more
        </button>
      )}
    </>
  );
}
