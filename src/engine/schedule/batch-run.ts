import { ConflictOrder } from './conflict-order.ts';

/** A batch that is being filled and run. */
export class BatchRun<Entry> {
  readonly index: number;
  readonly concurrent: boolean;
  /** In call order. */
  readonly entries: Entry[] = [];
  readonly conflicts = new ConflictOrder();
  /** True while more calls may join. */
  open: boolean;
  unfinished = 0;

  constructor(index: number, concurrent: boolean) {
    this.index = index;
    this.concurrent = this.open = concurrent;
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.unfinished += 1;
  }

  get over(): boolean {
    return !this.open && this.unfinished === 0;
  }
}
