// Calls of one batch that touch the same things run in call order; the others need not wait for them.
import { conflict, writesAny, type Touched } from './footprint.ts';

interface Place {
  /** Where its paths lead, once somebody had to know. */
  touched: Touched;
  located: Promise<void> | undefined;
  readonly locate: () => Promise<Touched>;
  readonly ended: Promise<void>;
}

export class ConflictOrder {
  readonly #places = new Set<Place>();

  /**
   * Resolves when no earlier call that is in conflict with this one runs any more. Calls enter in call order.
   * @param touched what the call touches, by the paths that it names
   * @param locate the same by where those lead; never rejects
   * @returns ends the call's part: who waits for it may go on
   */
  async enter(touched: Touched, locate: () => Promise<Touched>): Promise<() => void> {
    const earlier = [...this.#places];
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const place: Place = { touched, located: undefined, locate, ended };
    this.#places.add(place);
    // Readers among readers need not even look where their paths lead.
    if (earlier.length > 0 && [place, ...earlier].some((one) => writesAny(one.touched))) await this.#wait(place, earlier);
    return () => {
      this.#places.delete(place);
      resolve();
    };
  }

  async #wait(place: Place, earlier: readonly Place[]): Promise<void> {
    await Promise.all([place, ...earlier].map((one) => (one.located ??= locatePlace(one))));
    // The latest first: when it has ended, so have most of those that it waited for.
    for (const other of earlier.toReversed()) if (this.#places.has(other) && conflict(other.touched, place.touched)) await other.ended;
  }
}

async function locatePlace(place: Place): Promise<void> {
  place.touched = await place.locate();
}
