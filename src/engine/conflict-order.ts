// Calls of one batch that touch the same things run in call order; the others need not wait for them.
import { conflict, type Touched } from './footprint.ts';

interface Place {
  touched: Touched;
  readonly ended: Promise<void>;
}

export class ConflictOrder {
  readonly #places = new Set<Place>();
  #located: Promise<unknown> = Promise.resolve();

  /**
   * Resolves when no earlier call that is in conflict with this one runs any more. Calls enter in call order.
   * @param touched what the call touches; never rejects
   * @returns ends the call's part: who waits for it may go on
   */
  async enter(touched: Promise<Touched>): Promise<() => void> {
    const earlier = [...this.#places];
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const place: Place = { touched: 'everything', ended };
    this.#places.add(place);
    // Then also what all earlier ones touch is known.
    this.#located = Promise.all([this.#located, touched.then((known) => (place.touched = known))]);
    await this.#located;
    // The latest first: when it has ended, so have most of those that it waited for.
    for (const other of earlier.toReversed()) if (this.#places.has(other) && conflict(other.touched, place.touched)) await other.ended;
    return () => {
      this.#places.delete(place);
      resolve();
    };
  }
}
