import type { Problem } from './generated.ts';

/** A request, or a frame, that the service did not take. `detail` says what to change. */
export class ToolexecProblem extends Error {
  override readonly name = 'ToolexecProblem';
  /** `/problems/<slug>`. */
  readonly type: string;
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  readonly detail: string;
  /** What is wrong with which value. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];

  constructor({ type, title, status, detail, errors = [] }: Problem) {
    super(detail === '' ? title : detail);
    this.type = type;
    this.title = title;
    this.status = status;
    this.detail = detail;
    this.errors = errors;
  }

  /** The last part of `type`, such as `session-not-found`. */
  get slug(): string {
    return this.type.slice(this.type.lastIndexOf('/') + 1);
  }
}

/** What a reply that is no success says, whoever wrote it: the service, or a proxy before it. */
export async function problemOf(response: Response): Promise<ToolexecProblem> {
  const text = await response.text().catch(() => '');
  const title = response.statusText || `HTTP ${response.status}`;
  const body: unknown = parsed(text);
  if (isProblem(body)) return new ToolexecProblem(body);
  return new ToolexecProblem({ type: 'about:blank', title, status: response.status, detail: text.slice(0, 500) });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'type' in body && 'status' in body && 'detail' in body;
}
