// A kernel's view of a filter for system calls, as far as filters here go: enough to ask one for another machine what it answers.

/** One system call as `struct seccomp_data` has it. */
export interface Call {
  readonly architecture: number;
  readonly number: number;
  readonly args?: readonly number[];
}

type Row = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const BYTES = 8;
const LOAD = 0x20;
const ANSWER = 0x06;
const TESTS: Record<number, (loaded: number, value: number) => boolean> = {
  0x15: (loaded, value) => loaded === value,
  0x35: (loaded, value) => loaded >= value,
  0x45: (loaded, value) => (loaded & value) !== 0,
};

/** @returns the word that the kernel would act on. @throws Error for a program that the kernel would not take */
export function answerOf(program: Buffer, call: Call): number {
  const data = dataOf(call);
  let loaded = 0;
  for (let offset = 0; offset < program.length; offset += BYTES) {
    const value = program.readUInt32LE(offset + 4);
    const code = program.readUInt16LE(offset);
    if (code === ANSWER) return value;
    if (code === LOAD) {
      loaded = data.readUInt32LE(value);
    } else {
      const holds = TESTS[code]?.(loaded, value);
      if (holds === undefined) throw new Error(`There is no instruction ${code} at ${offset}.`);
      offset += BYTES * program.readUInt8(offset + (holds ? 2 : 3));
    }
  }
  throw new Error('The program ends without an answer.');
}

function dataOf({ architecture, number, args = [] }: Call): Buffer {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  return data;
}

export function programOf(rows: readonly Row[]): Buffer {
  const program = Buffer.alloc(rows.length * BYTES);
  for (const [index, [code, ifTrue, ifFalse, value]] of rows.entries()) {
    program.writeUInt16LE(code, index * BYTES);
    program.writeUInt8(ifTrue, index * BYTES + 2);
    program.writeUInt8(ifFalse, index * BYTES + 3);
    program.writeUInt32LE(value, index * BYTES + 4);
  }
  return program;
}
