// OpenAI chat chunks: a call is complete when the next one begins or `finish_reason` comes, which ends the message.
// Providers differ: some repeat id and name in each piece, some leave out the index or always say 0, some send whole calls at once.
import type { AssemblerOutput, StreamAssembler } from './format.ts';
import { isRecord } from './is-record.ts';
import { addText, beginCall, breakOff, callKey, completeCall, endMessage, failureReason, giveInput, nameCall } from './streamed-message.ts';
import { newStreamedMessage, startMessage } from './streamed-message.ts';
import type { CallKey, StreamedMessage } from './streamed-message.ts';

const CUT_REASONS: readonly unknown[] = ['length', 'content_filter'];

/** The call that pieces go to. */
interface Current {
  readonly key: number;
  readonly index: CallKey;
}

interface ChatStream {
  readonly message: StreamedMessage;
  /** Id of the completion that the newest message came in; chunks after its end carry it, too. */
  completionId: CallKey | undefined;
  current: Current | null;
}

/** One entry of `delta.tool_calls`. */
interface Piece {
  readonly index: CallKey;
  readonly id: string | null;
  readonly name: string | null;
  readonly custom: boolean;
  readonly arguments: unknown;
}

/** Assembles calls from chat completion chunks. Only the first choice counts. */
export function createOpenaiChatAssembler(): StreamAssembler {
  const stream: ChatStream = { message: newStreamedMessage(), completionId: undefined, current: null };
  return { push: (frame) => take(stream, frame), hasPartial: () => stream.message.partials.size > 0 };
}

function take(stream: ChatStream, frame: Record<string, unknown>): AssemblerOutput[] {
  const { message } = stream;
  const choice = firstChoice(frame['choices']);
  const reason = choice?.['finish_reason'];
  const failed = isRecord(frame['error']) || reason === 'error';
  const outputs = failed ? breakOff(message, failureReason(frame['error'])) : takeDelta(stream, callKey(frame['id']), choice?.['delta']);
  if (typeof reason === 'string' && reason !== '') outputs.push(...endMessage(message, CUT_REASONS.includes(reason)));
  return outputs;
}

function firstChoice(choices: unknown): Record<string, unknown> | undefined {
  return Array.isArray(choices) ? choices.filter(isRecord).find((choice) => (choice['index'] ?? 0) === 0) : undefined;
}

function takeDelta(stream: ChatStream, id: CallKey, delta: unknown): AssemblerOutput[] {
  if (!isRecord(delta)) return [];
  const outputs = startsMessage(stream, id, delta) ? startMessage(stream.message) : [];
  if (outputs.length > 0) Object.assign(stream, { completionId: id, current: null });
  return [...outputs, ...takePieces(stream, delta)];
}

/**
 * A message starts with its role or with its first content. Chunks that come after the end (usage, a second finish reason) bring a role at
 * most, and the id of the message that is over; a role with another id shows that a message never ended.
 */
function startsMessage({ message, completionId }: ChatStream, id: CallKey, delta: Record<string, unknown>): boolean {
  const isOther = id !== completionId;
  const hasRole = typeof delta['role'] === 'string';
  if (message.phase === 'idle') return bringsContent(delta) || (hasRole && isOther);
  if (message.phase === 'broken') return hasRole && (isOther || id === null);
  return hasRole && isOther && id !== null && completionId !== null;
}

function bringsContent(delta: Record<string, unknown>): boolean {
  return Object.entries(delta).some(
    ([key, value]) => key !== 'role' && (typeof value === 'string' || Array.isArray(value)) && value.length > 0,
  );
}

function takePieces(stream: ChatStream, delta: Record<string, unknown>): AssemblerOutput[] {
  const pieces = delta['tool_calls'] ?? [];
  if (isRecord(delta['function_call'])) return breakOff(stream.message, 'The model used the retired function_call form, which has no ids.');
  if (!Array.isArray(pieces)) return breakOff(stream.message, 'The tool_calls of a chunk are not an array.');
  return pieces.flatMap((piece: unknown) =>
    isRecord(piece) ? takePiece(stream, readPiece(piece)) : breakOff(stream.message, 'A piece of a call is not an object.'),
  );
}

function readPiece(entry: Record<string, unknown>): Piece {
  const { function: called, custom } = entry;
  const body = isRecord(custom) ? custom : isRecord(called) ? called : {};
  return {
    index: callKey(entry['index']),
    id: typeof entry['id'] === 'string' ? entry['id'] : null,
    name: typeof body['name'] === 'string' ? body['name'] : null,
    custom: isRecord(custom),
    arguments: isRecord(custom) ? custom['input'] : body['arguments'],
  };
}

function takePiece(stream: ChatStream, piece: Piece): AssemblerOutput[] {
  const { message, current } = stream;
  if (current && isLate(current, piece)) return breakOff(message, `A piece of call ${piece.index} came after another call had begun.`);
  const outputs = current && !beginsCall(stream, current, piece) ? nameCall(message, current.key, piece) : beginNext(stream, piece);
  addArguments(stream, piece.arguments);
  return outputs;
}

function isLate(current: Current, piece: Piece): boolean {
  return changesIndex(current, piece) && !piece.id && !piece.name;
}

/** A new index begins a call; within one index, a new id together with a name does. */
function beginsCall(stream: ChatStream, current: Current, piece: Piece): boolean {
  if (changesIndex(current, piece)) return true;
  const known = stream.message.partials.get(current.key)?.id;
  return Boolean(known && piece.id && piece.name) && piece.id !== known;
}

function changesIndex(current: Current, piece: Piece): boolean {
  return piece.index !== null && current.index !== null && piece.index !== current.index;
}

function beginNext(stream: ChatStream, piece: Piece): AssemblerOutput[] {
  const { message, current } = stream;
  const completed = current ? completeCall(message, current.key) : [];
  const key = (current?.key ?? 0) + 1;
  stream.current = { key, index: piece.index };
  return [...completed, ...beginCall(message, key, piece)];
}

function addArguments({ message, current }: ChatStream, value: unknown): void {
  if (!current || value === undefined || value === null) return;
  if (typeof value === 'string') addText(message, current.key, value);
  else giveInput(message, current.key, value);
}
