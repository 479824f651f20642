// Runs an assembled filter as the kernel would, so that the filter for one processor can be tested on another.

/** What a filter is shown of a call. */
export interface CallData {
  readonly arch: number;
  readonly number: number;
  readonly args: readonly (number | bigint)[];
}

const instructionBytes = 8;
const argumentsAt = 16;
const pointerAt = 8;
const dataBytes = 64;

/** The action that the filter answers with. Fails on an instruction that it does not know, as the kernel does. */
export function runFilter(filter: Buffer, call: CallData): number {
  const bytes = layOut(call);
  let accumulator = 0;
  for (let at = 0; at < filter.length; at += instructionBytes) {
    const code = filter.readUInt16LE(at);
    const operand = filter.readUInt32LE(at + 4);
    const jump = (holds: boolean): number => filter.readUInt8(at + (holds ? 2 : 3)) * instructionBytes;
    if (code === 0x06) return operand;
    else if (code === 0x20) accumulator = bytes.readUInt32LE(operand);
    else if (code === 0x54) accumulator = (accumulator & operand) >>> 0;
    else if (code === 0x15) at += jump(accumulator === operand);
    else if (code === 0x35) at += jump(accumulator >= operand);
    else throw new RangeError(`instruction ${at / instructionBytes} has the unknown code ${code}`);
  }
  throw new RangeError("the filter ended without an answer");
}

function layOut({ arch, number, args }: CallData): Buffer {
  const bytes = Buffer.alloc(dataBytes);
  bytes.writeUInt32LE(number >>> 0, 0);
  bytes.writeUInt32LE(arch, 4);
  bytes.writeBigUInt64LE(0x0000_7fff_dead_beefn, pointerAt);
  for (const [index, arg] of args.entries())
    bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(arg)), argumentsAt + 8 * index);
  return bytes;
}
