import type { DatabaseSync } from 'node:sqlite';
import { query } from './sqlite-query.ts';

/** Written into the header of every store file, so that another program's database is never taken for one. */
const APPLICATION_ID = 0x746f6f6c;

/** Step n takes a file from version n to n + 1. Steps are only ever added. */
const STEPS = [
  `create table sessions (
     number integer primary key, -- what its events are numbered under
     id text not null unique,
     owner text not null,
     created_at integer not null,
     expires_at integer not null,
     closed integer not null,
     document text not null,
     first_seq integer not null default 1 -- the lowest seq that trimming has left
   ) strict;
   create index sessions_newest on sessions (owner, created_at desc, id desc) where closed = 0;
   create index sessions_expiry on sessions (expires_at);

   create table turns (
     session_id text not null references sessions (id) on delete cascade,
     id text not null,
     ordinal integer not null,
     open integer not null,
     document text not null,
     primary key (session_id, id),
     unique (session_id, ordinal)
   ) strict;
   create index turns_open on turns (session_id, ordinal) where open = 1;

   -- tool_use_id and name are JSON strings: a model may have put lone surrogates into them, which plain text would fold into one another
   create table calls (
     session_id text not null,
     turn_id text not null,
     tool_use_id text not null,
     position integer not null,
     name text not null,
     input text not null,
     result text not null,
     primary key (session_id, turn_id, tool_use_id),
     foreign key (session_id, turn_id) references turns (session_id, id) on delete cascade
   ) strict;
   create index calls_by_id on calls (session_id, tool_use_id);

   -- id is the session's number and the seq of the first event in one integer: the log is one tree that only grows at its ends
   create table events (
     id integer primary key,
     count integer not null, -- events in this row, a line of JSON each
     json text not null
   ) strict;

   create table idempotency (
     owner text not null,
     key text not null,
     digest text not null,
     status integer not null,
     body text not null,
     headers text not null,
     expires_at integer not null,
     primary key (owner, key)
   ) strict;
   create index idempotency_expiry on idempotency (expires_at);`,

  `-- one row: how far the tables have come in all that the store was told to write; what the journal has behind that they get from there
   create table position (applied integer not null) strict;
   insert into position values (0);`,

  `drop index sessions_newest;
   alter table sessions drop column closed;
   create index sessions_newest on sessions (owner, created_at desc, id desc);`,
];

/** Version of the files this code writes, kept in SQLite's `user_version`. */
export const SCHEMA_VERSION = STEPS.length;

/** A well-formed database that this code must not write to; the message completes "The store file … ". */
export class ForeignDatabaseError extends Error {
  override readonly name = 'ForeignDatabaseError';
}

/** Looks, without writing, whether the file is empty or a store of a version this code knows. @throws ForeignDatabaseError */
export function assertOurs(db: DatabaseSync): void {
  const empty = pragma(db, 'schema_version') === 0;
  if (!empty && pragma(db, 'application_id') !== APPLICATION_ID) {
    throw new ForeignDatabaseError('is a database of another program: set a data directory of its own for this service.');
  }
  const version = pragma(db, 'user_version');
  if (version > SCHEMA_VERSION) {
    throw new ForeignDatabaseError(
      `has version ${version}, written by a newer release; this one knows versions up to ${SCHEMA_VERSION}: run the newer release or restore a backup.`,
    );
  }
}

/** Brings the file to {@link SCHEMA_VERSION}, or leaves it as it was; writes in any case, so that a read-only file shows here. */
export function migrate(db: DatabaseSync): void {
  const steps = STEPS.slice(pragma(db, 'user_version'));
  db.exec(`begin immediate; ${steps.join('\n')}
    pragma application_id = ${APPLICATION_ID}; pragma user_version = ${SCHEMA_VERSION}; commit;`);
}

function pragma(db: DatabaseSync, name: 'application_id' | 'schema_version' | 'user_version'): number {
  return query<{ value: number }>(db, `select ${name} as value from pragma_${name}`).get()?.value ?? 0;
}
