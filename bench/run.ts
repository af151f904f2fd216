// One contest after another, each in all its rounds, since what another keeps running would be measured with it.
import { LeftOutError, type Contest, type Pair, type World } from './contest.ts';
import { summarise, type LeftOut, type LineResult } from './result.ts';

/** Holds every contest. One that fails costs its own lines only. @param tell gets a line of progress */
export async function runContests(
  contests: readonly Contest[],
  { world, rounds, tell }: { world: World; rounds: number; tell: (line: string) => void },
): Promise<{ results: LineResult[]; leftOut: LeftOut[] }> {
  const results: LineResult[] = [];
  const leftOut: LeftOut[] = [];
  for (const [index, contest] of contests.entries()) {
    const names = contest.lines.map(({ name }) => name);
    const startMs = performance.now();
    let ended: string;
    try {
      const wanted = Math.min(rounds, contest.mostRounds ?? rounds);
      results.push(...(await hold(contest, world, wanted)));
      ended = `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
    } catch (error) {
      const failed = !(error instanceof LeftOutError);
      const reason = error instanceof Error ? error.message : String(error);
      leftOut.push({ names, reason, failed });
      ended = `${failed ? 'failed' : 'left out'}: ${reason}`;
    }
    tell(`${index + 1} of ${contests.length}  ${names[0] ?? ''}: ${ended}`);
  }
  return { results, leftOut };
}

async function hold(contest: Contest, world: World, rounds: number): Promise<LineResult[]> {
  const open = await contest.open(world);
  try {
    for (let n = 0; n < contest.warmUps; n += 1) await open.measure(n % 2 === 0);
    const measured: (readonly Pair[])[] = [];
    for (let n = 0; n < rounds; n += 1) measured.push(await open.measure(n % 2 === 0));
    return contest.lines.map((line, index) =>
      summarise(
        line,
        contest,
        measured.flatMap((round) => round[index] ?? []),
      ),
    );
  } finally {
    await open.close();
  }
}
