import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { describe, test } from 'node:test';
import { REFUSED, UNKNOWN, type CallNumbers } from '../../src/sandbox/enclosure/seccomp-calls.ts';
import { filterProgram } from '../../src/sandbox/enclosure/seccomp-filter.ts';
import { answerOf } from './classic-bpf.ts';

const ALLOWED = 0x7fff_0000;
const NEW_USER = 0x1000_0000;
const THREAD = 0x3d_0f00;
const failsWith = (errno: keyof typeof constants.errno): number => 0x0005_0000 | constants.errno[errno];

const MACHINES = {
  x64: {
    word: 0xc000_003e,
    other: 0x4000_0003,
    place: 0,
    calls: { read: 0, execve: 59, clone: 56, clone3: 435, unshare: 272, ioctl: 16, socket: 41, addKey: 248, ptrace: 101 },
  },
  arm64: {
    word: 0xc000_00b7,
    other: 0x4000_0028,
    place: 1,
    calls: { read: 63, execve: 221, clone: 220, clone3: 435, unshare: 97, ioctl: 29, socket: 198, addKey: 217, ptrace: 117 },
  },
} as const;

for (const machine of ['x64', 'arm64'] as const) {
  const { word, other, place, calls } = MACHINES[machine];
  const program = filterProgram(machine);
  const answer = (number: number, ...args: number[]): number => answerOf(program, { architecture: word, number, args });

  describe(`the filter of ${machine}`, () => {
    test('is one that every kernel takes', () => {
      assert.ok(program.length / 8 <= 4096);
      assert.equal(program.readUInt16LE(program.length - 8), 0x06, 'it ends in an answer');
    });

    test('answers each call on its lists, whatever it is given, and lets all others through', () => {
      const numbersOf = (list: Record<string, CallNumbers>): Set<number> => new Set(Object.values(list).map((numbers) => numbers[place]));
      const [refused, unknown] = [numbersOf(REFUSED), numbersOf(UNKNOWN)];
      const byArgument = new Set<number>([calls.clone, calls.unshare, calls.ioctl, calls.socket]);
      for (let number = 0; number < 600; number += 1) {
        const expected = refused.has(number) ? failsWith('EPERM') : unknown.has(number) ? failsWith('ENOSYS') : ALLOWED;
        if (!byArgument.has(number)) assert.equal(answer(number, 0xffff_ffff, 0x5412), expected, `call ${number}`);
      }
      for (const number of [calls.addKey, calls.ptrace]) assert.equal(answer(number), failsWith('EPERM'));
      for (const number of [calls.read, calls.execve]) assert.equal(answer(number), ALLOWED);
    });

    test('refuses new namespaces, not new threads and processes', () => {
      assert.equal(answer(calls.clone, THREAD), ALLOWED);
      assert.equal(answer(calls.clone, constants.signals.SIGCHLD), ALLOWED);
      assert.equal(answer(calls.unshare, 0x600), ALLOWED);
      for (const call of [calls.clone, calls.unshare]) {
        for (const flag of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, NEW_USER, 0x2000_0000, 0x4000_0000]) {
          assert.equal(answer(call, flag | THREAD), failsWith('EPERM'), `${call} with ${flag}`);
        }
      }
      assert.equal(answer(calls.unshare, 0x80), failsWith('EPERM'));
      assert.equal(answer(calls.clone3), failsWith('ENOSYS'));
    });

    test('refuses typing into a terminal, also where the kernel would cut the request to its lower half', () => {
      assert.equal(answer(calls.ioctl, 0, 0x5401), ALLOWED);
      for (const request of [0x5412, 0x541c, 2 ** 32 + 0x5412]) assert.equal(answer(calls.ioctl, 0, request), failsWith('EPERM'));
    });

    test('lets sockets through of the families that a network namespace holds', () => {
      for (const family of [1, 2, 10, 16]) assert.equal(answer(calls.socket, family, 1), ALLOWED);
      for (const family of [0, 17, 30, 31, 38, 40, 44]) assert.equal(answer(calls.socket, family, 1), failsWith('EAFNOSUPPORT'));
    });

    test('knows no calls of 32-bit programs, whose numbers mean something else', () => {
      for (const number of [calls.read, calls.addKey, 286]) {
        assert.equal(answerOf(program, { architecture: other, number }), failsWith('ENOSYS'));
      }
    });
  });
}

test('the calls of x32 are not known, which are those of x86-64 with other numbers', () => {
  const { word } = MACHINES.x64;
  for (const number of [0x4000_0000, 0x4000_0000 + 248, 0x4000_0000 + 521, 0xffff_ffff]) {
    assert.equal(answerOf(filterProgram('x64'), { architecture: word, number }), failsWith('ENOSYS'));
  }
});
