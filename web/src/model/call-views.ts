// What is drawn of a call: its own picture, how far it is, and its result, each only where it says something the next does not.
import type { Call } from './session-model.ts';
import type { View } from './wire.ts';

export interface HeadedView {
  readonly heading: 'Call' | 'So far' | 'Result';
  readonly view: View;
}

export function viewsOf({ view, progressView, resultView, outcome }: Call): HeadedView[] {
  const result = resultView && withoutWrapper(resultView);
  const isRepeated = view !== undefined && result !== undefined && repeats(view, result, outcome === 'ok');
  return [
    ...(view === undefined || isRepeated ? [] : [{ heading: 'Call', view } as const]),
    ...(progressView === undefined ? [] : [{ heading: 'So far', view: progressView } as const]),
    ...(result === undefined ? [] : [{ heading: 'Result', view: result } as const]),
  ];
}

/** Whether the result tells all that the picture of the call does. */
function repeats({ title, subtitle, body }: View, result: View, isDone: boolean): boolean {
  if (title !== result.title) return false;
  if (body === undefined) return subtitle === undefined || result.subtitle?.includes(subtitle) === true;
  // What was changed, with the lines around it, is what was to be changed.
  if (isDone && body.kind === 'diff' && result.body?.kind === 'diff') return body.path === result.body.path;
  return JSON.stringify(body) === JSON.stringify(result.body);
}

/** The tag by which a model knows an error says nothing to people. */
function withoutWrapper(view: View): View {
  if (view.body?.kind !== 'text') return view;
  const text = /^<tool_use_error>(.*)<\/tool_use_error>$/s.exec(view.body.text)?.[1];
  return text === undefined ? view : { ...view, body: { ...view.body, text } };
}
