// How many bytes a workspace may hold. What it holds is counted by a walk and remembered; uploads and removals through
// this service adjust it, and commands change it unseen, so that it is counted again after a while: the longer the count
// took, the later, which keeps counting below a twentieth of the time. What is on its way is reserved, so that uploads
// at once do not pass the limit together.
import { Problem } from '../../contract/index.ts';

/** Milliseconds that a count holds at least. */
const MIN_VALID_MS = 100;
const VALID_FOR_COST = 20;

export interface QuotaOptions {
  /** Bytes. */
  readonly limit: number;
  /** Counts the bytes that are there. `null` when only each upload by itself is bounded. */
  readonly count: (() => Promise<number>) | null;
}

export interface UploadSize {
  /** Bytes that it says it has. */
  readonly length?: number | undefined;
  /** The file that it replaces, whose bytes make room for it: for one upload at a time. */
  readonly replaces?: { readonly path: string; readonly size: number };
}

/** Room for one upload; given back by `using`. */
export interface Reservation extends Disposable {
  /** @throws Problem `quota-exceeded` */
  take(bytes: number): void;
  /** The upload stands now: the workspace has grown by so many bytes. */
  keep(growth: number): void;
}

export interface Quota {
  /** @throws Problem `quota-exceeded` when what the upload says of itself does not fit */
  reserve(size: UploadSize): Promise<Reservation>;
  /** Something was removed. */
  free(bytes: number): void;
}

export function createQuota({ limit, count }: QuotaOptions): Quota {
  const known = rememberCount(count);
  const making = new Set<string>();
  let reserved = 0;

  return {
    free: (bytes) => known.add(-bytes),
    async reserve({ length = 0, replaces }) {
      if (length > limit) throw exceeded(limit, 0);
      await known.refresh();
      const credit = replaces === undefined || making.has(replaces.path) ? 0 : replaces.size;
      if (credit > 0 && replaces !== undefined) making.add(replaces.path);
      let taken = 0;
      let covered = 0;
      const hold = (bytes: number): void => {
        const others = count === null ? 0 : known.bytes() + reserved - taken;
        if (taken + bytes + others - credit > limit) throw exceeded(limit, others);
        taken += bytes;
        reserved += bytes;
      };
      const release = (): void => {
        reserved -= taken;
        taken = 0;
        if (credit > 0 && replaces !== undefined) making.delete(replaces.path);
      };
      try {
        hold(length);
      } catch (error) {
        release();
        throw error;
      }
      return {
        take(bytes) {
          covered += bytes;
          if (covered > taken) hold(covered - taken);
        },
        keep: (growth) => known.add(growth),
        [Symbol.dispose]: release,
      };
    },
  };
}

function rememberCount(count: QuotaOptions['count']) {
  let counted = 0;
  let validUntil = -Infinity;
  let addedMeanwhile = 0;
  let counting: Promise<void> | undefined;
  return {
    bytes: () => counted,
    add(bytes: number) {
      counted = Math.max(0, counted + bytes);
      // A count that is under way may have passed it by.
      addedMeanwhile += Math.max(0, bytes);
    },
    async refresh(): Promise<void> {
      if (count === null || performance.now() < validUntil) return;
      counting ??= (async () => {
        const began = performance.now();
        addedMeanwhile = 0;
        counted = (await count()) + addedMeanwhile;
        const ended = performance.now();
        validUntil = ended + Math.max(MIN_VALID_MS, VALID_FOR_COST * (ended - began));
      })().finally(() => (counting = undefined));
      await counting;
    },
  };
}

function exceeded(limit: number, held: number): Problem {
  const now = held > 0 ? `, and holds ${held} already: remove files first, or send less` : ': send less';
  return new Problem('quota-exceeded', `The workspace may hold ${limit} bytes${now}. Nothing was written.`);
}
