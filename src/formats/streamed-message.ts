// One message while it streams in: which calls have begun, what came of their arguments, and the limits on both.
// The assemblers translate frames of their format into these steps; each step gives what it completes. A message is idle until it
// starts (or its first call begins), open until it ends, and broken when it cannot be trusted any more: then all up to its end is ignored.
import { inputFromText, inputFromValue, inputOfCustomCall } from './call-input.ts';
import type { CallInput } from './call-input.ts';
import { idFault, MAX_CALLS } from './collect-calls.ts';
import type { AssemblerOutput } from './format.ts';
import { isRecord } from './is-record.ts';
import { MAX_ARGUMENT_CHARS, TOO_LONG } from './parse-arguments.ts';
import { addPiece, newTextBuffer, textOf } from './text-buffer.ts';
import type { TextBuffer } from './text-buffer.ts';

const MAX_KEY_CHARS = 256;
const MAX_REASON_CHARS = 300;
const DAMAGED = 'The arguments arrived in pieces that do not fit together. Send the call again.';
const CUT_OFF = 'The message ended before the arguments of this call came. Send the call again.';

/** What tells the open calls of a message apart: a block's index, an item's id. */
export type CallKey = number | string | null;

interface PartialCall {
  /** Empty, and `null` for the name, until they came. */
  id: string;
  name: string | null;
  readonly custom: boolean;
  text: TextBuffer;
  /** Input that came as a value rather than as text. */
  given: CallInput | null;
  /** Why the arguments cannot be used, for the model. */
  fault: string | null;
}

export interface StreamedMessage {
  phase: 'idle' | 'open' | 'broken';
  /** Calls that are not complete. */
  readonly partials: Map<CallKey, PartialCall>;
  begun: number;
  /** Characters of ids, names and arguments that the message brought so far. */
  chars: number;
}

export function newStreamedMessage(): StreamedMessage {
  return { phase: 'idle', partials: new Map(), begun: 0, chars: 0 };
}

/** A message starts; one that is still open is given up. */
export function startMessage(message: StreamedMessage): AssemblerOutput[] {
  const before = breakOff(message, 'A new message started before the last one ended.');
  message.phase = 'open';
  message.begun = 0;
  message.chars = 0;
  return [...before, { type: 'open' }];
}

/** A key made of what a frame holds. Those that are none are all one, so that one open call needs no key. */
export function callKey(value: unknown): CallKey {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_KEY_CHARS) ? value : null;
}

/** A call begins. Its id and name may come later, by {@link nameCall}. */
export function beginCall(
  message: StreamedMessage,
  key: CallKey,
  start: { id: unknown; name: unknown; custom?: boolean },
): AssemblerOutput[] {
  if (message.phase === 'broken') return [];
  const opened = message.phase === 'idle' ? startMessage(message) : [];
  if (message.begun === MAX_CALLS) return [...opened, ...breakOff(message, `The message has more than ${MAX_CALLS} calls.`)];
  if (message.partials.has(key)) return [...opened, ...breakOff(message, 'A call began a second time before it was complete.')];
  message.begun += 1;
  message.partials.set(key, { id: '', name: null, custom: start.custom ?? false, text: newTextBuffer(), given: null, fault: null });
  return [...opened, ...nameCall(message, key, start)];
}

/** Gives a call the id and name that it still lacks. */
export function nameCall(message: StreamedMessage, key: CallKey, known: { id: unknown; name: unknown }): AssemblerOutput[] {
  const call = message.partials.get(key);
  if (!call) return [];
  const id = call.id === '' && typeof known.id === 'string' ? known.id : '';
  const name = !call.name && typeof known.name === 'string' ? known.name : null;
  if (!takesSpace(message, id.length + (name?.length ?? 0))) return breakOff(message, 'The calls of the message are too long.');
  call.id ||= id;
  call.name = name ?? call.name;
  return [];
}

/** Adds a piece of argument text. A piece that is not text spoils the call, since leaving it out could change what is asked for. */
export function addText(message: StreamedMessage, key: CallKey, piece: unknown): void {
  const call = message.partials.get(key);
  if (!call || piece === '' || call.fault !== null) return;
  if (typeof piece !== 'string') spoil(call, DAMAGED);
  else if (takesSpace(message, piece.length)) addPiece(call.text, piece);
  else spoil(call, TOO_LONG);
}

/** Puts the whole argument text in the place of its pieces, however damaged they were. */
export function replaceText(message: StreamedMessage, key: CallKey, text: string): void {
  const call = message.partials.get(key);
  if (!call) return;
  const had = textOf(call.text);
  if (had === text && call.fault === null) return;
  message.chars -= had.length;
  call.text = newTextBuffer();
  call.fault = null;
  addText(message, key, text);
}

/** Gives a call its input as a value. It stands unless text comes, too. */
export function giveInput(message: StreamedMessage, key: CallKey, value: unknown): void {
  const call = message.partials.get(key);
  if (!call) return;
  const given = inputFromValue(value);
  if (takesSpace(message, JSON.stringify(given.input)?.length ?? 0)) call.given = given;
  else spoil(call, TOO_LONG);
}

/**
 * A call is complete.
 * @param cut the message ended before the format said so of the call: then no arguments does not mean empty ones
 */
export function completeCall(message: StreamedMessage, key: CallKey, cut = false): AssemblerOutput[] {
  const call = message.partials.get(key);
  if (!call) return [];
  const { id, name } = call;
  const fault = idFault(id);
  if (fault !== null) return breakOff(message, `A call came that cannot be answered: its id ${fault}.`);
  if (name === null) return breakOff(message, `The call ${id} came without a name.`);
  message.partials.delete(key);
  return [{ type: 'call', call: { id, name, ...inputOf(call, cut) } }];
}

/** The message ends: what has begun counts as complete, for the model has no more to say. */
export function endMessage(message: StreamedMessage, cut: boolean): AssemblerOutput[] {
  const outputs = [...message.partials.keys()].flatMap((key) => completeCall(message, key, cut));
  const ended = message.phase === 'open';
  message.phase = 'idle';
  return ended ? [...outputs, { type: 'end' }] : outputs;
}

/** An open message cannot be trusted any more: incomplete calls are dropped. */
export function breakOff(message: StreamedMessage, reason: string): AssemblerOutput[] {
  if (message.phase !== 'open') return [];
  message.phase = 'broken';
  message.partials.clear();
  return [{ type: 'broken', reason: reason.slice(0, MAX_REASON_CHARS).toWellFormed() }];
}

/** Says why the model's own stream failed. @param error what the stream told of it */
export function failureReason(error: unknown): string {
  const told = isRecord(error) && typeof error['message'] === 'string' ? `: ${error['message']}` : '.';
  return `The model's stream failed${told}`;
}

function inputOf(call: PartialCall, cut: boolean): CallInput {
  if (call.fault !== null) return { input: {}, inputError: call.fault };
  const text = textOf(call.text);
  if (call.custom) return inputOfCustomCall(text);
  if (text.trim() !== '') return inputFromText(text);
  return call.given ?? (cut ? { input: {}, inputError: CUT_OFF } : { input: {} });
}

function spoil(call: PartialCall, fault: string): void {
  call.fault = fault;
  call.text = newTextBuffer();
}

function takesSpace(message: StreamedMessage, chars: number): boolean {
  if (message.chars + chars > MAX_ARGUMENT_CHARS) return false;
  message.chars += chars;
  return true;
}
