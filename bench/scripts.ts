// The scripts of calls that tell an ordered, concurrent, streaming server from one that lacks any of the three.
import type { ScriptedCall } from './ideal-schedule.ts';

export interface Script {
  readonly name: string;
  /** `message`: all calls in one frame. `socket`: each call is sent when its time has come. */
  readonly over: 'message' | 'socket';
  readonly calls: readonly ScriptedCall[];
}

const safe = (durationMs: number, arrivalMs = 0): ScriptedCall => ({ arrivalMs, durationMs, safe: true });
const unsafe = (durationMs: number, arrivalMs = 0): ScriptedCall => ({ arrivalMs, durationMs, safe: false });
const times = <Item>(count: number, item: (n: number) => Item): Item[] => Array.from({ length: count }, (_, n) => item(n + 1));

export const SCRIPTS: readonly Script[] = [
  { name: '50 reads of 100 ms', over: 'message', calls: times(50, () => safe(100)) },
  { name: '20 reads of 500 ms', over: 'message', calls: times(20, () => safe(500)) },
  {
    name: '5 reads, 1 write, 5 reads of 100 ms',
    over: 'message',
    calls: [...times(5, () => safe(100)), unsafe(100), ...times(5, () => safe(100))],
  },
  { name: 'streamed: 5 reads of 1 s, one each 0.4 s', over: 'socket', calls: times(5, (n) => safe(1_000, n * 400)) },
  {
    name: 'streamed: 12 of 200 ms each 50 ms, 5th and 10th write',
    over: 'socket',
    calls: times(12, (n) => (n % 5 === 0 ? unsafe(200, n * 50) : safe(200, n * 50))),
  },
  {
    name: 'streamed: 5 reads each 0.4 s, long ones first',
    over: 'socket',
    calls: [1_600, 1_600, 1_200, 800, 400].map((durationMs, index) => safe(durationMs, (index + 1) * 400)),
  },
];
