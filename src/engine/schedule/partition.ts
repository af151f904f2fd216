// One greedy pass in call order: a call joins the last batch iff it and that batch are concurrency-safe.

/** A run of calls that may be in flight together, or one call that runs alone. */
export interface Batch<Call> {
  readonly concurrent: boolean;
  readonly calls: Call[];
}

/** Whether a call goes into the batch that is last so far. */
export function joinsBatch(last: { readonly concurrent: boolean } | undefined, concurrencySafe: boolean): boolean {
  return last !== undefined && last.concurrent && concurrencySafe;
}

/** Partitions calls that are all known; a stream of calls is partitioned by the same rule as it arrives. */
export function partition<Call>(calls: readonly Call[], isConcurrencySafe: (call: Call) => boolean): Batch<Call>[] {
  const batches: Batch<Call>[] = [];
  for (const call of calls) {
    const concurrent = isConcurrencySafe(call);
    const last = batches.at(-1);
    if (last !== undefined && joinsBatch(last, concurrent)) last.calls.push(call);
    else batches.push({ concurrent, calls: [call] });
  }
  return batches;
}
