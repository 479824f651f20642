// The genome: a short program that can only copy, add, subtract and loop. It knows no multiplication, so that a square
// has to be found.
import { hostileCode, type HostileName } from "./hostile.ts";

export const registers = ["a", "b", "c"] as const;
export const operands = ["x", "a", "b", "c", "1", "2"] as const;
export const operators = ["=", "+=", "-="] as const;
export const loopCounts = ["x", "2", "3"] as const;

export type Register = (typeof registers)[number];

export type Statement =
  | {
      readonly kind: "assign";
      readonly to: Register;
      readonly operator: (typeof operators)[number];
      readonly from: (typeof operands)[number];
    }
  | { readonly kind: "loop"; readonly times: (typeof loopCounts)[number]; readonly body: Program }
  | { readonly kind: "hostile"; readonly name: HostileName };

export type Program = readonly Statement[];

/** How many statements a program has, those inside loops included. */
export function sizeOf(program: Program): number {
  return program.reduce(
    (sum, statement) => sum + 1 + (statement.kind === "loop" ? sizeOf(statement.body) : 0),
    0,
  );
}

/** How deep its loops are nested. */
export function depthOf(program: Program): number {
  return program.reduce(
    (deepest, statement) => Math.max(deepest, statement.kind === "loop" ? 1 + depthOf(statement.body) : 0),
    0,
  );
}

/** The program as TypeScript that a person can read. */
export function toCode(program: Program): string {
  const declared = registers.filter((register) => register === "a" || isUsed(program, register));
  return [
    "export function square(x: number): number {",
    `  let ${declared.map((register) => `${register} = 0`).join(", ")};`,
    ...program.flatMap((statement) => toLines(statement, 1)),
    "  return a;",
    "}",
  ].join("\n");
}

function toLines(statement: Statement, depth: number): readonly string[] {
  const indent = "  ".repeat(depth);
  switch (statement.kind) {
    case "assign":
      return [`${indent}${statement.to} ${statement.operator} ${statement.from};`];
    case "hostile":
      return [`${indent}${hostileCode[statement.name]}`];
    case "loop": {
      const counter = "ijkl".charAt(depth - 1);
      const head = `for (let ${counter} = 0; ${counter} < ${statement.times}; ${counter}++) {`;
      return [
        `${indent}${head}`,
        ...statement.body.flatMap((inner) => toLines(inner, depth + 1)),
        `${indent}}`,
      ];
    }
  }
}

function isUsed(program: Program, register: Register): boolean {
  return program.some((statement) =>
    statement.kind === "loop"
      ? isUsed(statement.body, register)
      : statement.kind === "assign" && (statement.to === register || statement.from === register),
  );
}
