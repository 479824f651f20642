// Stacks in console lines, in the lines of the guest's own source: of what a timer threw, of a rejection that nobody handled, and
// of errors that a guest writes itself.
import { StackMapper } from "../../code/stacks/guest-stack.ts";
import type { SandboxView } from "../sandbox-view.ts";
import type { ShippedTerms } from "./known-code.ts";
import { artifactsOf } from "./outcome-of.ts";

const frame = /^\s*at .*vivarium:/m;
/** A longer line is left as it is. */
const lengthMax = 16_384;

/** Maps the lines of one report, with one bound for all of them. */
export class ConsoleStacks {
  readonly #sandbox: Pick<SandboxView, "modules">;
  readonly #terms: ShippedTerms | undefined;
  #mapper: StackMapper | undefined;

  constructor(sandbox: Pick<SandboxView, "modules">, terms: ShippedTerms | undefined) {
    this.#sandbox = sandbox;
    this.#terms = terms;
  }

  map(text: string): string {
    // Most lines have none, and are not searched for more than a word.
    if (text.length > lengthMax || !text.includes("vivarium:") || !frame.test(text)) return text;
    this.#mapper ??= new StackMapper(artifactsOf(this.#sandbox, this.#terms));
    return this.#mapper.map(text);
  }
}
