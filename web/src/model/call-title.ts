import type { Call } from './session-model.ts';

/** What the call is about, without its tool's name before it. */
export function titleOf({ name, view, resultView, input }: Pick<Call, 'name' | 'view' | 'resultView' | 'input'>): string {
  const title = view?.title ?? resultView?.title;
  if (title !== undefined && title !== name) return title.startsWith(`${name} `) ? title.slice(name.length + 1) : title;
  return view?.subtitle ?? firstText(input) ?? resultView?.subtitle ?? '';
}

/** Where a tool has drawn nothing, the first text of the input says most. */
function firstText(input: unknown): string | undefined {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  return values.find((value) => typeof value === 'string')?.slice(0, 120);
}
