// A turn that is left for another process to go on with, or whose session may be another node's by now.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildTool, type EngineEvent, type Tool } from '../../src/contract/index.ts';
import { TurnControl } from '../../src/engine/turn-control.ts';
import { effectTools, newEffects } from '../support/effect-tools.ts';
import { engineOptions, runAll, startAll } from '../support/run-engine.ts';

const uses = (...calls: [id: string, name: string, input?: object][]) => calls.map(([id, name, input = {}]) => ({ id, name, input }));
const ended = (events: EngineEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'call_finished' ? [`${event.tool_use_id} ${event.outcome}`] : []));
const hold = { hold: true };

describe('a turn that is left', () => {
  test('tells the end of what has ended, and of what must not run twice; what can run again has none, and nothing begins', async () => {
    const effects = newEffects();
    const control = new TurnControl();
    const calls = uses(['a', 'Reads'], ['b', 'Reads', hold], ['c', 'Reads'], ['d', 'Once'], ['e', 'Reads']);
    const turn = startAll(calls, engineOptions(effectTools(effects), { control }));
    await turn.event((event) => event.type === 'call_finished' && event.tool_use_id === 'c');
    control.leaveAll('left');
    const events = await turn.events;
    assert.deepEqual(ended(events).toSorted(), ['a ok', 'c ok']);
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'tool_result' ? [event.tool_use_id] : [])),
      ['a'],
      'a result does not pass one that is still to come',
    );
    assert.deepEqual(effects.begun, ['a', 'b', 'c']);
    const once = new TurnControl();
    const second = startAll(uses(['x', 'Once', hold], ['y', 'Once']), engineOptions(effectTools(effects), { control: once }));
    await second.event((event) => event.type === 'call_started');
    while (!effects.begun.includes('x')) await new Promise((resolve) => setImmediate(resolve));
    once.leaveAll('left');
    assert.deepEqual(ended(await second.events), ['x aborted']);
  });

  test('tells what the ended calls of an unfinished batch have changed of the session', async () => {
    const effects = newEffects();
    const moves = buildTool({
      name: 'Moves',
      inputSchema: { type: 'object' },
      description: () => 'Changes the directory.',
      effect: () => 'read',
      isReadOnly: () => true,
      isConcurrencySafe: () => true,
      call: () => ({ content: 'moved', contextModifier: (state) => ({ ...state, cwd: '/w/sub' }) }),
    }) as unknown as Tool;
    const control = new TurnControl();
    const turn = startAll(uses(['a', 'Moves'], ['b', 'Reads', hold]), engineOptions([...effectTools(effects), moves], { control }));
    await turn.event((event) => event.type === 'call_finished');
    control.leaveAll('left');
    const changes = (await turn.events).flatMap((event) => (event.type === 'context_changed' ? [event.changes] : []));
    assert.deepEqual(changes, [{ cwd: '/w/sub' }]);
  });

  test('that somebody has aborted before ends as it would have', async () => {
    const effects = newEffects();
    const control = new TurnControl();
    const turn = startAll(uses(['a', 'Reads', hold], ['b', 'Once']), engineOptions(effectTools(effects), { control }));
    await turn.event((event) => event.type === 'call_started');
    control.abort('stop');
    control.leaveAll('left');
    assert.deepEqual(ended(await turn.events), ['a aborted', 'b aborted']);
  });
});

test('a call does not reach its tool where another node may have the session by then', async () => {
  const effects = newEffects();
  const options = engineOptions(effectTools(effects));
  let held = true;
  const guards = { ...options.guards, mayStart: () => held };
  await runAll(uses(['a', 'Once']), { ...options, guards });
  held = false;
  await runAll(uses(['b', 'Reads'], ['c', 'Once']), { ...options, guards });
  assert.deepEqual(effects.begun, ['a']);
});

test('a call that may finish what it is at is told to stop at once where the session is lost', async () => {
  const effects = newEffects();
  const [once] = effectTools(effects).filter(({ name }) => name === 'Once');
  const control = new TurnControl();
  const finishing = { ...once, interruptBehavior: 'finish' } as Tool;
  const turn = startAll(uses(['a', 'Once', hold]), engineOptions([finishing], { control }));
  while (effects.begun.length < 1) await new Promise((resolve) => setImmediate(resolve));
  let told = false;
  void turn.events.then(() => (told = true));
  control.abort('stop');
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(told, false);
  control.abort('lost', { atOnce: true });
  assert.deepEqual(ended(await turn.events), ['a aborted']);
});
