// The program that the kernel runs at each system call of a command: classic BPF, as `man 2 seccomp` has it. It never kills: a
// call that is refused fails, and the program that made it goes on.
import { rename, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { BY_ARGUMENT, REFUSED, UNKNOWN, type CallNumbers } from './seccomp-calls.ts';

const { EPERM, ENOSYS, EAFNOSUPPORT } = constants.errno;

/** The kernel's names for an architecture (linux/audit.h), and our place in the pairs of numbers. */
const ARCHITECTURES = {
  x64: { word: 0xc000_003e, place: 0 },
  arm64: { word: 0xc000_00b7, place: 1 },
} as const;

export type FilteredArchitecture = keyof typeof ARCHITECTURES;

/** Where `struct seccomp_data` has what is asked about. The lower half of an argument is all that these calls look at. */
const OFFSET = { number: 0, architecture: 4, firstArgument: 16, secondArgument: 24 } as const;
/** Calls of x86-64 with this bit are those of x32, with other numbers for the same. */
const X32_BIT = 0x4000_0000;
/** CLONE_NEW…: NS, CGROUP, UTS, IPC, USER, PID, NET. */
const CLONED_NAMESPACES = 0x7e02_0000;
/** CLONE_NEWTIME, which is another thing in `clone`. */
const UNSHARED_NAMESPACES = CLONED_NAMESPACES | 0x80;
/** TIOCSTI and TIOCLINUX: typing into a terminal, as if somebody sat there. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Not every other kind belongs to a network namespace: vsock leads to the machine's host. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

/** An instruction of `struct sock_filter`. The jumps are how many of the next to pass over. */
interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}

const BYTES = 8;
const load = (offset: number): Instruction => ({ code: 0x20, ifTrue: 0, ifFalse: 0, value: offset });
const answer = (value: number): Instruction => ({ code: 0x06, ifTrue: 0, ifFalse: 0, value });
const allow = answer(0x7fff_0000);
const fail = (errno: number): Instruction => answer(0x0005_0000 | errno);

const TESTS = { equals: 0x15, atLeast: 0x35, hasAny: 0x45 } as const;

/** `then` is passed over when what was loaded last is not so. */
function when(test: keyof typeof TESTS, value: number, then: readonly Instruction[]): Instruction[] {
  return [{ code: TESTS[test], ifTrue: 0, ifFalse: then.length, value }, ...then];
}

/** What becomes of one call. `outcome` ends in an answer, so that the number of the call stays loaded for what follows. */
interface Case {
  readonly number: number;
  readonly outcome: readonly Instruction[];
}

/** Calls that are compared one by one. */
const MOST_IN_A_ROW = 3;

/**
 * Halves the calls until few are left: a command that starts has the kernel run its filter once for each call that there is.
 * @param cases by number, lowest first. All other calls are let through
 */
function search(cases: readonly Case[]): Instruction[] {
  const half = Math.ceil(cases.length / 2);
  const middle = cases[half];
  if (cases.length <= MOST_IN_A_ROW || middle === undefined)
    return [...cases.flatMap(({ number, outcome }) => when('equals', number, outcome)), allow];
  const lower = search(cases.slice(0, half));
  return [{ code: TESTS.atLeast, ifTrue: lower.length, ifFalse: 0, value: middle.number }, ...lower, ...search(cases.slice(half))];
}

function instructionsFor(architecture: FilteredArchitecture): Instruction[] {
  const { word, place } = ARCHITECTURES[architecture];
  const onCall = (numbers: CallNumbers, outcome: readonly Instruction[]): Case => ({ number: numbers[place], outcome });
  const onEach = (calls: Record<string, CallNumbers>, outcome: readonly Instruction[]): Case[] =>
    Object.values(calls).map((numbers) => onCall(numbers, outcome));
  const { clone, unshare, ioctl, socket } = BY_ARGUMENT;
  const cases = [
    ...onEach(REFUSED, [fail(EPERM)]),
    ...onEach(UNKNOWN, [fail(ENOSYS)]),
    onCall(clone, [load(OFFSET.firstArgument), ...when('hasAny', CLONED_NAMESPACES, [fail(EPERM)]), allow]),
    onCall(unshare, [load(OFFSET.firstArgument), ...when('hasAny', UNSHARED_NAMESPACES, [fail(EPERM)]), allow]),
    onCall(ioctl, [load(OFFSET.secondArgument), ...TERMINAL_INPUT.flatMap((request) => when('equals', request, [fail(EPERM)])), allow]),
    onCall(socket, [
      load(OFFSET.firstArgument),
      ...SOCKET_FAMILIES.flatMap((family) => when('equals', family, [allow])),
      fail(EAFNOSUPPORT),
    ]),
  ];
  return [
    load(OFFSET.architecture),
    // The numbers below are those of one architecture: 64-bit kernels also take the calls of 32-bit programs.
    { code: TESTS.equals, ifTrue: 1, ifFalse: 0, value: word },
    fail(ENOSYS),
    load(OFFSET.number),
    ...(architecture === 'x64' ? when('atLeast', X32_BIT, [fail(ENOSYS)]) : []),
    ...search(cases.toSorted((one, other) => one.number - other.number)),
  ];
}

/** An array of `struct sock_filter`, in the byte order of both architectures. */
export function filterProgram(architecture: FilteredArchitecture): Buffer {
  const instructions = instructionsFor(architecture);
  const program = Buffer.alloc(instructions.length * BYTES);
  for (const [index, { code, ifTrue, ifFalse, value }] of instructions.entries()) {
    const offset = index * BYTES;
    program.writeUInt16LE(code, offset);
    program.writeUInt8(ifTrue, offset + 2);
    program.writeUInt8(ifFalse, offset + 3);
    program.writeUInt32LE(value, offset + 4);
  }
  return program;
}

/**
 * Puts the program for this machine into a file, at once: commands may be reading the one that is there.
 * @returns false for an architecture whose calls are not known here
 */
export async function writeFilter(file: string): Promise<boolean> {
  const { arch } = process;
  if (arch !== 'x64' && arch !== 'arm64') return false;
  await writeFile(`${file}.new`, filterProgram(arch), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return true;
}
