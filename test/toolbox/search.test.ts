import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { stem, wordsOf } from '../../src/toolbox/search/search-words.ts';
import { sampleTool } from './sample-tools.ts';
import { found, never, openWorld, remoteTool, servers } from './toolbox-world.ts';

const github = [
  remoteTool('mcp__github__create_issue', 'Opens an issue in a repository.', ['owner', 'repo', 'title', 'assignees']),
  remoteTool('mcp__github__list_issues', 'Lists the issues of a repository.', ['owner', 'repo', 'state']),
  remoteTool('mcp__github__create_branch', 'Makes a branch.', ['owner', 'repo', 'branch']),
];
const slack = [remoteTool('mcp__slack__send_message', 'Posts to a channel.', ['channel', 'text'])];
const agent = sampleTool('Agent', { aliases: ['Task'], description: () => 'Starts a helper.' });
const notebook = sampleTool('NotebookEdit', { shouldDefer: true, searchHint: 'jupyter cells', description: () => 'Changes a notebook.' });
const world = openWorld({ builtIn: [agent, notebook], remote: servers(...github, ...slack) });

describe('select:', () => {
  test('finds exactly what it names, in its order, whether deferred or not, by a former name too', async () => {
    assert.deepEqual(await found(world, 'select:mcp__slack__send_message'), ['mcp__slack__send_message']);
    assert.deepEqual(await found(world, 'select:Task, NotebookEdit'), ['Agent', 'NotebookEdit']);
    assert.deepEqual(await found(world, ' Select: Agent,Task,,Agent'), ['Agent']);
    const { matches } = await world.toolbox.index.search('select:Agent,NotebookEdit', 1, never);
    assert.deepEqual(
      matches.map(({ deferred }) => deferred),
      [false, true],
    );
  });

  test('tells which names are not there, and which are like them', async () => {
    const { matches, notes } = await world.toolbox.index.search('select:create_issues,Agent,qqq', 5, never);
    assert.deepEqual(
      matches.map(({ name }) => name),
      ['Agent'],
    );
    assert.match(notes[0] ?? '', /^No tool is named "create_issues". Names like it: mcp__github__create_issue, /);
    assert.equal(notes[1], 'No tool is named "qqq".');
  });

  test('does not take what objects inherit for a tool', async () => {
    assert.deepEqual(await found(world, 'select:constructor,__proto__,toString'), []);
  });

  test('is bounded, in what it finds and in what it says', async () => {
    const many = openWorld({ remote: servers(...Array.from({ length: 80 }, (_, index) => remoteTool(`mcp__x__t${index}`))) });
    const names = Array.from({ length: 80 }, (_, index) => `mcp__x__t${index}`);
    const all = await many.toolbox.index.search(`select:${names.join()}`, 5, never);
    assert.equal(all.matches.length, 50);
    assert.match(all.notes.join(), /first 50/);
    const unknown = await many.toolbox.index.search(`select:${names.map((name) => name.replace('x', 'y')).join()}`, 5, never);
    assert.ok(unknown.notes.length <= 11 && unknown.notes.join().length < 5_000);
  });
});

describe('Keywords', () => {
  test('find tools by parts of their name, by hint, by description and by parameter', async () => {
    assert.equal((await found(world, 'github issue create'))[0], 'mcp__github__create_issue');
    assert.deepEqual(await found(world, 'jupyter'), ['NotebookEdit']);
    assert.deepEqual(await found(world, 'channel'), ['mcp__slack__send_message']);
    assert.deepEqual(await found(world, 'assignee'), ['mcp__github__create_issue']);
    assert.deepEqual(await found(world, 'notebook'), ['NotebookEdit']);
  });

  test('give an exact name first, in any case, also without the server in front of it', async () => {
    const likely = sampleTool('mcp__issue__create', { searchHint: 'create issue', description: () => 'Create issue.' });
    const crowd = [likely, sampleTool('Agency', { searchHint: 'agent', description: () => 'agent' }), ...github];
    const crowded = openWorld({ builtIn: [agent], remote: servers(...crowd) });
    assert.equal((await found(crowded, 'mcp__github__create_issue'))[0], 'mcp__github__create_issue');
    assert.equal((await found(crowded, 'Create_Issue'))[0], 'mcp__github__create_issue');
    assert.equal((await found(crowded, 'agent'))[0], 'Agent');
  });

  test('with a plus must occur, wherever in the tool', async () => {
    assert.deepEqual(await found(world, '+slack create issue'), ['mcp__slack__send_message']);
    assert.deepEqual((await found(world, '+github +issue')).toSorted(), ['mcp__github__create_issue', 'mcp__github__list_issues']);
    assert.deepEqual(await found(world, '+repositories +title'), ['mcp__github__create_issue']);
    assert.deepEqual(await found(world, '+slack +issue'), []);
    assert.deepEqual(await found(world, '+create_branch'), ['mcp__github__create_branch']);
    assert.deepEqual(await found(world, '+assign'), ['mcp__github__create_issue'], 'as the beginning of a word');
  });

  test('find as many as were asked for, from one to fifty', async () => {
    const many = openWorld({ remote: servers(...Array.from({ length: 80 }, (_, index) => remoteTool(`mcp__x__thing_${index}`))) });
    const counts = [1, 5, 50, 1_000, 0, -3, Number.NaN].map(async (max) => (await found(many, 'thing', max)).length);
    assert.deepEqual(await Promise.all(counts), [1, 5, 50, 50, 1, 1, 1]);
  });

  test('put deferred tools before those that the model has anyway', async () => {
    const mixed = openWorld({ builtIn: [sampleTool('Weather'), sampleTool('WeatherMap', { shouldDefer: true })] });
    assert.deepEqual(await found(mixed, 'weather please'), ['WeatherMap', 'Weather']);
  });

  test('count for most in the name, then in the hint, then in the description', async () => {
    const tools = [
      sampleTool('mcp__a__one', { description: () => 'Weather.' }),
      sampleTool('mcp__a__two', { searchHint: 'weather', description: () => 'Else.' }),
      sampleTool('mcp__a__weather', { description: () => 'Else.' }),
    ];
    assert.deepEqual(await found(openWorld({ remote: servers(...tools) }), 'the weather'), [
      'mcp__a__weather',
      'mcp__a__two',
      'mcp__a__one',
    ]);
  });

  test('leave out what fits much worse than the best', async () => {
    const forecast = remoteTool('mcp__a__weather_forecast', 'Tells the weather forecast of a city.');
    const notes = remoteTool(
      'mcp__b__list_notes',
      `Lists notes on what happened, and where, and when. ${'More words on notes. '.repeat(9)} Weather too.`,
    );
    assert.deepEqual(await found(openWorld({ remote: servers(forecast, notes) }), 'weather forecast'), ['mcp__a__weather_forecast']);
  });

  test('find a tool that says the same in another word, after those that say it in the same', async () => {
    const remove = remoteTool('mcp__a__delete_page', 'Takes a page away.');
    const picky = remoteTool('mcp__b__remove_page', 'Takes a page away.');
    assert.deepEqual(await found(openWorld({ remote: servers(remove, picky) }), 'remove page'), [
      'mcp__b__remove_page',
      'mcp__a__delete_page',
    ]);
    assert.deepEqual(await found(openWorld({ remote: servers(remove) }), 'erase'), ['mcp__a__delete_page']);
  });

  test('find what is there when nothing is deferred', async () => {
    const plain = openWorld({ builtIn: [agent], remote: servers(...github), search: 'off' });
    assert.equal((await found(plain, 'list issues'))[0], 'mcp__github__list_issues');
  });

  test('that fit nothing are told so, and so is an empty query', async () => {
    const notes = async (query: string): Promise<string> => (await world.toolbox.index.search(query, 5, never)).notes.join('\n');
    assert.match(await notes('zzzz'), /^No tool fits "zzzz"/);
    for (const query of ['', '  ', 'select:', 'select: ,', '+', '*?!']) assert.match(await notes(query), /^The query is empty/, query);
  });

  test('may be any text at all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 3_000 }), fc.integer(), async (text, max) => {
        const { matches, notes } = await world.toolbox.index.search(text, max, never);
        assert.ok(matches.length <= 50 && notes.join().length < 10_000);
      }),
      { numRuns: 100 },
    );
  });

  test('are compared as words, whatever joins them and however they end', () => {
    assert.deepEqual(wordsOf('mcp__gitHub__create_HTTPRequest-v2 (größe)'), [
      'mcp',
      'git',
      'hub',
      'create',
      'http',
      'request',
      'v2',
      'größe',
    ]);
    for (const words of [
      'file files',
      'create creating created creates',
      'query queries',
      'move moving',
      'search searches',
      'stop stopped',
    ]) {
      assert.equal(new Set(words.split(' ').map(stem)).size, 1, words);
    }
    for (const word of ['status', 'class', 'string', 'bus', 'is']) assert.equal(stem(word), word);
  });
});

describe('Servers', () => {
  test('are waited for, so that what they bring is found', async () => {
    const remote = servers();
    remote.onConnect = () => remote.set(slack);
    assert.deepEqual(await found(openWorld({ remote }), 'send message'), ['mcp__slack__send_message']);
    remote.set([]);
    assert.deepEqual(await found(openWorld({ remote }), 'select:mcp__slack__send_message'), ['mcp__slack__send_message']);
  });

  test('are not waited for by who selects a tool that is there', async () => {
    const remote = servers(...github);
    remote.onConnect = () => assert.fail('nobody asked for the servers');
    assert.deepEqual(await found(openWorld({ remote }), 'select:mcp__github__create_branch'), ['mcp__github__create_branch']);
  });

  test('that failed, or are not there yet, are told of with the results', async () => {
    const remote = servers();
    remote.set(github, [
      { name: 'github', state: 'ready' },
      { name: 'docs', state: 'failed', reason: `it ended with code 1 ${'x'.repeat(1_000)}` },
      { name: 'slow', state: 'connecting' },
    ]);
    const { matches, notes } = await openWorld({ remote }).toolbox.index.search('branch', 5, never);
    assert.equal(matches[0]?.name, 'mcp__github__create_branch');
    assert.equal(notes.length, 2);
    assert.match(notes[0] ?? '', /^The server docs could not be reached.*: it ended with code 1/);
    assert.ok((notes[0] ?? '').length < 400);
    assert.match(notes[1] ?? '', /^The server slow is not connected yet/);
  });

  test('that change their tools change what is found', async () => {
    const remote = servers(...github);
    const changing = openWorld({ remote });
    assert.deepEqual(await found(changing, 'slack'), []);
    remote.set(slack);
    assert.deepEqual(await found(changing, 'slack'), ['mcp__slack__send_message']);
    assert.deepEqual(await found(changing, 'branch'), []);
  });
});
