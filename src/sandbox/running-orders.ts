// Inside the helper: all that runs, who attends to it, and what becomes of it when the service that wanted it is gone. Each
// command that may be taken up again then goes on for a while; all else is killed at once.
import type { Socket } from 'node:net';
import { openRecord, type CommandExit, type CommandRecord, type RecordHead } from './command-record.ts';
import type { ChangeOrder, ExecOrder, RunOrder } from './messages.ts';
import { killAllGroups, ORPHANED } from './process-group.ts';

export interface RunningOrder {
  readonly order: RunOrder | ExecOrder;
  readonly changes: Readonly<Record<ChangeOrder['type'], AbortController>>;
  /** Connections of processes of the service that have taken it up. */
  readonly attached: Set<Socket>;
  /** To be called with the leader of its process group. */
  readonly started: (leader: number) => void;
  /** To be called with its end: whoever is attached then finds that beside its output, and its connection closed. */
  readonly ended: (exit: CommandExit | undefined) => void;
}

export interface RunningOrders {
  /** @throws Error of the system when it cannot be kept who runs the command */
  begin(order: RunOrder | ExecOrder): RunningOrder;
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
  const running = new Map<number, RunningOrder & { readonly record: CommandRecord | undefined }>();
  const leaders = new Map<number, number>();
  const limits = new Map<number, NodeJS.Timeout>();
  let deserted = false;

  function limit({ order, changes, attached }: RunningOrder): void {
    clearTimeout(limits.get(order.id));
    if (deserted && attached.size === 0)
      limits.set(
        order.id,
        setTimeout(() => changes.stop.abort(ORPHANED), orphanMs),
      );
  }

  function leaveWhenDone(): void {
    if (deserted && [...running.values()].every(({ record }) => record === undefined)) onLeft();
  }

  function end({ order, attached }: RunningOrder): void {
    clearTimeout(limits.get(order.id));
    for (const map of [running, leaders, limits]) map.delete(order.id);
    for (const socket of attached) socket.end();
    leaveWhenDone();
  }

  return {
    begin(order) {
      const lasting = order.type === 'run' && order.adoptable !== undefined;
      const record = lasting ? openRecord(order.outputFile, head) : undefined;
      const begun = {
        order,
        record,
        changes: { stop: new AbortController(), untime: new AbortController() },
        attached: new Set<Socket>(),
        started: (leader: number) => {
          leaders.set(order.id, leader);
          record?.started(leader);
        },
        ended: (exit: CommandExit | undefined) => {
          if (exit !== undefined) record?.ended(exit);
          end(begun);
        },
      };
      running.set(order.id, begun);
      return begun;
    },
    change: (id, type) => running.get(id)?.changes[type].abort(),
    attach(outputFile, socket) {
      const found = [...running.values()].find(({ order }) => order.type === 'run' && order.outputFile === outputFile);
      if (found?.record === undefined) return undefined;
      found.attached.add(socket);
      limit(found);
      socket.once('close', () => {
        found.attached.delete(socket);
        if (running.has(found.order.id)) limit(found);
      });
      return found;
    },
    orphans: () =>
      [...running.values()].flatMap(({ order, attached }) =>
        deserted && attached.size === 0 && order.type === 'run' && order.adoptable !== undefined ? [order.adoptable] : [],
      ),
    desert() {
      deserted = true;
      const lasting = [...running.values()].filter(({ record }) => record !== undefined);
      for (const { record, changes } of running.values()) if (record === undefined) changes.stop.abort();
      killAllGroups(new Set(lasting.flatMap(({ order }) => leaders.get(order.id) ?? [])));
      for (const left of lasting) limit(left);
      leaveWhenDone();
    },
    stopAll() {
      for (const { changes } of running.values()) changes.stop.abort(ORPHANED);
    },
  };
}
