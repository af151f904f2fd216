// What holds for every stream of every format, whatever the model says and wherever the network cuts it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { MESSAGE_FORMATS } from '../../src/contract/index.ts';
import { formats } from '../../src/formats/formats.ts';
import { streamFormat } from '../../src/formats/recognise-stream.ts';
import { assemble, callsOf, kindsOf, messages, streams } from './frames.ts';
import type { Frame, StreamedCall } from './frames.ts';

const calls = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }),
    name: fc.string({ unit: 'binary' }),
    value: fc.dictionary(fc.string(), fc.jsonValue({ stringUnit: 'binary' })),
    blank: fc.boolean(),
    cuts: fc.array(fc.nat({ max: 200 })),
  }),
  { selector: ({ id }) => id, maxLength: 5 },
);

/** Cuts a call's argument text where it falls, also inside escapes and surrogate pairs; an empty input may be no text at all. */
function split({
  id,
  name,
  value,
  blank,
  cuts,
}: {
  id: string;
  name: string;
  value: object;
  blank: boolean;
  cuts: number[];
}): StreamedCall {
  const text = blank && Object.keys(value).length === 0 ? '' : JSON.stringify(value);
  const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
  return { id, name, pieces: places.slice(1).map((place, index) => text.slice(places[index], place)) };
}

const FIELDS = ['type', 'object', 'index', 'id', 'choices', 'delta', 'content_block', 'item', 'output_index', 'error', 'response'];

/** A frame of a known type with anything in its fields. */
const garbage = fc
  .tuple(
    fc.constantFrom(...MESSAGE_FORMATS.flatMap((format) => streams[format]([{ id: 'a', name: 'Read', pieces: ['{}'] }]))),
    fc.dictionary(fc.constantFrom(...FIELDS), fc.jsonValue({ maxDepth: 3 })),
  )
  .map(([frame, wrong]): Frame => ({ ...frame, ...wrong }));

describe('every stream', () => {
  for (const format of MESSAGE_FORMATS) {
    test(`${format}: assembles to the same calls as the whole message, however it is cut`, () => {
      fc.assert(
        fc.property(calls, (made) => {
          const streamed = made.map(split);
          const outputs = assemble(format, streams[format](streamed));
          assert.deepEqual(callsOf(outputs), formats[format].readCalls(messages[format](streamed)));
          assert.deepEqual(kindsOf(outputs), ['open', ...made.map(() => 'call'), 'end']);
        }),
      );
    });

    test(`${format}: any part of a stream gives whole calls or none, and the next message comes through`, () => {
      fc.assert(
        fc.property(calls, fc.nat(), (made, at) => {
          const frames = streams[format](made.map(split));
          const whole = callsOf(assemble(format, frames));
          const start = frames.slice(0, at % (frames.length + 1));
          const assembler = formats[format].createAssembler();
          const outputs = start.flatMap((frame) => assembler.push(frame));
          assert.deepEqual(callsOf(outputs), whole.slice(0, callsOf(outputs).length));
          const ended = outputs.at(-1)?.type === 'end';
          const other = frames.map((frame) => (frame['id'] === 'chatcmpl-1' ? { ...frame, id: 'chatcmpl-2' } : frame));
          const next = other.flatMap((frame) => assembler.push(frame));
          assert.equal(next[0]?.type, start.length === 0 || ended ? 'open' : 'broken');
          assert.deepEqual(callsOf(next), whole);
        }),
      );
    });

    test(`${format}: frames in any order and of any shape never throw, and never a call without an id`, () => {
      fc.assert(
        fc.property(fc.array(fc.oneof(garbage, fc.dictionary(fc.string(), fc.jsonValue()))), (frames) => {
          const outputs = assemble(format, frames);
          for (const call of callsOf(outputs)) {
            assert.ok(typeof call.id === 'string' && call.id !== '' && typeof call.name === 'string');
          }
          const turns = kindsOf(outputs).filter((kind) => kind !== 'call');
          for (const [index, kind] of turns.entries()) assert.equal(kind === 'open', index % 2 === 0, turns.join());
        }),
        { numRuns: 300 },
      );
    });
  }

  test('is recognised, or not, without ever throwing', () => {
    fc.assert(
      fc.property(garbage, (frame) => {
        const format = streamFormat(frame);
        assert.ok(format === null || MESSAGE_FORMATS.includes(format));
      }),
    );
  });
});

describe('every message', () => {
  for (const format of MESSAGE_FORMATS) {
    test(`${format}: of any shape is read or refused with a Problem`, () => {
      const key = fc.constantFrom(
        'role',
        'content',
        'tool_calls',
        'output',
        'choices',
        'type',
        'id',
        'call_id',
        'name',
        'function',
        'message',
      );
      const { tree } = fc.letrec((tie) => ({
        tree: fc.oneof(
          { maxDepth: 5 },
          fc.jsonValue({ maxDepth: 1 }),
          fc.array(tie('tree'), { maxLength: 3 }),
          fc.dictionary(key, tie('tree')),
        ),
      }));
      fc.assert(
        fc.property(tree, (body) => {
          try {
            formats[format].readCalls(body);
          } catch (error) {
            assert.equal(error instanceof Error && error.name, 'Problem');
          }
        }),
        { numRuns: 300 },
      );
    });
  }
});
