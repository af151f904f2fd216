// The child's side of a benchmark server: tells the parent where it listens and what it uses, answers what it is asked,
// and ends with the parent.

/** What a server process has used so far. */
export interface ProcessUse {
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** Memory of buffers outside the heap. */
  readonly externalBytes: number;
  /** Processor time, user and system, in microseconds. */
  readonly cpuUs: number;
}

/** What the parent gets for a question. `answer` is absent where there is nothing to say. */
export type Reply = { readonly answer?: unknown } | { readonly error: string };

export interface ChildServer {
  /** Ports by name. */
  readonly ports: Readonly<Record<string, number>>;
  /** What may be asked by name, beside `use`, and `cpuUs`, which collects no garbage. */
  readonly asked?: Readonly<Record<string, (value: unknown) => unknown>>;
  close(): Promise<void>;
}

/** Collects garbage before it looks, where the process was started with `--expose-gc`. */
function processUse(): ProcessUse {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rssBytes: rss, heapBytes: heapUsed, externalBytes: external, cpuUs: cpuUs() };
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

export function serveParent(server: ChildServer): void {
  const answers: ChildServer['asked'] = { ...server.asked, use: processUse, cpuUs };
  process.on('SIGINT', () => {
    // A Ctrl-C reaches the whole group; the parent decides, and closes the channel when it ends.
  });
  process.on('message', ({ name, value }: { name: string; value?: unknown }) => {
    void replyTo(answers[name], value).then((reply) => process.send?.(reply));
  });
  process.once('disconnect', () => {
    void server.close().finally(() => process.exit());
  });
  process.send?.({ ports: server.ports });
}

async function replyTo(answer: ((value: unknown) => unknown) | undefined, value: unknown): Promise<Reply> {
  try {
    if (answer === undefined) throw new Error('A benchmark server does not know what it was asked.');
    return { answer: await answer(value) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
