// What a tool answers: data of a declared shape and a short text, or the sentence of a mistake. Never a stack of ours.
import type { CallToolResult, ResourceLink } from "@modelcontextprotocol/server";
import { VivariumError } from "../model/errors.ts";
import { shown } from "./text.ts";

export interface ToolAnswer<T extends object = object> {
  readonly structured: T;
  /** The same in few words. */
  readonly text: string;
  /** Where more of it is. */
  readonly links?: readonly ResourceLink[];
}

const textChars = 12_000;
const mistakeChars = 2_000;

export function toResult({ structured, text, links = [] }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: "text", text: shown(text, textChars) }, ...links],
    // An object of the tool's output schema, which is always one of an object.
    structuredContent: structured as Record<string, unknown>,
  };
}

/** A mistake that the caller can mend, or what it cannot: then only that something broke. */
export function toMistake(error: unknown, onError: (error: unknown) => void): CallToolResult {
  return { content: [{ type: "text", text: sentenceOf(error, onError) }], isError: true };
}

/** The sentence of an error of ours with its code; anything else is told to the operator alone. */
export function sentenceOf(error: unknown, onError: (error: unknown) => void): string {
  if (error instanceof VivariumError && error.code !== "INTERNAL")
    return shown(`${error.code}: ${error.message}`, mistakeChars);
  onError(error);
  return "INTERNAL: Cannot finish this as something broke inside of the server, whose log says more";
}
