// Which calls of one connection run, and which of them a server means when it asks something meanwhile.
import { AsyncLocalStorage } from 'node:async_hooks';

/** A question that a server puts to people while it works on a call. */
export interface Question {
  readonly reason: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface RunningCall {
  /** Resolves with what people answered; with `null` when they said no, or nobody can be asked. */
  ask(question: Question): Promise<Readonly<Record<string, unknown>> | 'allowed' | null>;
}

/** Questions of one call that are open at once, and that it has in all. */
const MAX_OPEN = 3;
const MAX_ASKED = 50;

/** Further questions are answered with no: a server need not wait for an answer before it asks again. */
export function callThatAsks(ask: RunningCall['ask']): RunningCall {
  let open = 0;
  let asked = 0;
  return {
    async ask(question) {
      if (open === MAX_OPEN || asked === MAX_ASKED) return null;
      open += 1;
      asked += 1;
      try {
        return await ask(question);
      } finally {
        open -= 1;
      }
    },
  };
}

export interface RunningCalls {
  /** What is done in `work`, and what comes in answer to it, belongs to this call. */
  during<Result>(call: RunningCall, work: () => Promise<Result>): Promise<Result>;
  /** The call whose answer is being handled, or else the only one that runs. */
  asking(): RunningCall | undefined;
}

const current = new AsyncLocalStorage<RunningCall | undefined>();

/** Does something that belongs to no call, such as making a connection that others will use too. */
export function outsideOfCalls<Result>(work: () => Result): Result {
  return current.run(undefined, work);
}

export function createRunningCalls(): RunningCalls {
  const running = new Set<RunningCall>();
  return {
    async during(call, work) {
      running.add(call);
      try {
        return await current.run(call, work);
      } finally {
        running.delete(call);
      }
    },
    asking() {
      const call = current.getStore();
      if (call !== undefined && running.has(call)) return call;
      const [only] = running;
      return running.size === 1 ? only : undefined;
    },
  };
}
