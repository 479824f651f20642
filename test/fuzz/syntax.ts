// Text that is nearly, or not at all, a program: random tokens, programs with pieces moved, and bytes.
import type { Dice } from "./dice.ts";
import { programOf } from "./programs.ts";

const tokens = [
  "import",
  "export",
  "default",
  "from",
  "await",
  "async",
  "function",
  "class",
  "extends",
  "=>",
  "{",
  "}",
  "(",
  ")",
  "[",
  "]",
  "`",
  "${",
  "'",
  '"',
  "/",
  "//",
  "/*",
  "*/",
  "<",
  ">",
  "</",
  "/>",
  ";",
  ":",
  ",",
  ".",
  "...",
  "?.",
  "??=",
  "#x",
  "@",
  "\\",
  "\\u0061",
  "\u2028",
  "\0",
  "\ufeff",
  "enum",
  "namespace",
  "declare",
  "type",
  "interface",
  "as",
  "satisfies",
  "abstract",
  "let",
  "const",
  "using",
  "yield",
  "new.target",
  "import.meta",
  "super",
  "this",
  "0b",
  "1_0",
  "08",
  "1n",
  "0x",
  "a",
  "b",
  "vivarium/guest",
  "./x",
  "<div>",
  "__proto__",
  "get",
  "set",
  "static",
  "#!",
  "<!--",
  "-->",
  "\ud800",
  "with",
  "debugger",
  "label:",
  "break",
  "//# sourceMappingURL=/etc/passwd",
  "/(?<a>",
  "é",
] as const;

/** Source text of any kind. */
export function syntaxOf(dice: Dice): string {
  return dice.pick<() => string>([
    () => dice.many(60, () => dice.pick(tokens)).join(dice.pick([" ", "", "\n"])),
    () => dice.bytes(300).toString("latin1"),
    () => dice.bytes(300).toString("utf8"),
    () => mutate(dice, programOf(dice)),
    () => `${dice.pick(tokens)}${dice.pick(["(", "[", "{", "!", "a?", "`${"]).repeat(dice.below(3_000))}`,
    () =>
      `export const f = ${dice.pick(["1+", "a.", "!", "-~", "[", "(", "a=>", "new "]).repeat(dice.below(2_000))}1`,
  ])();
}

function mutate(dice: Dice, text: string): string {
  let changed = text;
  for (let n = dice.below(8) + 1; n > 0; n--) {
    const at = dice.below(changed.length + 1);
    const end = Math.min(changed.length, at + dice.below(20));
    const piece = changed.slice(at, end);
    changed = dice.pick<() => string>([
      () => changed.slice(0, at) + changed.slice(end),
      () => changed.slice(0, at) + dice.pick(tokens) + changed.slice(at),
      () => changed.slice(0, at) + piece + piece + changed.slice(end),
      () => changed.slice(0, at) + piece.split("").toReversed().join("") + changed.slice(end),
    ])();
  }
  return changed;
}
