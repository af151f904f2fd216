// What stands between a session's calls and the world: rules and modes, hooks, people, and where commands run.
import type { CommandRunner, Hooks, PermissionContext, Policy, SessionFacts, SessionState } from '../contract/index.ts';
import type { Guards } from '../engine/call-case.ts';
import type { SessionApprovals } from './approvals.ts';
import type { SessionParts, SessionPlace, ToolPool } from './session-parts.ts';
import type { SessionSettings } from './session-options.ts';

/** Milliseconds that the hooks at the end of a session may take: whoever deletes it waits for them. */
const END_MS = 5_000;

/** What it knows of its session. */
export interface Guarded {
  readonly id: string;
  readonly owner: string;
  readonly parts: SessionParts;
  readonly place: SessionPlace;
  readonly settings: SessionSettings;
  readonly pool: ToolPool;
  readonly facts: SessionFacts;
  readonly state: SessionState;
  readonly approvals: SessionApprovals;
}

export class SessionGuard {
  readonly #session: Guarded;
  readonly hooks: Hooks;
  /** Where the session's commands run. */
  commands: CommandRunner;
  #policy: Policy;
  /** What hooks want the model to know at the next result. */
  #notes: readonly string[] = [];

  constructor(session: Guarded) {
    const { parts, settings, place } = session;
    this.#session = session;
    this.#policy = parts.policyFor(settings, place);
    this.hooks = parts.hooksFor(settings, session);
    this.commands = parts.commandsFor(settings, session);
  }

  /** The session's settings have changed: rules hold for running turns too. */
  renew(): void {
    const { parts, settings, place } = this.#session;
    this.#policy = parts.policyFor(settings, place);
    this.commands = parts.commandsFor(settings, this.#session);
  }

  /** As the engine asks. */
  get guards(): Guards {
    return {
      catalog: this.#session.pool.catalog,
      policy: { decide: (call, context) => this.#policy.decide(call, context) },
      hooks: this.hooks,
      approvals: this.#session.approvals,
    };
  }

  /** Hears the hooks that stand before the first turn. */
  async hearStart(source: 'startup' | 'resume'): Promise<void> {
    const { additionalContext } = await this.hooks.run({ event: 'SessionStart', source }, this.#context, new AbortController().signal);
    this.#notes = additionalContext;
  }

  async hearEnd(reason: string): Promise<void> {
    if (!this.hooks.listens('SessionEnd')) return;
    await this.hooks.run({ event: 'SessionEnd', reason }, this.#context, AbortSignal.timeout(END_MS));
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
