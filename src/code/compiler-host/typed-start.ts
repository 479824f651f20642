// Whether the beginning of a source shows that it is no JavaScript, so that it need not be parsed as such. Only what no module of
// JavaScript can have there counts: the language of a source is the same with this look and without it.
import { endOfGap } from "./gap.ts";

/** An import as nearly all are written; one with escapes is not. */
const plainImport = /import\b[\w$\s{},*]*(?:"[^"\\\n]*"|'[^'\\\n]*')[ \t]*;?/y;

// Not an operator, which may stand behind any word.
const word = String.raw`(?!in\b|instanceof\b)[\w$]+`;
const blank = String.raw`[ \t]+`;
const typedStart = new RegExp(
  [
    String.raw`import\s+type(?:\s*[{*]|\s+(?!from\b)[\w$])`,
    // Reserved words, or a word beside another one on the same line.
    String.raw`(?:export\s+)?(?:interface|enum|const\s+enum)\s+${word}`,
    String.raw`(?:export${blank})?(?:declare|abstract|namespace)${blank}${word}`,
    String.raw`(?:export${blank})?type${blank}${word}\s*[=<]`,
    String.raw`(?:export\s+)?(?:const|let|var)\s+${word}\s*!?:`,
    String.raw`(?:export\s+(?:default\s+)?)?(?:async${blank})?function[\s*]+${word}\s*(?:<|\(\s*${word}\s*\??:)`,
    String.raw`(?:export\s+(?:default\s+)?)?class\s+${word}\s*<`,
  ].join("|"),
  "y",
);

/** True where the source is no JavaScript; false where it may be. */
export function isSurelyTyped(source: string): boolean {
  for (let at = endOfGap(source, 0); ;) {
    if (endOf(typedStart, source, at) !== undefined) return true;
    const importEnd = endOf(plainImport, source, at);
    if (importEnd === undefined) return false;
    at = endOfGap(source, importEnd);
  }
}

function endOf(pattern: RegExp, source: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : undefined;
}
