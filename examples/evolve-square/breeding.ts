// How programs are made: randomly, from one parent, from two.
import { hostileDraw, type HostileName } from "./hostile.ts";
import {
  depthOf,
  loopCounts,
  operands,
  operators,
  registers,
  sizeOf,
  type Program,
  type Statement,
} from "./program.ts";
import type { Random } from "./random.ts";

const sizeMax = 14;
const depthMax = 2;
const loopChance = 0.2;

export function randomProgram(random: Random): Program {
  return Array.from({ length: 2 + random.below(5) }, () => randomStatement(random, depthMax));
}

/** A changed copy. The parent itself where the copy would be too large or too deep. */
export function mutate(program: Program, random: Random): Program {
  const changed = random.pick(changes)(program, random);
  return sizeOf(changed) <= sizeMax && depthOf(changed) <= depthMax ? changed : program;
}

/** The beginning of one parent with the end of the other. */
export function cross(mother: Program, father: Program, random: Random): Program {
  const child = [
    ...mother.slice(0, random.below(mother.length + 1)),
    ...father.slice(random.below(father.length + 1)),
  ];
  return sizeOf(child) <= sizeMax ? child : mother;
}

/** A copy with a hostile statement somewhere in it. */
export function poison(
  program: Program,
  random: Random,
): { readonly program: Program; readonly name: HostileName } {
  const name = random.pick(hostileDraw);
  return { name, program: program.toSpliced(random.below(program.length + 1), 0, { kind: "hostile", name }) };
}

type Change = (program: Program, random: Random) => Program;

const changes: readonly Change[] = [insert, remove, replace, replace, wrap, unwrap, insideLoop, insideLoop];

function insert(program: Program, random: Random): Program {
  return program.toSpliced(random.below(program.length + 1), 0, randomStatement(random, depthMax));
}

function remove(program: Program, random: Random): Program {
  return program.length < 2 ? program : program.toSpliced(random.below(program.length), 1);
}

function replace(program: Program, random: Random): Program {
  return program.toSpliced(random.below(program.length), 1, randomStatement(random, depthMax));
}

function wrap(program: Program, random: Random): Program {
  const at = random.below(program.length);
  const body = program.slice(at, at + 1);
  return body.length === 0
    ? program
    : program.toSpliced(at, 1, { kind: "loop", times: random.pick(loopCounts), body });
}

function unwrap(program: Program, random: Random): Program {
  const at = loopAt(program, random);
  return at === undefined ? program : program.toSpliced(at.index, 1, ...at.loop.body);
}

function insideLoop(program: Program, random: Random): Program {
  const at = loopAt(program, random);
  if (at === undefined) return program;
  const body = mutate(at.loop.body, random);
  return body.length === 0 ? program : program.toSpliced(at.index, 1, { ...at.loop, body });
}

type Loop = Extract<Statement, { kind: "loop" }>;

function loopAt(
  program: Program,
  random: Random,
): { readonly index: number; readonly loop: Loop } | undefined {
  const loops = program.flatMap((statement, index) =>
    statement.kind === "loop" ? [{ index, loop: statement }] : [],
  );
  return loops.length === 0 ? undefined : random.pick(loops);
}

function randomStatement(random: Random, depthLeft: number): Statement {
  if (depthLeft > 0 && random.chance(loopChance)) {
    const body = Array.from({ length: 1 + random.below(2) }, () => randomStatement(random, depthLeft - 1));
    return { kind: "loop", times: random.pick(loopCounts), body };
  }
  const [to, operator, from] = [random.pick(registers), random.pick(operators), random.pick(operands)];
  return { kind: "assign", to, operator, from };
}
