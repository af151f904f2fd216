import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { createTeams } from '../../src/agents/teams.ts';
import type { AgentProgress, People } from '../../src/contract/index.ts';
import { SessionTasks } from '../../src/sessions/tasks/background-tasks.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { startLoop, type Loop, type LoopOptions } from '../../test/agents/loop-harness.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { lastWords, type Script } from '../../test/support/model-server.ts';
import { toolHarness, type ToolCallOptions, type ToolHarness, type ToolRunReport } from '../../test/support/tool-harness.ts';
import type { AgentInput } from './input.ts';
import Agent from './index.ts';

interface World {
  readonly loop: Loop;
  readonly harness: ToolHarness;
  readonly tasks: SessionTasks;
  readonly teams: ReturnType<typeof createTeams>;
  run: (input?: Partial<AgentInput>, options?: ToolCallOptions) => Promise<ToolRunReport>;
  /** All that a task has put out, once it has ended. */
  output(taskId: string): Promise<string>;
}

async function openWorld(t: TestContext, script: Script, options: LoopOptions = {}): Promise<World> {
  const loop = await startLoop(t, script, options);
  const harness = await toolHarness(t);
  const tasks = new SessionTasks({ outputFileFor: (id) => join(harness.outputs, `${id}.txt`), onEnded: () => {} });
  const teams = createTeams({ tasks });
  t.after(() => tasks.close());
  return {
    loop,
    harness,
    tasks,
    teams,
    run: (given = {}, more = {}) =>
      harness.call(Agent, { ...task, ...given }, { ...more, services: { agents: loop.agents, tasks, teams } }),
    async output(taskId) {
      await tasks.ended(taskId, new AbortController().signal);
      return readFile(tasks.outputFile(taskId), 'utf8');
    },
  };
}

const done = await startLoop({ after }, () => ({ text: 'It is done.' }));
const busy = await startLoop({ after }, () => ({ text: 'I begin.', until: new Promise(() => {}) }));
const task: AgentInput = { description: 'count things', prompt: 'Count them.', subagent_type: 'general-purpose' };
toolSuite({
  tool: Agent,
  input: task,
  ports: () => ({ services: { agents: done.agents } }),
  endless: { input: task, ports: () => ({ services: { agents: busy.agents } }) },
});

const taskIn = (text: string): string => /task_[\w-]+/.exec(text)?.[0] ?? assert.fail(text);

describe('Agent', () => {
  test('gives the last words of the agent, and what it took', async (t) => {
    const { run, loop } = await openWorld(t, (_request, index) =>
      index === 0 ? { text: 'Hm.', calls: [{ name: 'Echo' }] } : { text: 'There are 7.' },
    );
    const { text, result, progress } = await run();
    assert.equal(text, 'There are 7.\n\n[The agent (session ses_1) made 1 tool call and used 20 tokens in, 10 out.]');
    assert.deepEqual(result.output, {
      session_id: 'ses_1',
      usage: { input_tokens: 20, output_tokens: 10 },
      tool_uses: 1,
      stop: 'end_turn',
    });
    assert.deepEqual(
      (progress as AgentProgress[]).map((data) => (data.kind === 'agent_text' ? data.text : data.kind)),
      ['agent', 'Hm.\n', 'There are 7.\n'],
    );
    assert.equal(lastWords(loop.server.requests[0] ?? assert.fail()), 'Count them.');
  });

  test('hands the agent directory, mode and grants of the session, and nothing else of its state', async (t) => {
    const { run, harness, loop } = await openWorld(t, () => ({ text: 'ok' }));
    harness.state = {
      ...harness.state,
      mode: 'acceptEdits',
      todos: [{ content: 'x', activeForm: 'x', status: 'pending' }],
      loadedTools: ['y'],
      grants: ['Bash(ls)'],
    };
    await run();
    assert.deepEqual(loop.opened[0]?.order.state, {
      cwd: harness.workspace,
      mode: 'acceptEdits',
      todos: [],
      loadedTools: [],
      grants: ['Bash(ls)'],
    });
  });

  test('says that work may be unfinished where a limit was reached', async (t) => {
    const { run } = await openWorld(t, () => ({ text: 'So far.', calls: [{ name: 'Echo' }] }), { limits: { maxTurns: 1 } });
    assert.match((await run()).text, /^So far\.[^]*may be unfinished/);
  });

  test('runs side by side with others', async (t) => {
    const both = Promise.withResolvers<void>();
    const { run } = await openWorld(t, (_request, index) => {
      if (index === 1) both.resolve();
      return { text: 'ok', until: both.promise };
    });
    assert.deepEqual(
      (await Promise.all([run(), run()])).map(({ text }) => text.split('\n')[0]),
      ['ok', 'ok'],
    );
    assert.equal(Agent.isConcurrencySafe({} as AgentInput), true);
  });

  test('ends with its call: the model is asked no more, and its session is closed', async (t) => {
    const { run, loop } = await openWorld(t, () => ({ text: 'I begin', until: new Promise(() => {}) }));
    const stop = new AbortController();
    const running = run({}, { signal: stop.signal });
    await loop.server.request(0);
    stop.abort({ kind: 'aborted', message: 'The user interrupted it.' });
    await assert.rejects(running, /interrupted/);
    assert.equal(loop.closed, 1);
  });

  test('fails in words for a type that is not there, where no agent may start, and for half a member', async (t) => {
    const { run } = await openWorld(t, () => ({ text: 'ok' }), { limits: { depth: 0 } });
    await assert.rejects(run({ subagent_type: 'poet' }), /no type of agent "poet"\. There is: "general-purpose" \(/);
    await assert.rejects(run(), /at this depth/);
    assert.deepEqual(await Agent.validateInput?.({ name: 'ada' } as AgentInput), {
      ok: false,
      message: 'Give `name` and `team_name` together, for a member of a team, or neither.',
    });
  });

  test('asks the people of its call for the calls of the agent', async (t) => {
    const asked: string[] = [];
    const people: People = {
      approve: async ({ reason }) => {
        asked.push(reason);
        return { behavior: 'allow', by: 'client' };
      },
      callClient: () => assert.fail(),
    };
    const world = await openWorld(t, (_request, index) => (index === 0 ? { calls: [{ name: 'Echo' }] } : { text: 'ok' }), {
      answer: async () => (await world.loop.opened[0]?.order.people.approve({ reason: 'May it?' }))?.behavior ?? 'none',
    });
    await world.run({}, { people });
    assert.deepEqual(asked, ['May it?']);
    assert.equal(lastWords(world.loop.server.requests[1] ?? assert.fail()), 'allow');
    // A session that asks nobody does not ask through its agents either, whatever mode those are in.
    world.harness.state = { ...world.harness.state, mode: 'dontAsk' };
    await world.run({ subagent_type: 'explore' }, { people });
    assert.equal((await world.loop.opened[1]?.order.people.approve({ reason: 'May it?' }))?.behavior, 'deny');
    assert.equal(asked.length, 1);
  });
});

describe('Agent in the background', () => {
  test('answers at once, and its task writes down what the agent says and does', async (t) => {
    const go = Promise.withResolvers<void>();
    const world = await openWorld(
      t,
      (_request, index) => (index === 0 ? { text: 'Looking.', calls: [{ name: 'Echo' }], until: go.promise } : { text: 'It is done.' }),
      {
        answer() {
          world.loop.opened[0]?.order.onProgress({ kind: 'agent_event', event: { type: 'call_started', view: { title: 'Read a.ts' } } });
          world.loop.opened[0]?.order.onProgress({
            kind: 'agent_event',
            event: { type: 'tool_result', name: 'Read', outcome: 'tool_error' },
          });
          return 'x';
        },
      },
    );
    const { text, result } = await world.run({ run_in_background: true });
    const taskId = taskIn(text);
    assert.equal(world.tasks.get(taskId)?.status, 'running');
    assert.deepEqual(result.output, { task_id: taskId, output_file: world.tasks.outputFile(taskId) });
    go.resolve();
    assert.equal(
      await world.output(taskId),
      '[session ses_1]\nLooking.\n[Read a.ts]\n[Read: tool error]\nIt is done.\n[The agent (session ses_1) made 1 tool call and used 20 tokens in, 10 out.]\n',
    );
    const { status, kind, description } = world.tasks.get(taskId) ?? assert.fail();
    assert.deepEqual([status, kind, description], ['completed', 'agent', 'count things']);
  });

  test('denies what would be asked, and says why', async (t) => {
    const world = await openWorld(t, () => ({ text: 'ok' }));
    const { text } = await world.run({ run_in_background: true });
    await world.output(taskIn(text));
    const answer = await world.loop.opened[0]?.order.people.approve({ reason: 'May it?' });
    assert.equal(answer?.behavior, 'deny');
    assert.match(answer?.message ?? '', /background, where nobody can be asked/);
  });

  test('is stopped with its task, and fails with the words of the failure', async (t) => {
    const world = await openWorld(t, (_request, index) => (index === 0 ? { text: 'x', until: new Promise(() => {}) } : { status: 401 }));
    const taskId = taskIn((await world.run({ run_in_background: true })).text);
    await world.loop.server.request(0);
    assert.equal((await world.tasks.stop(taskId)).status, 'stopped');
    const failing = taskIn((await world.run({ run_in_background: true })).text);
    assert.match(await world.output(failing), /does not take the key/);
    assert.deepEqual([world.tasks.get(failing)?.status, world.loop.closed], ['failed', 2]);
  });

  test('begins when somebody wants a running call there, and goes on with all that was said', async (t) => {
    const [wanted, go, stop] = [new AbortController(), Promise.withResolvers<void>(), new AbortController()];
    const world = await openWorld(t, (_request, index) =>
      index === 0 ? { text: 'One.', calls: [{ name: 'Echo' }] } : { text: 'Two.', until: go.promise },
    );
    const running = world.run({}, { backgroundRequest: () => wanted.signal, signal: stop.signal });
    await world.loop.server.request(1);
    wanted.abort();
    const taskId = taskIn((await running).text);
    stop.abort({ kind: 'aborted', message: 'The turn is over.' });
    assert.equal((await world.loop.opened[0]?.order.people.approve({ reason: 'May it?' }))?.behavior, 'deny');
    go.resolve();
    assert.match(await world.output(taskId), /^\[session ses_1\]\nOne\.\nTwo\.\n\[The agent/);
    assert.equal(world.tasks.get(taskId)?.status, 'completed');
  });

  test('begins there at once when that was wanted before the agent began', async (t) => {
    const world = await openWorld(t, () => ({ text: 'Here.' }));
    const { text } = await world.run({}, { backgroundRequest: () => AbortSignal.abort() });
    assert.match(await world.output(taskIn(text)), /Here\./);
  });

  test('stays with its call where no task can begin, and says so', async (t) => {
    const [wanted, go] = [new AbortController(), Promise.withResolvers<void>()];
    const world = await openWorld(t, () => ({ text: 'Here.', until: go.promise }));
    await world.tasks.close();
    const running = world.run({}, { backgroundRequest: () => wanted.signal });
    await world.loop.server.request(0);
    wanted.abort();
    go.resolve();
    assert.match((await running).text, /^Here\.[^]*asked to go on in the background, and could not/);
  });
});

describe('Agent in a team', () => {
  test('gets messages before its next step, and goes on with those that come when it has no more to do', async (t) => {
    const go = Promise.withResolvers<void>();
    const world = await openWorld(t, (_request, index) =>
      index === 0 ? { calls: [{ name: 'Echo' }], until: go.promise } : { text: `answer ${index}` },
    );
    world.teams.create({ name: 'crew', description: '' });
    const { text } = await world.run({ team_name: 'crew', name: 'ada' });
    assert.match(text, /It is "ada" in team "crew"/);
    await world.loop.server.request(0);
    world.teams.send({ team: 'crew', to: 'ada', text: 'while it works' });
    go.resolve();
    assert.equal(lastWords(await world.loop.server.request(1)), 'done\nMessage from the one who leads the team:\nwhile it works');
    world.teams.send({ team: 'crew', to: 'ada', text: 'go on', from: 'bob' });
    assert.equal(lastWords(await world.loop.server.request(2)), 'Message from bob:\ngo on');
    await world.teams.remove('crew');
    const taskId = taskIn(text);
    assert.match(await world.output(taskId), /answer 1\n\[waits for messages\]\n\[Message from bob:\]\n/);
    assert.equal(world.tasks.get(taskId)?.status, 'stopped');
  });

  test('is refused by a team that is not there, and no agent starts', async (t) => {
    const world = await openWorld(t, () => ({ text: 'ok' }));
    await assert.rejects(world.run({ team_name: 'no', name: 'ada' }), /There is no team "no"/);
    await world.output(world.tasks.list()[0]?.id ?? assert.fail());
    assert.equal(world.loop.opened.length, 0);
  });
});

describe('Agent as a tool', () => {
  test('is there where agents may start, is never deferred, and touches nothing by itself', () => {
    const flags = (...names: string[]): Parameters<typeof Agent.isEnabled>[0] => ({ platform: 'linux', flags: new Set(names) });
    assert.deepEqual([Agent.isEnabled(flags()), Agent.isEnabled(flags('agent-depth'))], [false, true]);
    assert.deepEqual([Agent.alwaysLoad, Agent.aliases, Agent.isReadOnly({} as AgentInput)], [true, ['Task'], false]);
    assert.deepEqual(Agent.permissionSubjects(task, {} as never), [{ kind: 'other', text: 'general-purpose', own: true }]);
  });

  test('takes what models send, and refuses the rest', () => {
    const check = inputValidator(Agent);
    assert.ok(check({ description: 'x', prompt: 'y' }).ok);
    assert.ok(check({ description: 'x', prompt: 'y', subagent_type: 'explore', run_in_background: true, name: 'a-1', team_name: 'b' }).ok);
    for (const input of [{}, { description: 'x' }, { description: 'x', prompt: '' }, { description: 'x', prompt: 'y', name: 'a b' }]) {
      assert.equal(check(input).ok, false, JSON.stringify(input));
    }
  });

  test('draws its calls: what was asked, what goes on, what came of it', () => {
    const input: AgentInput = { description: 'find it', prompt: 'p'.repeat(3_000), subagent_type: 'explore' };
    const use = Agent.renderUse(input);
    assert.deepEqual([use.title, use.subtitle], ['Agent: find it', 'explore']);
    assert.ok(use.body?.kind === 'markdown' && use.body.text.length < 2_100);
    const view = { title: 'Read a.ts', subtitle: '3 lines' };
    assert.deepEqual(Agent.renderProgress({ kind: 'agent_event', event: { type: 'tool_result', view } }), view);
    assert.deepEqual(
      Agent.renderProgress({ kind: 'agent_event', event: { type: 'progress', data: { kind: 'output', text: 'hi' } } }).body,
      {
        kind: 'terminal',
        text: 'hi',
      },
    );
    assert.match(Agent.renderProgress({ kind: 'agent', session_id: 'ses_9', status: 'started' }).subtitle ?? '', /ses_9/);
    assert.equal(Agent.renderGroup([input, input]).subtitle, '2 agents');
    assert.equal(Agent.renderRejected(input, 'no').subtitle, 'not allowed');
  });
});
