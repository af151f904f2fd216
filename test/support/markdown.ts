// The examples of a page: fenced blocks with their language, what stands behind it, and where they are.
export interface Example {
  readonly language: string;
  /** What stands behind the language, such as `config`. */
  readonly kind: string;
  readonly code: string;
  readonly line: number;
}

export function examplesOf(markdown: string): Example[] {
  const examples: Example[] = [];
  const lines = markdown.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const [, language = '', kind = ''] = /^```(\S*)\s*(.*)$/.exec(lines[at] ?? '') ?? [];
    if (!lines[at]?.startsWith('```')) continue;
    const end = lines.indexOf('```', at + 1);
    if (end === -1) throw new Error(`The block of line ${at + 1} does not end.`);
    examples.push({ language, kind, code: lines.slice(at + 1, end).join('\n'), line: at + 1 });
    at = end;
  }
  return examples;
}

/** What an example says that it prints: the text behind each `# →` or `// →`, in order. */
export function promisedOutput(code: string): string[] {
  return [...code.matchAll(/^(?:#|\/\/) → (.*)$/gm)].map(([, text = '']) => text);
}
