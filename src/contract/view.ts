// Serialisable pictures of a call, so that a frontend can draw it without knowing the tool.

export type ViewBody =
  | { kind: 'text'; text: string }
  | { kind: 'markdown'; text: string }
  | { kind: 'terminal'; text: string }
  | { kind: 'diff'; path: string; diff: string }
  | { kind: 'table'; columns: string[]; rows: string[][] }
  | { kind: 'list'; items: string[] };

export interface View {
  title: string;
  subtitle?: string;
  body?: ViewBody;
  collapsed?: boolean;
}
