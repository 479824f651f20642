// The texts of modules travel beside the command that brings them, as they are: with quoted ones it takes the host twice as long to
// write the command, and the cell half as long again to read it.
import { textsMax, toFrame, toFrameWithTexts } from "../../std/frames.ts";
import type { Command } from "./messages.ts";

type BringsModules = Extract<Command, { t: "load" | "reload" }>;

/** The frame of a command with modules: in place of each text is an empty one. */
export function frameOfModules(command: BringsModules): Buffer {
  const { modules } = command;
  const areSendable = modules.length <= textsMax && modules.every(([, text]) => text.isWellFormed());
  if (!areSendable) return toFrame(command);
  const names = modules.map(([name]) => [name, ""] as const);
  return toFrameWithTexts(
    { ...command, modules: names },
    modules.map(([, text]) => text),
  );
}

/** A message with the texts that followed it, not yet checked; undefined where they do not belong to it. */
export function withModuleTexts(message: unknown, texts: readonly string[]): unknown {
  if (texts.length === 0) return message;
  const { t, modules } = (message ?? {}) as { readonly t?: unknown; readonly modules?: unknown };
  const isBringing = (t === "load" || t === "reload") && Array.isArray(modules);
  if (!isBringing || modules.length !== texts.length) return undefined;
  const filled = modules.map((pair: unknown, index) => {
    return Array.isArray(pair) && pair.length === 2 && pair[1] === "" ? [pair[0], texts[index]] : undefined;
  });
  return { ...(message as object), modules: filled };
}
