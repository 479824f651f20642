// Assembles system-call filters from rules into the instructions of eight bytes that the kernel takes. Pure, so that the
// filter for one processor can be checked on another.
import { type Arch, numberOf, type Syscall } from "../std/syscalls.ts";

/** What the kernel does with a call. */
export type Action = number;

export const allow: Action = 0x7fff_0000;
export const killProcess: Action = 0x8000_0000;
export const refuseWith = (errno: number): Action => 0x0005_0000 | errno;

/** Holds when an argument, or those bits of it, has the value. Only its lower half is compared unless `isWide`. */
export interface Condition {
  readonly argument: number;
  readonly equals: number;
  readonly mask?: number;
  readonly isWide?: true;
}

/** The action for some calls. Where a condition fails, `otherwise` applies, or else the rules that follow. */
export interface Rule {
  readonly calls: readonly Syscall[];
  readonly do: Action;
  readonly when?: readonly Condition[];
  readonly otherwise?: Action;
}

/** One instruction: its code, the jumps when its test holds and when it fails, counted from the next, and its operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const code = { load: 0x20, and: 0x54, ifEqual: 0x15, ifAtLeast: 0x35, return: 0x06 } as const;
const instructionBytes = 8;
const jumpMax = 255;
const offsetOf = {
  number: 0,
  arch: 4,
  lower: (argument: number) => 16 + 8 * argument,
  upper: (argument: number) => 20 + 8 * argument,
};
const auditArch: Readonly<Record<Arch, number>> = { arm64: 0xc000_00b7, x64: 0xc000_003e };
/** Calls from here on follow another convention on x64, in which the numbers mean something else. */
const foreignNumbers = 0x4000_0000;
const notImplemented = 38;

/** The filter that applies the first rule for a call, and `otherwise` to all others. */
export function assemble(arch: Arch, rules: readonly Rule[], otherwise: Action): Buffer {
  const program: Instruction[] = [
    [code.load, 0, 0, offsetOf.arch],
    [code.ifEqual, 1, 0, auditArch[arch]],
    [code.return, 0, 0, killProcess],
    [code.load, 0, 0, offsetOf.number],
  ];
  if (arch === "x64")
    program.push([code.ifAtLeast, 0, 1, foreignNumbers], [code.return, 0, 0, refuseWith(notImplemented)]);
  for (const rule of rules) {
    const body = bodyOf(rule);
    for (const call of rule.calls) {
      const number = numberOf(call, arch);
      if (number !== undefined) program.push([code.ifEqual, 0, body.length, number], ...body);
    }
  }
  program.push([code.return, 0, 0, otherwise]);
  return toBytes(program);
}

// What follows where the number matches: each test, then the action; a failed test jumps behind it.
function bodyOf({ when = [], do: verdict, otherwise }: Rule): Instruction[] {
  const tests = when.flatMap(testsOf);
  if (tests.length === 0) return [[code.return, 0, 0, verdict]];
  const behind = tests.length + 1;
  const body = tests.map(([operation, ifTrue, , operand], index): Instruction => {
    return operation === code.ifEqual
      ? [operation, ifTrue, behind - index - 1, operand]
      : [operation, 0, 0, operand];
  });
  const failed: Instruction =
    otherwise === undefined ? [code.load, 0, 0, offsetOf.number] : [code.return, 0, 0, otherwise];
  return [...body, [code.return, 0, 0, verdict], failed];
}

function testsOf({ argument, equals, mask, isWide }: Condition): Instruction[] {
  const upper: Instruction[] =
    isWide === true
      ? [
          [code.load, 0, 0, offsetOf.upper(argument)],
          [code.ifEqual, 0, 0, 0],
        ]
      : [];
  const masked: Instruction[] = mask === undefined ? [] : [[code.and, 0, 0, mask]];
  return [...upper, [code.load, 0, 0, offsetOf.lower(argument)], ...masked, [code.ifEqual, 0, 0, equals]];
}

function toBytes(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * instructionBytes);
  for (const [index, [operation, ifTrue, ifFalse, operand]] of program.entries()) {
    if (ifTrue > jumpMax || ifFalse > jumpMax) throw new RangeError("a rule has too many conditions");
    const at = index * instructionBytes;
    bytes.writeUInt16LE(operation, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    bytes.writeUInt32LE(operand >>> 0, at + 4);
  }
  return bytes;
}
