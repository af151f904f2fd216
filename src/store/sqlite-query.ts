import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** A prepared `select` whose columns are named as the keys of `Row`. */
export interface Query<Row> {
  all(...parameters: SQLInputValue[]): Row[];
  get(...parameters: SQLInputValue[]): Row | undefined;
}

/** Prepares a `select`; its tables are STRICT, so columns hold the types that the schema gives them. */
export function query<Row>(db: DatabaseSync, sql: string): Query<Row> {
  const statement = db.prepare(sql);
  return {
    all: (...parameters) => statement.all(...parameters) as unknown as Row[],
    get: (...parameters) => statement.get(...parameters) as unknown as Row | undefined,
  };
}
