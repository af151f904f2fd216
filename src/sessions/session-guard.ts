// What stands between a session's calls and the world: rules and modes, hooks, people, and where commands run.
import type { CommandRunner, Hooks, PermissionContext, Policy, SessionFacts, SessionState, Toolbox } from '../contract/index.ts';
import type { Guards } from '../engine/call/call-case.ts';
import type { TurnControl } from '../engine/turn-control.ts';
import type { SessionApprovals } from './people/approvals.ts';
import type { SessionClientCalls } from './people/client-calls.ts';
import type { EventLog } from './log/event-log.ts';
import type { SessionParts, SessionPlace } from './session-parts.ts';
import type { SessionSettings } from './settings/session-options.ts';

/** Milliseconds that the hooks at the end of a session may take: whoever deletes it waits for them. */
const END_MS = 5_000;

/** Notes of hooks that may wait for a result. */
const MOST_NOTES = 100;

/** What it knows of its session. */
export interface Guarded {
  readonly id: string;
  readonly owner: string;
  readonly parts: SessionParts;
  readonly place: SessionPlace;
  readonly settings: SessionSettings;
  readonly toolbox: Toolbox;
  readonly facts: SessionFacts;
  readonly state: SessionState;
  readonly approvals: SessionApprovals;
  readonly clientCalls: SessionClientCalls;
  readonly log: Pick<EventLog, 'isHeld'>;
}

export class SessionGuard {
  readonly #session: Guarded;
  readonly hooks: Hooks;
  #commands: CommandRunner;
  #policy: Policy;
  /** What hooks want the model to know at the next result. */
  #notes: readonly string[] = [];
  /** Why a hook at the start wants nothing to run. */
  #halt: string | undefined;
  readonly #starting = new AbortController();

  constructor(session: Guarded) {
    const { parts, settings, place } = session;
    this.#session = session;
    this.#policy = parts.policyFor(settings, place);
    this.hooks = parts.hooksFor(settings, session);
    this.#commands = parts.commandsFor(settings, session);
  }

  /** The session's settings have changed: rules hold for running turns too. */
  renew(): void {
    const { parts, settings, place } = this.#session;
    this.#policy = parts.policyFor(settings, place);
    this.#commands = parts.commandsFor(settings, this.#session);
  }

  /** Where the session's commands run, by the rules of the moment. Nothing starts when another node may have taken the session over. */
  get runner(): CommandRunner {
    const commands = (): CommandRunner => {
      this.#assertHeld();
      return this.#commands;
    };
    return {
      run: async (request) => commands().run(request),
      exec: async (request) => commands().exec(request),
      reattach: async (outputFile, controls) => commands().reattach(outputFile, controls),
      forget: (outputFile) => this.#commands.forget(outputFile),
    };
  }

  #assertHeld(): void {
    if (!this.#session.log.isHeld()) throw new Error('Another node takes the session over: nothing starts here any more.');
  }

  /** As the engine asks. */
  get guards(): Guards {
    return {
      catalog: this.#session.toolbox.catalog,
      policy: { decide: (call, context) => this.#policy.decide(call, context) },
      hooks: {
        listens: (event) => this.hooks.listens(event),
        run: async (...asked) => {
          this.#assertHeld();
          return this.hooks.run(...asked);
        },
      },
      approvals: this.#session.approvals,
      client: this.#session.clientCalls,
      mayStart: () => this.#session.log.isHeld(),
    };
  }

  /** Hears the hooks that stand before the first turn. */
  async hearStart(source: 'startup' | 'resume'): Promise<void> {
    const { additionalContext, stop } = await this.hooks.run({ event: 'SessionStart', source }, this.#context, this.#starting.signal);
    this.addNotes(additionalContext);
    this.#halt = stop?.reason;
  }

  /** Whoever ends the session does not wait for the hooks that stand before its first turn. */
  endStart(): void {
    this.#starting.abort();
  }

  /** Ends a turn at once that a hook at the start of the session does not want. */
  haltFor(control: TurnControl): void {
    if (this.#halt !== undefined) control.halt(this.#halt);
    this.#halt = undefined;
  }

  async hearEnd(): Promise<void> {
    if (!this.hooks.listens('SessionEnd')) return;
    // Of the words that hooks know for it, the one for an end that no person at a prompt has brought about.
    await this.hooks.run({ event: 'SessionEnd', reason: 'other' }, this.#context, AbortSignal.timeout(END_MS));
  }

  addNotes(notes: readonly string[]): void {
    this.#notes = [...this.#notes, ...notes].slice(-MOST_NOTES);
  }

  /** What hooks want the model to know, once. */
  takeNotes(): readonly string[] {
    const notes = this.#notes;
    this.#notes = [];
    return notes;
  }

  get #context(): PermissionContext {
    return { ...this.#session.facts, state: this.#session.state };
  }
}
