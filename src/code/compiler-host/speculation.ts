// A linear check for sources that make a parser of TypeScript try again and again. After `a<` it reads what follows as types,
// and after `a ? (b) :` as the return type of an arrow function, and begins again where that fails: a chain of these costs the
// square of its length. No program has such chains. Strings, templates and comments are skipped as far as that is simple;
// what is missed costs its owner compile time, which is bounded.

/** How many `<` without their `>` may be around one place: as comparisons, or as the beginnings of type arguments. */
export const openAnglesMax = 100;
/** How many arrow functions may be around one place. */
export const openArrowsMax = 100;

export interface Speculation {
  readonly message: string;
  /** Offset of the place. */
  readonly at: number;
}

interface Open {
  angles: number;
  arrows: number;
}

/** The first place of a source around which there is too much that a parser may have to read again. */
export function speculationOf(source: string): Speculation | undefined {
  if (!hasMore(source, "<", openAnglesMax) && !hasMore(source, "=>", openArrowsMax)) return undefined;
  const reader = new Reader(source);
  for (let at = reader.next(); at < source.length; at = reader.next()) {
    const message = reader.read(at);
    if (message !== undefined) return { message, at };
  }
  return undefined;
}

// Most sources have so few of them that they need not be read.
function hasMore(source: string, text: string, count: number): boolean {
  let found = 0;
  for (let at = source.indexOf(text); at >= 0 && found <= count; at = source.indexOf(text, at + 1)) found++;
  return found > count;
}

const angleMessage = `More than ${openAnglesMax} "<" are open at once`;
const arrowMessage = `More than ${openArrowsMax} arrow functions are inside each other`;

/** After these no type goes on, so that comparisons before them are done with. */
const endsTypes = new Set(";?=+*%^");
const opening = new Set("([{");
const closing = new Set(")]}");
/** An expression goes on over the end of a line before these words, and after those. */
const infixWords = new Set(["as", "extends", "in", "instanceof", "is", "of", "satisfies"]);
const prefixWords = new Set(
  ["await", "case", "delete", "extends", "in", "infer", "instanceof", "keyof", "new", "of", "return"].concat([
    "readonly",
    "throw",
    "typeof",
    "unique",
    "yield",
    "as",
    "satisfies",
    "is",
    "asserts",
  ]),
);

class Reader {
  readonly #source: string;
  /** What is open now, and what was open at each bracket around it. */
  #open: Open = { angles: 0, arrows: 0 };
  #base: Open = { angles: 0, arrows: 0 };
  readonly #around: { readonly open: Open; readonly base: Open }[] = [];
  #at = -1;

  constructor(source: string) {
    this.#source = source;
  }

  /** The offset of the next character that is code. */
  next(): number {
    for (this.#at++; this.#at < this.#source.length; this.#at++) {
      const end = endOfText(this.#source, this.#at);
      if (end === undefined) break;
      this.#at = end;
    }
    return this.#at;
  }

  /** Takes one character of code; returns what is wrong with the place. */
  read(at: number): string | undefined {
    const char = this.#source.charAt(at);
    const following = this.#source[at + 1];
    if (char === "<") return this.#readLess(following);
    if (char === ">") this.#open.angles = Math.max(this.#base.angles, this.#open.angles - 1);
    else if (char === "=" && following === ">") return this.#readArrow();
    else if (opening.has(char)) this.#enter();
    else if (closing.has(char)) this.#leave();
    else this.#readOther(char, following, at);
    return undefined;
  }

  #readLess(following: string | undefined): string | undefined {
    if (following === "=" || following === "<") this.#at++;
    else if (++this.#open.angles > openAnglesMax) return angleMessage;
    return undefined;
  }

  #readArrow(): string | undefined {
    this.#at++;
    return ++this.#open.arrows > openArrowsMax ? arrowMessage : undefined;
  }

  #readOther(char: string, following: string | undefined, at: number): void {
    const isDoubled = (char === "&" || char === "|") && following === char;
    if (endsTypes.has(char) || isDoubled) this.#open.angles = this.#base.angles;
    const endsArrows = char === ";" || char === "," || (char === "\n" && isStatementEnd(this.#source, at));
    if (endsArrows) this.#open.arrows = this.#base.arrows;
  }

  #enter(): void {
    this.#around.push({ open: this.#open, base: this.#base });
    this.#base = { ...this.#open };
    this.#open = { ...this.#open };
  }

  #leave(): void {
    const before = this.#around.pop();
    if (before !== undefined) ({ open: this.#open, base: this.#base } = before);
  }
}

// Where a string, a template or a comment begins: the offset of its last character.
function endOfText(source: string, at: number): number | undefined {
  const char = source[at];
  if (char === '"' || char === "'") return endOfString(source, at, `${char}\n`);
  if (char === "`") return endOfString(source, at, char);
  if (char !== "/") return undefined;
  if (source[at + 1] === "/") return endBefore(source, source.indexOf("\n", at));
  if (source[at + 1] !== "*") return undefined;
  const end = source.indexOf("*/", at + 2);
  return end < 0 ? source.length : end + 1;
}

function endBefore(source: string, end: number): number {
  return end < 0 ? source.length : end - 1;
}

function endOfString(source: string, start: number, ends: string): number {
  let at = start + 1;
  while (at < source.length && !ends.includes(source.charAt(at))) at += source[at] === "\\" ? 2 : 1;
  return at;
}

const wordsMax = 32;

// Whether a line ends with an operand and the next begins with one: then a new statement begins there.
function isStatementEnd(source: string, at: number): boolean {
  const before = /([\w$]+|[)\]}"'`])\s*$/.exec(source.slice(Math.max(0, at - wordsMax), at))?.[1];
  const after = /^\s*([\w$]+)/.exec(source.slice(at, at + wordsMax))?.[1];
  if (before === undefined || after === undefined) return false;
  return !prefixWords.has(before) && !infixWords.has(after);
}
