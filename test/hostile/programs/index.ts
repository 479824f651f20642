// Every program, by what it attacks.
import { answers } from "./answers.ts";
import { cpu } from "./cpu.ts";
import { later, output } from "./later.ts";
import { fatal, memory } from "./memory.ts";
import type { Hostile } from "./program.ts";
import { prototypes } from "./prototypes.ts";
import { stack } from "./stack.ts";
import { thrown } from "./thrown.ts";
import { loading, names, shipped } from "./ways-in.ts";

export const programs: Readonly<Record<string, readonly Hostile[]>> = {
  "the processor": cpu,
  memory: memory,
  "the process": fatal,
  "the stack": stack,
  "its result": answers,
  "what it throws": thrown,
  time: later,
  "the console": output,
  "the boundary's tools": prototypes,
  "its loading": loading,
  names: names,
  "run()": shipped,
};
