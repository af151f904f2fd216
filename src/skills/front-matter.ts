// What a SKILL.md says of its skill: a head in YAML between two lines of dashes, then Markdown.
import { LRUCache } from 'lru-cache';
import { parse } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../contract/index.ts';

export interface SkillText {
  /** Absent: the skill is called as its folder. */
  readonly name: string | undefined;
  readonly description: string;
  readonly argumentHint: string | undefined;
  /** Rules as they are written. Whether each is one is judged by who applies them. */
  readonly allowedTools: readonly string[];
  /** Its author wants people alone to begin it. */
  readonly forPeople: boolean;
  readonly body: string;
}

const MAX_DESCRIPTION_CHARS = 1_024;
/** Reading YAML takes far longer than its length says, and it is read while others wait. */
const MAX_HEAD_CHARS = 4_096;
const MAX_HINT_CHARS = 200;
const MAX_RULES = 100;
const PARTS = /^\uFEFF?---[ \t]*\r?\n([^]*?\r?\n)?---[ \t]*(?:\r?\n|$)/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;
/** The name of a tool, perhaps with what is allowed of it in brackets. */
const RULE = /[^\s,()]+(?:\([^)]*\))?/g;

export const skillName = z.string().regex(NAME, { error: 'give up to 64 letters, digits, dots, colons and hyphens' });

const Head = z.object({
  name: skillName.optional(),
  description: z
    .string({ error: 'say what the skill is for and when to use it' })
    .transform(onOneLine)
    .pipe(z.string().min(1, { error: 'say what the skill is for and when to use it' }).max(MAX_DESCRIPTION_CHARS)),
  'allowed-tools': z
    .union([z.string().transform((text) => text.match(RULE) ?? []), z.array(z.string())], { error: 'give a list of rules, or a text' })
    .pipe(z.array(z.string().max(1_000)).max(MAX_RULES))
    .nullish(),
  // Unquoted brackets, as hints often have them, are a list to YAML.
  'argument-hint': z.union([z.string(), z.array(z.coerce.string()).transform((words) => `[${words.join(', ')}]`)]).nullish(),
  'disable-model-invocation': z.boolean().default(false),
});

/** Characters of a head are counted where many are read. @returns 0 when there is none */
export function headLength(text: string): number {
  return PARTS.exec(text)?.[1]?.length ?? 0;
}

/** @throws Error that says what to change */
export function readSkillText(text: string): SkillText {
  const [all, head = ''] = PARTS.exec(text) ?? [];
  if (all === undefined) throw new Error('it must begin with a line ---, a name and a description in YAML, and another line ---');
  const read = Head.safeParse(parseYaml(head));
  if (!read.success)
    throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.') || 'the head'}: ${message}`).join('; '));
  const { name, description, 'allowed-tools': allowed, 'argument-hint': hint, 'disable-model-invocation': forPeople } = read.data;
  const argumentHint = onOneLine(hint ?? '').slice(0, MAX_HINT_CHARS);
  return {
    name,
    description,
    argumentHint: argumentHint === '' ? undefined : argumentHint,
    allowedTools: allowed ?? [],
    forPeople,
    body: text.slice(all.length).trim(),
  };
}

/** Heads as they were read: each session, and each of its agents, reads those of its workspace. */
const known = new LRUCache<string, { readonly value: unknown } | { readonly fault: string }>({ max: 500 });

function parseYaml(head: string): unknown {
  if (head.length > MAX_HEAD_CHARS)
    throw new Error(`the head has more than ${MAX_HEAD_CHARS} characters: move parts of it below the second ---`);
  const read = known.get(head) ?? readYaml(head);
  known.set(head, read);
  if ('fault' in read) throw new Error(read.fault);
  return read.value;
}

function readYaml(head: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    // Without references to other parts of itself, which could make it far larger than it is.
    return { value: parse(head, { maxAliasCount: 0, logLevel: 'error' }) };
  } catch (error) {
    return { fault: `the head is no YAML: ${messageOf(error).split('\n', 1)[0] ?? ''}` };
  }
}

/** Without what could pass for another line, or is not seen. */
function onOneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim();
}
