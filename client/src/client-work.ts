// What the service asks of its client: answers for people, and runs of the client's own tools. The same thing may be told
// several times, by several readers and by a log that is read again: it is done once, and only while it is still wanted.
import { runClientTool, type AnyClientTool } from './client-tool.ts';
import type { Approval, ApprovalDecision, CallFinishedEvent, ClientCallEvent, ClientProgressFrame } from './generated.ts';
import { ToolexecProblem } from './problem.ts';
import type { approvalsOf, turnsOf } from './resources.ts';
import type { ToolexecEvent } from './types.ts';

/** Answers for a person. What it throws is a deny. */
export type ApprovalHandler = (approval: Approval) => ApprovalDecision | Promise<ApprovalDecision>;

interface Resources {
  readonly approvals: ReturnType<typeof approvalsOf>;
  readonly turns: ReturnType<typeof turnsOf>;
}

type Tell = (frame: ClientProgressFrame) => void;

/** Things done that are remembered. */
const REMEMBERED = 10_000;

export class ClientWork {
  readonly #resources: Resources;
  readonly #handlers: ApprovalHandler[] = [];
  readonly #tools = new Map<string, AnyClientTool>();
  /** Approvals and calls that are seen to, or were. */
  readonly #begun = new Set<string>();
  /** Stops the tool of a call. */
  readonly #running = new Map<string, AbortController>();
  /** Open sockets. */
  readonly #tells = new Set<Tell>();

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  /** Whether there is anybody here who answers. */
  get answers(): boolean {
    return this.#handlers.length > 0 || this.#tools.size > 0;
  }

  /** Names of the tools that run here. */
  get toolNames(): string[] {
    return [...this.#tools.keys()];
  }

  /** The newest handler is asked. */
  onApproval(handler: ApprovalHandler): () => void {
    this.#handlers.push(handler);
    return () => {
      const index = this.#handlers.indexOf(handler);
      if (index >= 0) this.#handlers.splice(index, 1);
    };
  }

  addTool(tool: AnyClientTool): () => void {
    this.#tools.set(tool.name, tool);
    return () => {
      if (this.#tools.get(tool.name) === tool) this.#tools.delete(tool.name);
    };
  }

  /** A socket is open, by which progress may go. @returns what to call when it is not any more */
  attach(tell: Tell): () => void {
    this.#tells.add(tell);
    return () => this.#tells.delete(tell);
  }

  /** Sees to what an event asks for. @returns false when it asks for something that nobody does here */
  see(event: ToolexecEvent): boolean {
    switch (event.type) {
      case 'session':
        for (const approval of event.approvals) this.#ask(approval);
        return true;
      case 'approval_requested':
        return this.#ask(event.approval);
      case 'client_call':
        return this.#run(event);
      case 'call_finished':
        this.#stop(event);
        return true;
      default:
        return true;
    }
  }

  #ask({ id }: Approval): boolean {
    const handler = this.#handlers.at(-1);
    if (handler === undefined) return false;
    this.#once(`approval ${id}`, async () => {
      const { approvals } = this.#resources;
      // The log, and the first frame of a socket, may be old or shortened.
      const approval = (await approvals.list()).find((open) => open.id === id);
      if (approval !== undefined) await approvals.answer(id, await decided(handler, approval));
    });
    return true;
  }

  #run(call: ClientCallEvent): boolean {
    const tool = this.#tools.get(call.name);
    if (tool === undefined) return false;
    this.#once(keyOf(call), () => this.#runTool(tool, call));
    return true;
  }

  async #runTool(tool: AnyClientTool, call: ClientCallEvent): Promise<void> {
    const { turn_id: turnId = '', tool_use_id: toolUseId } = call;
    const { turn } = await this.#resources.turns.get(turnId);
    if (turn.calls.find((each) => each.tool_use_id === toolUseId)?.waiting_for !== 'client') return;
    const stop = new AbortController();
    this.#running.set(keyOf(call), stop);
    try {
      const progress = (data: unknown): void => this.#tell({ type: 'client_progress', tool_use_id: toolUseId, data });
      const result = await runClientTool(tool, call.input, { toolUseId, signal: stop.signal, progress });
      if (!stop.signal.aborted) await this.#resources.turns.answer(turnId, toolUseId, result);
    } finally {
      this.#running.delete(keyOf(call));
    }
  }

  #stop(event: CallFinishedEvent): void {
    this.#running.get(keyOf(event))?.abort(new Error(`The call has ended: ${event.outcome}.`));
  }

  #tell(frame: ClientProgressFrame): void {
    const [tell] = this.#tells;
    tell?.(frame);
  }

  /** What could not be done is done again when it is told again. */
  #once(key: string, act: () => Promise<void>): void {
    if (this.#begun.has(key)) return;
    this.#begun.add(key);
    const [oldest] = this.#begun;
    if (this.#begun.size > REMEMBERED && oldest !== undefined) this.#begun.delete(oldest);
    act().catch((error: unknown) => {
      // Most problems say that somebody else was first, or that it has ended.
      if (!(error instanceof ToolexecProblem) || error.status === 429 || error.status >= 500) this.#begun.delete(key);
    });
  }
}

async function decided(handler: ApprovalHandler, approval: Approval): Promise<ApprovalDecision> {
  try {
    return await handler(approval);
  } catch (error) {
    return { behavior: 'deny', message: `Nobody could be asked: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function keyOf({ turn_id, tool_use_id }: ClientCallEvent | CallFinishedEvent): string {
  return JSON.stringify([turn_id, tool_use_id]);
}
