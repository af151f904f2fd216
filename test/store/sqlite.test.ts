import { storeSuite } from '../suites/store.ts';
import { openCrashing, openSqlite } from './sqlite-files.ts';

storeSuite('SQLite store', openSqlite);
storeSuite('SQLite store that is killed before it is opened again', openCrashing);
