// `schedule: "dependencies"`: calls wait for those that are in their way, and for no others.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { buildTool, type Policy, type SessionState, type Tool, type ToolUse } from '../../src/contract/index.ts';
import { engineOptions, outcomes, runAll, settle, startAll, use } from '../support/run-engine.ts';
import { newTrace, workTool } from '../support/test-tools.ts';

const Input = z.strictObject({ file: z.string() });

/** Tools whose calls end when the test says so. */
function heldTools() {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const tool = (name: string, access: 'reads' | 'writes', safe = false) =>
    buildTool({
      name,
      inputSchema: Input,
      description: () => 'Waits.',
      isConcurrencySafe: () => safe,
      footprint: ({ file }, { state }) => ({ [access]: [file.startsWith('/') ? file : `${state.cwd}/${file}`] }),
      call: async (_input, { toolUseId, signal }) => {
        running.push(toolUseId);
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        ends.set(toolUseId, resolve);
        signal.addEventListener('abort', () => reject(new Error('stopped')));
        await promise.finally(() => running.splice(running.indexOf(toolUseId), 1));
        return { content: `${toolUseId} done` };
      },
    });
  const all = buildTool({
    name: 'All',
    inputSchema: Input,
    description: () => 'Says nothing of what it touches.',
    call: (_input, { toolUseId }) => {
      running.push(toolUseId);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(toolUseId, resolve);
      return promise.then(() => {
        running.splice(running.indexOf(toolUseId), 1);
        return { content: '', contextModifier: (state: SessionState) => ({ ...state, cwd: '/elsewhere' }) };
      });
    },
  });
  const trace = newTrace();
  const tools = [tool('Write', 'writes'), tool('Read', 'reads', true), all, workTool(trace)];
  return {
    running,
    trace,
    options: { ...engineOptions(tools), schedule: 'dependencies' as const },
    end: async (id: string) => {
      const release = ends.get(id);
      assert.ok(release, `${id} runs`);
      release();
      await settle();
      return running.toSorted();
    },
  };
}

const write = (id: string, file: string): ToolUse => use(id, 'Write', { file });
const read = (id: string, file: string): ToolUse => use(id, 'Read', { file });

describe('with schedule "dependencies"', () => {
  test('a call waits for the earlier ones that touch the same file, and results still leave in call order', async () => {
    const { running, options, end } = heldTools();
    const turn = startAll([write('a1', 'a'), write('b', 'b'), read('c', 'c'), write('a2', 'a'), read('src', '/w')], options);
    await settle();
    assert.deepEqual(running.toSorted(), ['a1', 'b', 'c']);
    assert.deepEqual(await end('a1'), ['a2', 'b', 'c']);
    assert.deepEqual(await end('b'), ['a2', 'c'], 'who reads the directory waits for the last write below it');
    assert.deepEqual(await end('a2'), ['c', 'src'], 'readers do not wait for readers');
    await end('src');
    await end('c');
    assert.deepEqual(outcomes(await turn.events), ['a1 ok', 'b ok', 'c ok', 'a2 ok', 'src ok']);
  });

  test('two names of one file are one file', async () => {
    const { running, options, end } = heldTools();
    const { files } = options.services;
    const services = { ...options.services, files: { ...files, real: (path: string) => Promise.resolve(path.replace('link', 'a')) } };
    const turn = startAll([write('one', 'a'), write('two', 'link')], { ...options, services });
    await settle();
    assert.deepEqual(running, ['one']);
    assert.deepEqual(await end('one'), ['two']);
    await end('two');
    await turn.events;
  });

  test('a path that cannot be followed is in the way of everything', async () => {
    const { running, options, end } = heldTools();
    const real = (path: string) => (path.endsWith('loop') ? Promise.reject(new Error('ELOOP')) : Promise.resolve(path));
    const services = { ...options.services, files: { ...options.services.files, real } };
    const turn = startAll([write('one', 'loop'), write('two', 'b')], { ...options, services });
    await settle();
    assert.deepEqual(running, ['one']);
    await end('one');
    await end('two');
    await turn.events;
  });

  test('a call that does not say what it touches runs alone, and what comes after it sees the context that it has left', async () => {
    const { running, options, end } = heldTools();
    const turn = startAll(
      [write('w1', 'a'), use('all', 'All', { file: '' }), write('w2', 'a'), write('w3', '/elsewhere/a'), read('r', 'b')],
      options,
    );
    await settle();
    assert.deepEqual(running, ['w1']);
    assert.deepEqual(await end('w1'), ['all']);
    assert.deepEqual(await end('all'), ['r', 'w2'], 'both writes are of /elsewhere/a now');
    assert.deepEqual(await end('w2'), ['r', 'w3']);
    await end('w3');
    await end('r');
    assert.deepEqual(outcomes(await turn.events), ['w1 ok', 'all ok', 'w2 ok', 'w3 ok', 'r ok']);
  });

  test('a call that is safe beside others and says no more waits for every write, as it does in a partition', async () => {
    const { options, running, trace, end } = heldTools();
    const turn = startAll([write('w', 'a'), use('safe', 'Work', {}), read('r', 'b')], options);
    await settle();
    assert.deepEqual(running.toSorted(), ['r', 'w']);
    assert.deepEqual(trace.started, []);
    await end('w');
    assert.deepEqual(trace.started, ['safe']);
    await end('r');
    await turn.events;
  });

  test('such a call waits also for what is no file', async () => {
    const trace = newTrace();
    const todos: Tool = { ...workTool(trace), name: 'Todos', footprint: () => ({ writes: ['todos'] }) };
    const calls = [use('t', 'Todos', { ms: 30, safe: false }), use('safe', 'Work', {})];
    await runAll(calls, { ...engineOptions([todos, workTool(trace)]), schedule: 'dependencies' });
    assert.deepEqual(trace.overlaps, []);
  });

  test('an abort ends what runs and what waits for it, each with its result', async () => {
    const { options } = heldTools();
    const turn = startAll([write('one', 'a'), write('two', 'a'), write('three', 'a')], options);
    await settle();
    options.control.abort('enough');
    assert.deepEqual(outcomes(await turn.events), ['one aborted', 'two aborted', 'three aborted']);
  });

  test('a call that hooks gave another input, which nothing was waited for, runs alone', async () => {
    const trace = newTrace();
    const tool: Tool = { ...workTool(trace), footprint: (input) => ({ writes: [`/w/${(input as { label: string }).label}`] }) };
    const options = { ...engineOptions([tool]), schedule: 'dependencies' as const };
    const calls = [use('p', 'Work', { label: 'a', ms: 30, safe: false }), use('c', 'Work', { label: 'b', safe: false })];
    await runAll(calls, options);
    assert.equal(trace.overlaps.length, 1, 'as they are they run side by side');
    const policy: Policy = {
      decide: ({ toolUseId, input }) => ({
        behavior: 'allow',
        decided_by: 'test',
        ...(toolUseId === 'c' && { input: { ...(input as object), label: 'a' } }),
      }),
    };
    const events = await runAll(calls, { ...options, guards: { ...options.guards, policy } });
    assert.deepEqual(outcomes(events), ['p ok', 'c ok']);
    assert.equal(trace.overlaps.length, 1, 'no more than before');
  });

  test('a thousand calls that touch one file run one after another', async () => {
    const trace = newTrace();
    const tool: Tool = { ...workTool(trace), footprint: () => ({ writes: ['/w/a'] }) };
    const calls = Array.from({ length: 1_000 }, (_, index) => use(`c${index}`, 'Work', { safe: false }));
    await runAll(calls, { ...engineOptions([tool]), schedule: 'dependencies' });
    assert.equal(trace.widest, 1);
    assert.deepEqual(
      trace.started,
      calls.map(({ id }) => id),
    );
  });
});
