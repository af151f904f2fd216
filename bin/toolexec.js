#!/usr/bin/env node
// Runs on any Node, to find one that can run the rest: this one, or the one that comes with the package.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST_NODE = 24;
const file = fileURLToPath(import.meta.url);
const root = dirname(dirname(file));

if (isNewEnough(process.versions.node)) await runHere();
else runWith(packagedNode());

async function runHere() {
  // It is code that runs: so it lies where the packages do.
  nodeModule.enableCompileCache?.(join(root, 'node_modules', '.cache', 'compiled'));
  const { main } = await import(part('cli/main'));
  const done = await main(process.argv.slice(2));
  if (done === 'serve') await import(part('server'));
  else process.exitCode = done;
}

/** A package that is installed has JavaScript, since Node takes no TypeScript from there; a checkout has the sources. */
function part(name) {
  const source = join(root, 'src', `${name}.ts`);
  const built = join(root, 'dist', 'src', `${name}.js`);
  const installed = root.includes(`${sep}node_modules${sep}`);
  return pathToFileURL(existsSync(source) && !installed ? source : built).href;
}

/** Of the dependency that brings a Node along, in our own node_modules or in those that we were installed into. */
function packagedNode() {
  const places = [join(root, 'node_modules'), dirname(root), dirname(dirname(root))];
  return places.map((place) => join(place, '.bin', 'node')).find((path) => existsSync(path) && isNewEnough(versionOf(path)));
}

function versionOf(path) {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return (stdout || '').replace(/^v/, '');
}

function isNewEnough(version) {
  return Number.parseInt(version, 10) >= OLDEST_NODE;
}

/** Everything is passed on, signals and the end among them. */
function runWith(node) {
  if (node === undefined) {
    process.stderr.write(
      `toolexec needs Node ${OLDEST_NODE} or later, and this is ${process.versions.node}: install it from https://nodejs.org, or run npm install in ${root}, which brings one along on Linux (x64).\n`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [file, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    process.stderr.write(`toolexec could not start ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
