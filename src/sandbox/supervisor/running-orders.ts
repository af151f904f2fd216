// Inside the helper: all that runs, who attends to it, and what becomes of it when the service that wanted it is gone. Each
// command that may be taken up again then goes on for a while; all else is killed at once.
import type { Socket } from 'node:net';
import { openRecord, type CommandExit, type CommandRecord, type RecordHead } from '../processes/command-record.ts';
import type { ChangeOrder, ExecOrder, RunOrder } from '../messages.ts';
import { killAllGroups, ORPHANED } from './process-group.ts';

export interface RunningOrder {
  readonly order: RunOrder | ExecOrder;
  readonly changes: Readonly<Record<ChangeOrder['type'], AbortController>>;
  /** Set where it may be taken up. */
  readonly record: CommandRecord | undefined;
  /** Connections of processes of the service that have taken it up. */
  readonly attached: Set<Socket>;
  /** Of its process group, once it has started. */
  leader: number | undefined;
  /** Runs while nobody attends to it. */
  limit: NodeJS.Timeout | undefined;
}

export interface RunningOrders {
  /** @throws Error of the system when it cannot be kept who runs the command */
  begin(order: RunOrder | ExecOrder): RunningOrder;
  /** Its group runs. */
  started(running: RunningOrder, leader: number): void;
  /** Whoever is attached then finds how it ended beside its output, and the connection closed. */
  ended(running: RunningOrder, exit: CommandExit | undefined): void;
  change(id: number, type: ChangeOrder['type']): void;
  /** The command is attended to until the connection closes. @returns `undefined` when nothing of the kind runs */
  attach(outputFile: string, socket: Socket): RunningOrder | undefined;
  /** Ids of sessions that have commands here to which nobody attends. */
  orphans(): string[];
  /** The service is gone without a word. */
  desert(): void;
  /** The service stands still: nothing goes on. */
  stopAll(): void;
}

export interface OrdersOptions {
  readonly head: RecordHead;
  readonly orphanMs: number;
  /** Called when nothing is left to do after {@link RunningOrders.desert}. */
  readonly onLeft: () => void;
}

export function createRunningOrders({ head, orphanMs, onLeft }: OrdersOptions): RunningOrders {
  const all = new Map<number, RunningOrder>();
  const lasting = (): RunningOrder[] => [...all.values()].filter(({ record }) => record !== undefined);
  const isOrphan = ({ attached }: RunningOrder): boolean => deserted && attached.size === 0;
  let deserted = false;

  function limit(running: RunningOrder): void {
    clearTimeout(running.limit);
    if (isOrphan(running) && all.has(running.order.id)) running.limit = setTimeout(orphan, orphanMs, running);
  }

  function leaveWhenDone(): void {
    if (deserted && lasting().length === 0) onLeft();
  }

  return {
    begin(order) {
      const running = newOrder(order, head);
      all.set(order.id, running);
      return running;
    },
    started(running, leader) {
      running.leader = leader;
      running.record?.started(leader);
    },
    ended(running, exit) {
      if (exit !== undefined) running.record?.ended(exit);
      all.delete(running.order.id);
      clearTimeout(running.limit);
      for (const socket of running.attached) socket.end();
      leaveWhenDone();
    },
    change: (id, type) => all.get(id)?.changes[type].abort(),
    attach(outputFile, socket) {
      const found = lasting().find(({ order }) => order.type === 'run' && order.outputFile === outputFile);
      if (found === undefined) return undefined;
      found.attached.add(socket);
      limit(found);
      socket.once('close', () => {
        found.attached.delete(socket);
        limit(found);
      });
      return found;
    },
    orphans: () => lasting().flatMap((running) => (isOrphan(running) ? ownerOf(running) : [])),
    desert() {
      deserted = true;
      for (const { record, changes } of all.values()) if (record === undefined) changes.stop.abort();
      killAllGroups(new Set(lasting().flatMap(({ leader }) => leader ?? [])));
      for (const running of lasting()) limit(running);
      leaveWhenDone();
    },
    stopAll() {
      for (const running of all.values()) orphan(running);
    },
  };
}

function newOrder(order: RunOrder | ExecOrder, head: RecordHead): RunningOrder {
  const record = order.type === 'run' && order.adoptable !== undefined ? openRecord(order.outputFile, head) : undefined;
  const changes = { stop: new AbortController(), untime: new AbortController() };
  return { order, record, changes, attached: new Set(), leader: undefined, limit: undefined };
}

function orphan({ changes }: RunningOrder): void {
  changes.stop.abort(ORPHANED);
}

function ownerOf({ order }: RunningOrder): string[] {
  return order.type === 'run' && order.adoptable !== undefined ? [order.adoptable] : [];
}
