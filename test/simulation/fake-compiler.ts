// Stands for the compiler process: answers at once, late, with a refusal, or not at all until its time is over.
import type { Compilation, CompileRequest } from "../../src/code/modules/artifact.ts";
import type { Compiler } from "../../src/code/compiler/compiler.ts";
import type { Clock } from "../../src/std/clock.ts";
import type { Dice } from "./dice.ts";
import type { Trouble } from "./trouble.ts";
import { artifactOf } from "./program.ts";

export interface FakeCompilerParts {
  readonly clock: Pick<Clock, "after">;
  readonly dice: Dice;
  readonly trouble: Trouble;
}

/** As much of a compiler as the runtime uses. */
export function fakeCompiler({ clock, dice, trouble }: FakeCompilerParts): Compiler {
  let isOpen = true;
  const waiting = new Set<(compilation: Compilation) => void>();
  const refusalOf = (request: CompileRequest, why: string): Compilation => ({
    ok: false,
    phase: "compile",
    message: `Cannot compile module "${request.name}" as ${why}`,
    diagnostics: [],
  });
  const compile = (request: CompileRequest): Promise<Compilation> => {
    const { compileMs, script } = request;
    if (!isOpen) return Promise.resolve(refusalOf(request, "the compiler was closed"));
    const isNever = trouble.strikes("compile-never", dice, 0.05);
    const delayMs = isNever
      ? compileMs
      : trouble.strikes("compile-slow", dice, 0.2)
        ? dice.between(50, compileMs - 1)
        : dice.between(0, 20);
    const isRefused = isNever || trouble.strikes("compile-fail", dice, 0.05);
    const artifact = artifactOf(request, script);
    const result: Compilation =
      isRefused || artifact === undefined
        ? refusalOf(request, artifact === undefined ? "it must be a program" : "the compiler failed")
        : { ok: true, artifact };
    return new Promise((resolve) => {
      const settle = (compilation: Compilation): void => {
        timer.cancel();
        waiting.delete(settle);
        resolve(compilation);
      };
      const timer = clock.after(delayMs, () => settle(result));
      waiting.add(settle);
    });
  };
  const close = async (): Promise<void> => {
    isOpen = false;
    for (const settle of waiting)
      settle({ ok: false, phase: "compile", message: "the compiler was closed", diagnostics: [] });
  };
  const never = (): Promise<never> => Promise.reject(new TypeError("not simulated"));
  const compiler = {
    restarts: 0,
    compile,
    alsoFor: () => {},
    warm: () => {},
    close,
    bundle: never,
    checkTypes: never,
  };
  return compiler as unknown as Compiler;
}
