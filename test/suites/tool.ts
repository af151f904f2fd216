// The promises of every tool. A tool's own test calls this with an input that works, and with what makes it go on and on.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { TOOL_FORMATS, type Tool, type View } from '../../src/contract/index.ts';
import { plainView } from '../../src/engine/prepare/observable.ts';
import { prepare } from '../../src/engine/prepare/prepare.ts';
import { createCatalog } from '../../src/toolbox/catalog.ts';
import { exportTools } from '../../src/toolbox/schemas/export-formats.ts';
import { inputJsonSchema } from '../../src/toolbox/schemas/input-schema.ts';
import { toolHarness, type ToolCallOptions, type ToolHarness } from '../support/tool-harness.ts';

/** A call that is stopped must have ended by then, in milliseconds: a second, and what a busy machine adds. */
const PATIENCE_MS = 5_000;

export interface ToolTrial<Input> {
  readonly tool: Tool<Input>;
  /** An input that works in the workspace that `furnish` has made. */
  readonly input: Input;
  readonly furnish?: (harness: ToolHarness) => Promise<unknown>;
  /** The ports that the call needs, beside files and commands. */
  readonly ports?: (harness: ToolHarness) => ToolCallOptions;
  /** Of a tool that may go on for long: an input with which it does, until it is stopped. */
  readonly endless?: { readonly input: Input; readonly ports?: (harness: ToolHarness) => ToolCallOptions };
  /** Of a tool that tells its progress: such a piece. */
  readonly progress?: unknown;
}

export function toolSuite<Input>(trial: ToolTrial<Input>): void {
  const { input } = trial;
  const tool = trial.tool as unknown as Tool;
  describe(`${tool.name}, as every tool,`, () => {
    test('has a schema that is one in each format, and that takes what the tool takes', () => {
      for (const format of TOOL_FORMATS) {
        const [exported = {}] = exportTools([tool], { format, context: { workspace: '/w' } });
        assert.deepEqual(JSON.parse(JSON.stringify(exported)), exported);
        const takes = validatorFor(schemaIn(exported));
        assert.ok(takes(input), `${format}: ${JSON.stringify(takes.errors)}`);
      }
      const schema = inputJsonSchema(tool);
      assert.equal(schema['type'], 'object');
      assert.equal(prepare({ id: 'toolu_1', name: tool.name, input }, createCatalog([tool])).kind, 'ready');
    });

    test('tells a model what it is for, and what each parameter is', () => {
      const description = tool.description({ workspace: '/w' });
      assert.ok(description.length >= 40 && description.length < 20_000, `its description has ${description.length} characters`);
      for (const [name, property] of Object.entries(inputJsonSchema(tool)['properties'] ?? {})) {
        assert.match((property as { description?: string }).description ?? '', /\w{3}/, `${name} is not described`);
      }
      assert.ok(tool.searchHint.length > 0);
    });

    test('answers each question about a call at once, and with yes or no', () => {
      for (const answer of [tool.isConcurrencySafe(input), tool.isReadOnly(input), tool.isDestructive(input)]) {
        assert.equal(typeof answer, 'boolean');
      }
      assert.ok(!(tool.isReadOnly(input) && tool.isDestructive(input)), 'what only reads destroys nothing');
      assert.ok(['read', 'idempotent', 'probe', 'once'].includes(tool.effect(input)));
    });

    test('is drawn at all six moments of its life, in views that travel', async (t) => {
      const harness = await furnished(t, trial);
      const { result, progress } = await harness.call(trial.tool, input, trial.ports?.(harness));
      const views = {
        use: tool.renderUse(input),
        progress: tool.renderProgress(trial.progress ?? progress[0] ?? { kind: 'sample' }),
        result: tool.renderResult(input, result),
        rejected: tool.renderRejected(input, 'It is not allowed.'),
        error: tool.renderError(input, 'It went wrong.'),
        brokenInput: tool.renderError({ unheard: ['of'] }, 'It went wrong.'),
        group: tool.renderGroup([input, input]),
      };
      for (const [moment, view] of Object.entries(views)) assertView(view, `${tool.name}, ${moment}`);
      assert.ok(JSON.stringify(views.rejected).includes('It is not allowed.'), 'the reason is shown');
      assert.ok(JSON.stringify(views.error).includes('It went wrong.'), 'the error is shown');
    });

    test('gives a result within its bounds, and without having written where it says that it only reads', async (t) => {
      const harness = await furnished(t, trial);
      const before = await snapshot(harness.workspace);
      const { result, text } = await harness.call(trial.tool, input, trial.ports?.(harness));
      assert.notEqual(result.isError, true, text);
      assert.ok(text.length > 0, 'the model is told something');
      assert.ok(text.length <= tool.maxResultChars, `${text.length} characters`);
      if (tool.isReadOnly(input)) assert.deepEqual(await snapshot(harness.workspace), before);
    });

    test('ends when it is stopped', async (t) => {
      const harness = await furnished(t, trial);
      const stop = new AbortController();
      const { input: going, ports = trial.ports } = trial.endless ?? { input };
      const running = harness.call(trial.tool, going, { ...ports?.(harness), signal: stop.signal });
      const ended = Promise.allSettled([running]).then(() => 'ended');
      if (trial.endless !== undefined) {
        assert.equal(await Promise.race([ended, setTimeout(300, 'goes on')]), 'goes on');
      }
      stop.abort({ kind: 'aborted', message: 'The user stopped it.' });
      assert.equal(await Promise.race([ended, setTimeout(PATIENCE_MS, 'goes on', { ref: false })]), 'ended');
    });
  });
}

/** One instance a schema: a shared one would take the second for the first. */
function validatorFor(schema: object) {
  const Draft = JSON.stringify(schema).includes('2020-12') ? Ajv2020 : Ajv;
  return new Draft({ strict: false }).compile(schema);
}

/** Where each format keeps it. */
function schemaIn(exported: Readonly<Record<string, unknown>>): object {
  const definition = (exported['function'] ?? exported) as Readonly<Record<string, object>>;
  const schema = definition['input_schema'] ?? definition['parameters'] ?? definition['inputSchema'];
  assert.ok(schema, 'it has no schema');
  return schema;
}

async function furnished<Input>(t: Parameters<typeof toolHarness>[0], { furnish }: ToolTrial<Input>): Promise<ToolHarness> {
  const harness = await toolHarness(t);
  await furnish?.(harness);
  return harness;
}

function assertView(view: View, what: string): void {
  assert.deepEqual(JSON.parse(JSON.stringify(view)), view, what);
  assert.deepEqual(plainView(view, 'nothing'), view, what);
  assert.ok(view.title.length > 0, `${what} has no title`);
}

/** Everything below a directory: links by where they lead, files by their bytes. */
async function snapshot(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) return `${path} -> ${await readlink(path)}`;
    return entry.isFile()
      ? `${path} ${createHash('sha256')
          .update(await readFile(path))
          .digest('hex')}`
      : `${path}/`;
  });
  return (await Promise.all(lines)).toSorted();
}
