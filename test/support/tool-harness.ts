// Runs one tool's `call` on a throw-away workspace, with the real files and the real command runner behind it.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type {
  CallContext,
  CommandRunner,
  Decision,
  People,
  SessionFiles,
  SessionState,
  Tool,
  ToolEmission,
  ToolIndex,
  ToolResult,
  ToolServices,
} from '../../src/contract/index.ts';
import { NO_BACKGROUND, NO_PEOPLE, NO_SERVICES, NO_TOOLS } from './nobody.ts';
import { startCommandRunner } from '../../src/sandbox/command-runner.ts';
import { createSessionFiles } from '../../src/workspace/session-files.ts';

export interface ToolHarness {
  /** Absolute real path of the workspace; removed after the test. */
  readonly workspace: string;
  readonly outputs: string;
  readonly files: SessionFiles;
  /** State for the next call; context modifiers of successful calls are applied to it. */
  state: SessionState;
  call<Input>(tool: Tool<Input>, input: Input, options?: ToolCallOptions): Promise<ToolRunReport>;
}

export interface ToolCallOptions {
  readonly signal?: AbortSignal;
  readonly env?: Record<string, string>;
  /** Another session's files instead of the harness's own. */
  readonly files?: SessionFiles;
  /** Another runner instead of the harness's own. */
  readonly commands?: CommandRunner;
  readonly format?: CallContext['format'];
  readonly people?: People;
  readonly decision?: Decision;
  readonly toolIndex?: ToolIndex;
  readonly backgroundRequest?: CallContext['backgroundRequest'];
  /** Services beside those, by name. */
  readonly services?: Partial<ToolServices>;
}

export interface ToolRunReport {
  readonly result: ToolResult;
  readonly progress: unknown[];
  /** The result's text, blocks joined by newlines. */
  readonly text: string;
}

/** A workspace with real services, taken down when the test ends. */
export async function toolHarness(t: TestContext): Promise<ToolHarness> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-tool-')));
  const workspace = await realpath(await mkdtemp(join(root, 'workspace-')));
  const outputs = await realpath(await mkdtemp(join(root, 'outputs-')));
  const files = createSessionFiles({ workspace, readableRoots: [outputs] });
  const runner = runnerOnDemand();
  t.after(async () => {
    await runner.close();
    await rm(root, { recursive: true, force: true, maxRetries: 10 });
  });
  let count = 0;
  const harness: ToolHarness = {
    workspace,
    outputs,
    files,
    state: { cwd: workspace, mode: 'bypassPermissions', todos: [], loadedTools: [] },
    async call(tool, input, options = {}) {
      count += 1;
      const context: CallContext = {
        sessionId: 'ses_test',
        turnId: 'turn_test',
        toolUseId: `toolu_${count}`,
        workspace,
        readableRoots: [workspace, outputs],
        writableRoots: [workspace],
        env: options.env ?? {},
        state: harness.state,
        format: options.format ?? 'anthropic',
        decision: options.decision ?? { behavior: 'allow', decided_by: 'test' },
        people: options.people ?? NO_PEOPLE,
        ...NO_SERVICES,
        toolIndex: options.toolIndex ?? NO_TOOLS,
        backgroundRequest: options.backgroundRequest ?? NO_BACKGROUND,
        files: options.files ?? files,
        commands: options.commands ?? runner.commands,
        ...options.services,
        signal: options.signal ?? new AbortController().signal,
        outputFile: join(outputs, `call-${count}.txt`),
      };
      const report = await collect(tool.call(input, context));
      if (report.result.contextModifier && !report.result.isError) harness.state = report.result.contextModifier(harness.state);
      return report;
    },
  };
  return harness;
}

/** Starts the runner, a process of its own, only for the tools that run something. */
function runnerOnDemand(): { commands: CommandRunner; close(): Promise<void> } {
  let started: ReturnType<typeof startCommandRunner> | undefined;
  const runner = (): CommandRunner => (started ??= startCommandRunner());
  return {
    commands: {
      exec: (request) => runner().exec(request),
      run: (request) => runner().run(request),
      reattach: (outputFile, controls) => runner().reattach(outputFile, controls),
      forget: (outputFile) => runner().forget(outputFile),
    },
    close: async () => started?.close(),
  };
}

async function collect(run: ReturnType<Tool['call']>): Promise<ToolRunReport> {
  const progress: unknown[] = [];
  let result: ToolResult;
  if (isGenerator(run)) {
    let step = await run.next();
    while (!step.done) {
      if (step.value.type === 'progress') progress.push(step.value.data);
      step = await run.next();
    }
    result = step.value;
  } else {
    result = await run;
  }
  const { content } = result;
  const text =
    typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
  return { result, progress, text };
}

function isGenerator(run: ReturnType<Tool['call']>): run is AsyncGenerator<ToolEmission, ToolResult, void> {
  return Symbol.asyncIterator in run;
}
