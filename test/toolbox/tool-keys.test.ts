import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputJsonSchema } from '../../src/toolbox/schemas/input-schema.ts';
import { loadTools } from '../../src/toolbox/load/load-tools.ts';

/** The keys by which models know the tools; a question mark stands behind those that may be left out. */
const KEYS = {
  Read: 'file_path offset? limit?',
  Edit: 'file_path old_string new_string replace_all?',
  Write: 'file_path content',
  Glob: 'pattern path?',
  Grep: 'pattern path? glob? type? output_mode? -i? -n? -A? -B? -C? multiline? head_limit? offset?',
  Bash: 'command timeout? description? run_in_background?',
  Agent: 'description prompt subagent_type? run_in_background?',
  TaskOutput: 'task_id block? timeout?',
  TaskStop: 'task_id',
  TodoWrite: 'todos',
  AskUserQuestion: 'questions',
  NotebookEdit: 'notebook_path cell_id? new_source? cell_type? edit_mode?',
  WebFetch: 'url prompt?',
  WebSearch: 'query allowed_domains? blocked_domains?',
  Skill: 'skill args?',
  ToolSearch: 'query max_results?',
  ExitPlanMode: 'plan',
};
/** Keys of the elements of a list. */
const ELEMENTS = {
  TodoWrite: ['todos', 'content status activeForm'],
  AskUserQuestion: ['questions', 'question header options multiSelect?'],
} as const;

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly items?: ObjectSchema }>>;
  readonly required?: readonly string[];
}

const keysOf = ({ properties = {}, required = [] }: ObjectSchema): string[] =>
  Object.keys(properties).map((key) => (required.includes(key) ? key : `${key}?`));

test('every tool takes the keys that models know it by, and asks for none besides', async () => {
  const features = new Set(['model', 'search', 'tasks', 'cron', 'teams', 'lsp', 'pwsh']);
  const tools = await loadTools(new URL('../../tools/', import.meta.url), { features });
  const schemas = new Map(tools.map((tool) => [tool.name, inputJsonSchema(tool) as ObjectSchema]));
  for (const [name, keys] of Object.entries(KEYS)) {
    const taken = keysOf(schemas.get(name) ?? assert.fail(`there is no ${name}`));
    for (const key of keys.split(' ')) assert.ok(taken.includes(key), `${name} does not take ${key}: ${taken.join(' ')}`);
    const more = taken.filter((key) => !keys.split(' ').includes(key));
    assert.ok(
      more.every((key) => key.endsWith('?')),
      `${name} asks for ${more.join(' ')}`,
    );
  }
  for (const [name, [list, keys]] of Object.entries(ELEMENTS)) {
    const elements = schemas.get(name)?.properties?.[list]?.items ?? assert.fail(`${name} has no ${list}`);
    assert.deepEqual(keysOf(elements).toSorted(), keys.split(' ').toSorted(), name);
  }
});
