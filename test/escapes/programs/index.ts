// All attempts by technique.
import { capabilityAnswers } from "./capability-answers.ts";
import { capabilityArguments } from "./capability-arguments.ts";
import { capabilityBounds } from "./capability-bounds.ts";
import { codeFromText } from "./code-from-text.ts";
import { constructors } from "./constructors.ts";
import { errors } from "./errors.ts";
import type { Escape } from "./escape.ts";
import { imports } from "./imports.ts";
import { leftovers } from "./leftovers.ts";
import { marshalling } from "./marshalling.ts";
import { promises } from "./promises.ts";
import { results } from "./results.ts";
import { time } from "./time.ts";

export const escapes: Readonly<Record<string, readonly Escape[]>> = {
  constructors,
  "code from text": codeFromText,
  imports,
  errors,
  promises,
  results,
  marshalling,
  leftovers,
  "time and memory": time,
  "capability abuse": [...capabilityArguments, ...capabilityAnswers, ...capabilityBounds],
};
