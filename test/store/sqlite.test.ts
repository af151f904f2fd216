import { storeSuite } from '../suites/store.ts';
import { openSqlite } from './sqlite-files.ts';

storeSuite('SQLite store', openSqlite);
