// The child's side of a benchmark server: tells the parent where it listens and what it uses, and ends with the parent.

/** What a server process has used so far. */
export interface ProcessUse {
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** Memory of buffers outside the heap. */
  readonly externalBytes: number;
  /** Processor time, user and system, in microseconds. */
  readonly cpuUs: number;
}

export interface ChildServer {
  /** Ports by name. */
  readonly ports: Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** Collects garbage before it looks, where the process was started with `--expose-gc`. */
function processUse(): ProcessUse {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { rssBytes: rss, heapBytes: heapUsed, externalBytes: external, cpuUs: user + system };
}

export function serveParent(server: ChildServer): void {
  process.on('SIGINT', () => {
    // A Ctrl-C reaches the whole group; the parent decides, and closes the channel when it ends.
  });
  process.on('message', () => process.send?.({ use: processUse() }));
  process.once('disconnect', () => {
    void server.close().finally(() => process.exit());
  });
  process.send?.({ ports: server.ports });
}
