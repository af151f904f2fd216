// The service is killed at each moment of a call of each effect, all in one process, and goes on in a second one.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startHeldService, textAt, until, type HeldService } from '../support/crash.ts';
import { call, resultsOf, type Json } from '../support/server.ts';

const POINTS = [
  'before its start',
  'after its start, before its effect',
  'after its effect, before its result',
  'after its result',
] as const;
type Point = (typeof POINTS)[number];

/** What is called, and what the file `target` holds when that was done exactly once. */
const EFFECTS = {
  Read: { input: { file_path: 'target' }, done: 'end\n' },
  Write: { input: { file_path: 'target', content: 'new\n' }, done: 'new\n' },
  Edit: { input: { file_path: 'target', old_string: 'end', new_string: 'more end' }, done: 'more end\n' },
  Bash: { input: { command: 'echo once >> target' }, done: 'end\nonce\n' },
} as const;
type Effect = keyof typeof EFFECTS;
/** How often it starts, by point. What is found done does not start again. */
const STARTS: Readonly<Record<Effect, readonly number[]>> = {
  Read: [1, 2, 2, 1],
  Write: [1, 2, 1, 1],
  Edit: [1, 2, 1, 1],
  Bash: [1, 1, 1, 1],
};
const CASES = POINTS.flatMap((point) => (Object.keys(EFFECTS) as Effect[]).map((effect) => ({ point, effect })));

const read = (id: string): Json => call(id, 'Read', { file_path: 'target' });
const block = call('block', 'Bash', { command: 'echo > blocked; while [ ! -e go ]; do sleep 0.05; done' });

function message(point: Point, effect: Effect, id: string): Json[] {
  const { input } = EFFECTS[effect];
  if (point === 'before its start') return [block, read('read'), call(id, effect, input)];
  if (point === 'after its result') return [read('read'), call(id, effect, input), block];
  return [read('read'), call(id, `${effect}${point === 'after its start, before its effect' ? 'Before' : 'After'}`, input)];
}

interface Killed {
  readonly id: string;
  readonly session: string;
  readonly workspace: string;
  readonly calls: Json[];
}

let service: HeldService;
const killed = new Map<string, Killed>();
const cleaning: (() => unknown)[] = [];

before(async () => {
  service = await startHeldService({ after: (work) => void cleaning.push(work as () => unknown) });
  for (const [index, { point, effect }] of CASES.entries()) {
    const { id: session, workspace } = await service.session();
    await writeFile(join(workspace, 'target'), 'end\n');
    const id = `call_${index}`;
    const calls = message(point, effect, id);
    killed.set(`${point} ${effect}`, { id, session, workspace, calls });
    service.begin(session, calls);
  }
  for (const { id, workspace, calls } of killed.values()) {
    const blocked = calls.includes(block);
    const reached = async (): Promise<boolean> =>
      blocked ? (await textAt(workspace, 'blocked')) !== '' : (await service.held()).includes(id);
    await until(reached, `${id} is where it is to be killed`);
  }
  await service.process.end('SIGKILL');
  for (const { workspace } of killed.values()) await writeFile(join(workspace, 'go'), '');
  await service.again();
});

after(async () => {
  for (const work of cleaning.toReversed()) await work();
});

for (const point of POINTS) {
  describe(`a service that is killed in the middle of a call, ${point},`, () => {
    for (const effect of Object.keys(EFFECTS) as Effect[]) {
      // A command leaves beside its output how it ended; where it left nothing, nobody can tell whether it began.
      const unknown = effect === 'Bash' && point === POINTS[1];
      const name = unknown ? `does not run a ${effect} again, and says that it cannot know` : `ends a ${effect} well`;
      test(`${name}: it has happened ${unknown ? 'not at all' : 'once'}, and has one result`, async () => {
        const { id, session, workspace, calls } = killed.get(`${point} ${effect}`) as Killed;
        const { body, headers } = await service.post(session, calls);
        assert.equal(headers.get('toolexec-replayed'), 'true');
        const { outcome } = body['turn'].calls.find((one: Json) => one['tool_use_id'] === id);
        assert.equal(outcome, unknown ? 'outcome_unknown' : 'ok', JSON.stringify(resultsOf(body)));
        assert.equal(await textAt(workspace, 'target'), unknown ? 'end\n' : EFFECTS[effect].done);
        const ids = calls.map((one) => one['id']);
        assert.deepEqual(
          body['messages'][0].content.map((result: Json) => result['tool_use_id']),
          ids,
        );
        const events = await service.events(session);
        const told = (type: string) => events.filter((event) => event['type'] === type).map((event) => event['tool_use_id']);
        assert.deepEqual(told('tool_result'), ids);
        assert.deepEqual(new Set(told('call_finished')), new Set(ids));
        assert.equal(told('call_finished').length, ids.length);
        assert.equal(told('call_started').filter((started) => started === id).length, STARTS[effect][POINTS.indexOf(point)]);
        assert.deepEqual(
          events.map(({ seq }) => seq),
          events.map((_, index) => index + 1),
        );
        assert.equal(events.at(-1)?.['type'], 'turn_completed');
      });
    }
  });
}

test('what was written before the crash can be edited after it without another read', async () => {
  for (const effect of ['Write', 'Edit'] as const) {
    const { session } = killed.get(`${POINTS[2]} ${effect}`) as Killed;
    const { body } = await service.post(session, [
      call(`next_${effect}`, 'Edit', { file_path: 'target', old_string: '\n', new_string: '!\n' }),
    ]);
    assert.match(resultsOf(body)[0] ?? '', /Updated target: 1 replacement\.$/);
  }
});
