// What people are asked about a call, as a form of MCP: whether it may run, or what the tool itself asks meanwhile.
import {
  inputRequired,
  isSpecType,
  type ElicitRequestFormParams,
  type InputRequest,
  type InputResponseView,
} from '@modelcontextprotocol/server';
import { clipped } from '../../contract/index.ts';
import type { CallStep, PeoplesAnswer } from './ports.ts';

type Form = ElicitRequestFormParams['requestedSchema'];
type Asked = Extract<CallStep, { kind: 'asked' }>;

const YES_OR_NO: Form = { type: 'object', properties: {} };
/** Characters of the input that people are shown. */
const INPUT_CHARS = 2_000;

export function questionOf({ approval: { name, reason, input }, byTool }: Asked): InputRequest {
  const form = byTool ? formIn(input) : undefined;
  const message = byTool ? `${name} asks: ${reason}` : `May ${name} run? ${reason}`;
  if (form !== undefined) return inputRequired.elicit({ message, requestedSchema: form });
  return inputRequired.elicit({ message: `${message}\n\n${shown(input)}`, requestedSchema: YES_OR_NO });
}

/** @param byTool true for what the tool asked: then what people wrote goes to it */
export function answerOf({ action, content }: Extract<InputResponseView, { kind: 'elicit' }>, byTool: boolean): PeoplesAnswer {
  if (action !== 'accept') return { behavior: 'deny' };
  return { behavior: 'allow', ...(byTool && content !== undefined && { updatedInput: content }) };
}

/** The form that a tool wants filled in, where it asks with one that clients of MCP understand. */
function formIn(input: unknown): Form | undefined {
  if (typeof input !== 'object' || input === null || !('requested_schema' in input)) return undefined;
  const asked: unknown = { message: '', requestedSchema: input.requested_schema };
  if (!isSpecType.ElicitRequestFormParams(asked)) return undefined;
  const { type, properties, required } = asked.requestedSchema;
  return { type, properties, ...(required && { required }) };
}

function shown(input: unknown): string {
  return clipped(JSON.stringify(input, null, 2) ?? '', INPUT_CHARS);
}
