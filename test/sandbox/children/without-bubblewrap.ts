// The service on a machine without bubblewrap: in a place where its file cannot be run.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../../../src/server.ts', import.meta.url));
const HIDDEN = ['/usr/bin/bwrap', '/bin/bwrap'].flatMap((file) => ['--ro-bind', '/dev/null', file]);
const place = ['--dev-bind', '/', '/', ...HIDDEN, '--die-with-parent', '--', process.execPath, SERVER];
spawn('/bin/sh', ['-c', 'exec bwrap "$@"', 'sh', ...place], { stdio: 'inherit' }).once('exit', (code) => process.exit(code ?? 1));
