// What one socket sends into a session: frames are taken one by one, calls start as soon as they are complete, and the
// input ends by itself when nothing comes any more.
import { Problem, type MessageFormat, type ToolUse } from '../../contract/index.ts';
import type { AssemblerOutput, StreamAssembler } from '../../formats/format.ts';
import { detectFormat } from '../../formats/detect.ts';
import { formats } from '../../formats/formats.ts';
import { streamFormat } from '../../formats/recognise-stream.ts';
import { withBoundName } from './bound-name.ts';
import type { ClientFrame } from './client-frames.ts';
import type { Session } from '../session.ts';
import { assertNewIds, assertUnused, knownAmong, submitMessage, whenUnchanged, type Submission } from './submit.ts';
import type { Turn } from '../turn/turn.ts';

type ModelFrame = Record<string, unknown>;

/** A model's message while it streams in. */
interface Incoming {
  readonly format: MessageFormat;
  readonly assembler: StreamAssembler;
  /** The turn that its beginning opened. */
  turn: Turn | undefined;
  /** Its turn was refused: what comes of it until its end is passed over. */
  refused: boolean;
}

/** Inputs of sockets that dropped a moment ago: the next socket of the session may go on with one. */
const orphans = new WeakMap<Session, StreamInput>();

export class StreamInput {
  readonly #session: Session;
  /** Turns this socket began, oldest first. */
  #turns: Turn[] = [];
  #open: Turn | undefined;
  #incoming: Incoming | undefined;
  /** Runs out when the open input has been silent for too long. */
  #idle: NodeJS.Timeout | undefined;
  /** Runs out when a dropped socket has not come back. */
  #dropped: NodeJS.Timeout | undefined;

  constructor(session: Session) {
    this.#session = session;
    session.sockets += 1;
  }

  /** The format of a model's stream that a frame is of, also of one of unknown type in the middle of a message; `null` of any other frame. */
  formatOf(frame: ModelFrame): MessageFormat | null {
    const incoming = this.#incoming;
    const unknown = incoming?.format === 'anthropic' && (this.#open?.inputOpen === true || isPassedOver(incoming));
    return streamFormat(frame, incoming?.format) ?? (unknown ? 'anthropic' : null);
  }

  /** @throws Problem for the first call that cannot be taken, or a message whose turn is refused; what came before it stands */
  async modelFrame(frame: ModelFrame, format: MessageFormat): Promise<void> {
    this.touch();
    if (this.#incoming?.format !== format) {
      this.#adoptOrphan(format, frame);
      if (this.#incoming?.format !== format) this.#incoming = newMessage(format);
    }
    const incoming = this.#incoming;
    let fault: unknown;
    for (const output of incoming.assembler.push(frame)) {
      try {
        await this.#use(output, incoming);
      } catch (error) {
        fault ??= error;
      }
    }
    this.touch();
    if (fault !== undefined) throw fault;
  }

  async #use(output: AssemblerOutput, incoming: Incoming): Promise<void> {
    if (output.type === 'open') {
      // Until its turn has begun it counts as refused: a call of it must not open a turn by itself.
      Object.assign(incoming, { turn: undefined, refused: true });
      incoming.turn = this.#begin(incoming.format);
      incoming.refused = false;
    } else if (output.type === 'call') {
      if (!isPassedOver(incoming)) await this.#take(output.call, incoming.format);
    } else {
      if (!isPassedOver(incoming)) this.#open?.endInput(output.type === 'broken' ? 'input_lost' : undefined);
      Object.assign(incoming, { turn: undefined, refused: false });
    }
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
    this.#stopInput(turnId).abort(abortText(reason));
    this.touch();
  }

  /** @throws Problem `turn-not-found` */
  discard(turnId: string | undefined): void {
    this.#stopInput(turnId).discard();
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
    // All that it began is this socket's now: also what is to be aborted when that drops.
    this.#turns = [...orphan.#unfinished(), ...this.#turns];
    const open = orphan.#open;
    if (open === undefined || open.record.format !== format || frame?.['type'] === 'message_start') {
      open?.endInput('input_lost');
      return;
    }
    this.#open = open;
    this.#incoming = orphan.#incoming;
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
      session.accept(open ?? this.#begin(format), withBoundName(use));
    };
    if (this.#openTurn()?.has(use.id) === true || session.settings.execution.call_ids !== 'unique') return accept();
    const used = knownAmong(session, [use.id]);
    if (used === undefined) return whenUnchanged(session, { decide: () => assertNewIds(session, [use.id]), act: accept });
    assertUnused(used);
    accept();
  }

  #openTurn(): Turn | undefined {
    return this.#open?.inputOpen === true ? this.#open : undefined;
  }

  #remember(turn: Turn): void {
    this.#turns = [...this.#unfinished(), turn];
  }

  #unfinished(): Turn[] {
    return this.#turns.filter((turn) => this.#session.turns.find(turn.id) !== undefined);
  }

  /** The turn that is meant. Where it is the open one, what is half received of it is dropped. */
  #closeInput(turnId: string | undefined): Turn {
    const turn = this.#target(turnId);
    if (turn === this.#open && this.#incoming?.refused !== true) this.#incoming = undefined;
    return turn;
  }

  /** As {@link #closeInput}; what its message still brings is passed over. Chat chunks do not always say where the next message begins. */
  #stopInput(turnId: string | undefined): Turn {
    const turn = this.#target(turnId);
    return turn === this.#incoming?.turn && this.#incoming.format !== 'openai_chat' ? turn : this.#closeInput(turnId);
  }

  #target(turnId: string | undefined): Turn {
    const turn = turnId === undefined ? this.#unfinished().at(-1) : this.#session.turns.find(turnId);
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
    this.#incoming = undefined;
  }
}

function newMessage(format: MessageFormat): Incoming {
  return { format, assembler: formats[format].createAssembler(), turn: undefined, refused: false };
}

/** True when what is still to come of a message has no turn to go to: that was refused, or has been stopped. */
function isPassedOver({ turn, refused }: Incoming): boolean {
  return refused || (turn?.inputOpen === false && turn.control.stopped !== undefined);
}

export function abortText(reason: string | undefined): string {
  return reason === undefined ? 'The call was interrupted by the user.' : `The call was interrupted: ${reason}`;
}
