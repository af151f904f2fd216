// What observers see of a call: a private copy with derived fields, and a view. A fault here never costs the call.
import type { PermissionContext, Tool, View } from '../../contract/index.ts';

export function observableInput(tool: Tool, input: unknown, context: PermissionContext): unknown {
  if (tool.backfillObservableInput === undefined || typeof input !== 'object' || input === null) return input;
  try {
    return tool.backfillObservableInput(structuredClone(input) as Record<string, unknown>, context);
  } catch {
    // The derived fields are an extra: observers then see the plain input.
    return input;
  }
}

export function useView(tool: Tool, input: unknown): View {
  try {
    return plainView(tool.renderUse(input), tool.name);
  } catch {
    // A frontend can always draw the name.
    return { title: tool.name };
  }
}

/** A view as it can travel: one that is no JSON is replaced by its title. */
export function plainView(view: View, name: string): View {
  const { title, subtitle, body } = view;
  if (typeof title === 'string' && (subtitle === undefined || typeof subtitle === 'string') && body === undefined) return view;
  try {
    JSON.stringify(view);
    return view;
  } catch {
    return { title: name, subtitle: 'its view could not be drawn' };
  }
}

/** How a piece of progress is drawn; `undefined` for output, which is drawn as it is, and for what cannot be drawn. */
export function progressView(tool: Tool, data: unknown): View | undefined {
  if (typeof data !== 'object' || data === null || ('kind' in data && data.kind === 'output')) return undefined;
  return tried(() => tool.renderProgress(data), tool.name);
}

/** Several calls of one tool in one picture. */
export function groupView(tool: Tool, inputs: readonly unknown[]): View | undefined {
  return tried(() => tool.renderGroup(inputs), tool.name);
}

function tried(render: () => View, name: string): View | undefined {
  try {
    return plainView(render(), name);
  } catch {
    // A picture is an extra.
    return undefined;
  }
}
