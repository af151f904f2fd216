import type { SessionRow } from '../../contract/index.ts';
import { Session } from '../session.ts';
import type { SessionStart } from '../session-start.ts';
import type { SessionParts } from '../session-parts.ts';

/**
 * A session that lives for one message, whose client holds the only way to it. It is kept as over from the start: whoever
 * removes what is over removes it, should the service die before the message is answered.
 */
export class OneShotSession extends Session {
  readonly #repeatable: boolean;

  /** @param repeatable the message may be sent again after a restart, and is to find its turn then: it is kept like any session */
  constructor(start: SessionStart, parts: SessionParts, { repeatable }: { repeatable: boolean }) {
    super(start, parts);
    this.#repeatable = repeatable;
  }

  override row(): SessionRow {
    const row = super.row();
    return this.#repeatable ? row : { ...row, expiresAt: this.createdAt };
  }

  /** Nobody could ask for the turn of one that cannot be found again: it is not left to anybody. */
  override suspend(reason: string): Promise<void> {
    return this.#repeatable ? super.suspend(reason) : this.close(reason);
  }
}

/** True for a session that was made for one message and that nobody can come back to. */
export function isLeftOver({ createdAt, expiresAt }: SessionRow): boolean {
  return expiresAt <= createdAt;
}
