// The promises of the store port. Every store passes them: call this with a way to open a fresh, empty one.
import { describe } from 'node:test';
import { commitPromises } from '../store/promises/commits.ts';
import { idempotencyPromises } from '../store/promises/idempotency.ts';
import { lifePromises } from '../store/promises/life.ts';
import { logPromises } from '../store/promises/log.ts';
import { modelPromises } from '../store/promises/model.ts';
import { sessionPromises } from '../store/promises/sessions.ts';
import { turnPromises } from '../store/promises/turns.ts';
import type { OpenStore } from '../store/open-store.ts';

/** Registers the tests of one store under `name`. */
export function storeSuite(name: string, open: OpenStore): void {
  describe(name, () => {
    commitPromises(open);
    logPromises(open);
    sessionPromises(open);
    turnPromises(open);
    idempotencyPromises(open);
    lifePromises(open);
    modelPromises(open);
  });
}
