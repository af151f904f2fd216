// What one socket sends into a session: frames are taken one by one, calls start as soon as they are complete, and the
// input ends by itself when nothing comes any more.
import { Problem, type MessageFormat, type ToolUse } from '../contract/index.ts';
import type { StreamAssembler } from '../formats/format.ts';
import { detectFormat } from '../formats/detect.ts';
import { formats } from '../formats/formats.ts';
import { streamFormat } from '../formats/recognise-stream.ts';
import type { ClientFrame } from './client-frames.ts';
import type { Session } from './session.ts';
import { assertNewIds, submitMessage, whenUnchanged, type Submission } from './submit.ts';
import type { Turn } from './turn.ts';

type ModelFrame = Record<string, unknown>;

/** Inputs of sockets that dropped a moment ago: the next socket of the session may go on with one. */
const orphans = new WeakMap<Session, StreamInput>();

export class StreamInput {
  readonly #session: Session;
  /** Turns this socket began, oldest first. */
  #turns: Turn[] = [];
  #open: Turn | undefined;
  #assembler: { readonly format: MessageFormat; readonly assembler: StreamAssembler } | undefined;
  /** Runs out when the open input has been silent for too long. */
  #idle: NodeJS.Timeout | undefined;
  /** Runs out when a dropped socket has not come back. */
  #dropped: NodeJS.Timeout | undefined;

  constructor(session: Session) {
    this.#session = session;
    session.sockets += 1;
  }

  /** True for a frame of a model's stream, also for one of unknown type in the middle of a message. */
  takesModelFrame(frame: ModelFrame): boolean {
    const open = this.#openFormat();
    return streamFormat(frame, open) !== null || (open === 'anthropic' && this.#open?.inputOpen === true);
  }

  /** @throws Problem for the first call that cannot be taken; what came before it stands */
  async modelFrame(frame: ModelFrame): Promise<void> {
    this.touch();
    const open = this.#openFormat();
    const format = streamFormat(frame, open) ?? open;
    if (format === undefined) return;
    if (this.#assembler?.format !== format) {
      this.#adoptOrphan(format, frame);
      if (this.#assembler?.format !== format) this.#assembler = { format, assembler: formats[format].createAssembler() };
    }
    let fault: unknown;
    for (const output of this.#assembler.assembler.push(frame)) {
      try {
        if (output.type === 'open') this.#begin(format);
        else if (output.type === 'call') await this.#take(output.call, format);
        else this.#open?.endInput(output.type === 'broken' ? 'input_lost' : undefined);
      } catch (error) {
        fault ??= error;
      }
    }
    this.touch();
    if (fault !== undefined) throw fault;
  }

  /** @throws Problem */
  async toolUse(use: ToolUse): Promise<void> {
    if (this.#open === undefined) this.#adoptOrphan('anthropic');
    await this.#take(use, this.#open?.inputOpen === true ? this.#open.record.format : 'anthropic');
    this.touch();
  }

  /** @throws Problem */
  async message(frame: Extract<ClientFrame, { type: 'message' }>): Promise<Submission> {
    const format = detectFormat(frame.message, frame.format);
    const calls = formats[format].readCalls(frame.message);
    this.#open?.endInput();
    const submission = await submitMessage(this.#session, format, calls);
    if (submission.kind === 'live') this.#remember(submission.turn);
    this.touch();
    return submission;
  }

  /** @throws Problem `turn-not-found` */
  end(turnId: string | undefined): void {
    this.#closeInput(turnId).endInput();
    this.touch();
  }

  /** @throws Problem `turn-not-found` */
  abort(turnId: string | undefined, reason: string | undefined): void {
    this.#closeInput(turnId).abort(abortText(reason));
    this.touch();
  }

  /** @throws Problem `turn-not-found` */
  discard(turnId: string | undefined): void {
    this.#closeInput(turnId).discard('The turn was discarded.');
    this.touch();
  }

  /** The socket has closed: what it began goes on for a moment, then its input ends or it is aborted. */
  dropped(): void {
    const session = this.#session;
    session.sockets -= 1;
    this.#stopIdling();
    const unfinished = this.#unfinished();
    if (unfinished.length === 0) return;
    if (this.#open?.inputOpen === true) orphans.set(session, this);
    this.#dropped = setTimeout(() => this.#giveUp(unfinished), session.parts.limits.reconnectMs);
  }

  #giveUp(unfinished: readonly Turn[]): void {
    const session = this.#session;
    if (orphans.get(session) === this) orphans.delete(session);
    this.#loseInput();
    if (session.settings.execution.on_disconnect !== 'abort' || session.sockets > 0) return;
    for (const turn of unfinished) turn.abort('The client disconnected and did not come back.');
  }

  /** A socket that reconnected goes on where the dropped one stopped, unless it begins a new message. */
  #adoptOrphan(format: MessageFormat, frame?: ModelFrame): void {
    const orphan = orphans.get(this.#session);
    if (orphan === undefined || orphan === this || this.#open?.inputOpen === true) return;
    orphans.delete(this.#session);
    clearTimeout(orphan.#dropped);
    const open = orphan.#open;
    if (open === undefined || open.record.format !== format || frame?.['type'] === 'message_start') {
      open?.endInput('input_lost');
      return;
    }
    this.#remember(open);
    this.#open = open;
    this.#assembler = orphan.#assembler;
  }

  #begin(format: MessageFormat): Turn {
    this.#open?.endInput();
    this.#open = this.#session.startTurn(format, null);
    this.#remember(this.#open);
    return this.#open;
  }

  /** @throws Problem `duplicate-tool-use-id`, `tool-use-id-reused`, `invalid-request`, `turn-queue-full` */
  async #take(use: ToolUse, format: MessageFormat): Promise<void> {
    const session = this.#session;
    const { callsPerTurn } = session.parts.limits;
    const accept = (): void => {
      const open = this.#openTurn();
      if (open?.has(use.id)) {
        throw new Problem('duplicate-tool-use-id', `The turn already has a tool_use ${JSON.stringify(use.id)}: the first one stands.`);
      }
      if (open !== undefined && open.size >= callsPerTurn)
        throw new Problem('invalid-request', `A turn may hold at most ${callsPerTurn} calls.`);
      session.accept(open ?? this.#begin(format), use);
    };
    const known = this.#openTurn()?.has(use.id) === true;
    if (known || session.settings.execution.call_ids !== 'unique') accept();
    else await whenUnchanged(session, { decide: () => assertNewIds(session, [use.id]), act: accept });
  }

  #openTurn(): Turn | undefined {
    return this.#open?.inputOpen === true ? this.#open : undefined;
  }

  #remember(turn: Turn): void {
    this.#turns = [...this.#unfinished(), turn];
  }

  #unfinished(): Turn[] {
    return this.#turns.filter((turn) => this.#session.openTurn(turn.id) !== undefined);
  }

  #openFormat(): MessageFormat | undefined {
    return this.#assembler?.format;
  }

  /** The turn that is meant. Where it is the open one, what is half received of it is dropped. */
  #closeInput(turnId: string | undefined): Turn {
    const turn = this.#target(turnId);
    if (turn === this.#open) this.#assembler = undefined;
    return turn;
  }

  #target(turnId: string | undefined): Turn {
    const turn = turnId === undefined ? this.#unfinished().at(-1) : this.#session.openTurn(turnId);
    if (turn !== undefined) return turn;
    const detail = turnId === undefined ? 'This socket has no unfinished turn.' : `The session has no unfinished turn ${turnId}.`;
    throw new Problem('turn-not-found', detail);
  }

  /** A sign of life: the time that the open input may be silent starts again. */
  touch(): void {
    if (this.#openTurn() === undefined) this.#stopIdling();
    else if (this.#idle === undefined) this.#idle = setTimeout(() => this.#loseInput(), this.#session.settings.execution.input_idle_ms);
    else this.#idle.refresh();
  }

  #stopIdling(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }

  /** Complete calls run; a half-received one is dropped with its assembler. */
  #loseInput(): void {
    this.#stopIdling();
    this.#open?.endInput('input_lost');
    this.#assembler = undefined;
  }
}

export function abortText(reason: string | undefined): string {
  return reason === undefined ? 'The call was interrupted by the user.' : `The call was interrupted: ${reason}`;
}
