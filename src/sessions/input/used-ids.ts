/** More are asked of the store. */
const MOST_KNOWN = 20_000;

/** The tool_use ids of a session's calls that have ended, as far as this process has seen all of them. */
export class UsedIds {
  #known: Set<string> | undefined;

  /** @param isNew the session has run nothing yet */
  constructor(isNew: boolean) {
    this.#known = isNew ? new Set() : undefined;
  }

  add(ids: Iterable<string>): void {
    for (const id of ids) this.#known?.add(id);
    if (this.#known !== undefined && this.#known.size > MOST_KNOWN) this.#known = undefined;
  }

  /** What became of some is not known: from now on the store is asked. */
  forget(): void {
    this.#known = undefined;
  }

  /** Which of these were used; `undefined` where only the store can tell. */
  among(ids: readonly string[]): string[] | undefined {
    const known = this.#known;
    return known && ids.filter((id) => known.has(id));
  }
}
