// Shapes of turns as coding agents have them, with what each call touches: what a scheduler by dependencies is worth depends on them.

/** A call that is all there when the turn begins. It touches nothing where it names no files. */
export interface ShapedCall {
  readonly durationMs: number;
  readonly reads?: string;
  readonly writes?: string;
}

export interface TurnShape {
  readonly name: string;
  readonly calls: readonly ShapedCall[];
  /** How many times as fast as the partition it is to be. */
  readonly gain: number;
}

const read = (file: string, durationMs = 40): ShapedCall => ({ reads: file, durationMs });
const edit = (file: string, durationMs = 60): ShapedCall => ({ writes: file, durationMs });
const search = (durationMs = 120): ShapedCall => ({ reads: '/', durationMs });

export const TURN_SHAPES: readonly TurnShape[] = [
  { name: 'reads in a row', gain: 1, calls: [...['/a', '/b', '/c', '/d', '/e', '/f'].map((file) => read(file)), search()] },
  { name: 'edits of five files', gain: 1.5, calls: ['/a', '/b', '/c', '/d', '/e'].map((file) => edit(file)) },
  {
    name: 'edits of three files, two each, then a search',
    gain: 1.5,
    calls: [edit('/a'), edit('/a'), edit('/b'), edit('/b'), edit('/c'), edit('/c'), search()],
  },
  {
    name: 'mixed: reads, edits, reads of others, one command',
    gain: 1.2,
    calls: [
      read('/a'),
      read('/b'),
      edit('/a'),
      read('/c'),
      edit('/b'),
      read('/d'),
      edit('/c'),
      { writes: '/', durationMs: 100 },
      read('/a'),
    ],
  },
];

/**
 * When the last call ends where each starts as soon as the earlier ones that it is in conflict with have ended. With `partition`
 * a call that writes runs alone. Nothing is capped: no shape has more calls than may run at once.
 */
export function idealFinish(calls: readonly ShapedCall[], schedule: 'partition' | 'dependencies'): number {
  const ends: number[] = [];
  calls.forEach((call, index) => {
    const inTheWay = calls.slice(0, index).flatMap((earlier, at) => (waits(call, earlier, schedule) ? [ends[at] ?? 0] : []));
    ends.push(Math.max(0, ...inTheWay) + call.durationMs);
  });
  return Math.max(0, ...ends);
}

function waits(call: ShapedCall, earlier: ShapedCall, schedule: 'partition' | 'dependencies'): boolean {
  if (call.writes === undefined && earlier.writes === undefined) return false;
  if (schedule === 'partition') return true;
  const meets = (one?: string, other?: string): boolean =>
    one !== undefined && other !== undefined && (one === other || one === '/' || other === '/');
  return meets(call.writes, earlier.writes) || meets(call.writes, earlier.reads) || meets(call.reads, earlier.writes);
}
