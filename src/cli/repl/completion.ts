// What may follow what was typed: names of the console's commands, of the language, of what scripts declared, and of what a
// value has. The sandbox is asked, so that nothing of a guest runs here; its answer is taken for names and nothing else.
import type { Sandbox } from "../../index.ts";

/** As `node:readline` wants it: the whole words that fit, and what they replace. */
export type Completions = [words: string[], typed: string];

const namesMax = 500;
const nameLengthMax = 64;
const lookMs = 300;
const word = /^[A-Za-z_$][\w$]*$/;
/** A name, or names with points between them, and the beginning of the last one. */
const typedPath = /((?:[A-Za-z_$][\w$]*\??\.)*)([A-Za-z_$][\w$]*)?$/;
const keywords =
  "async await break case catch class const continue default delete do else export extends false finally for function if import in instanceof let new null of return super switch this throw true try typeof undefined var void while yield";

/**
 * Runs inside. A getter is not called but for that of a global name, which imports are: to look must change nothing. The names
 * of what all objects have come last.
 */
const look = `
  const [path] = args;
  let value = globalThis;
  for (const [depth, name] of path.entries()) {
    if (depth === 0) value = globalThis[name];
    else {
      let holder = Object(value), found;
      while (holder !== null && found === undefined) {
        found = Object.getOwnPropertyDescriptor(holder, name);
        holder = Object.getPrototypeOf(holder);
      }
      value = found?.value;
    }
    if (value === undefined || value === null) return [];
  }
  const names = [];
  for (let holder = Object(value); holder !== null && names.length < 2000; holder = Object.getPrototypeOf(holder))
    if (path.length > 0 && holder === Object.prototype && value !== Object.prototype) break;
    else names.push(...Object.getOwnPropertyNames(holder));
  return names.filter((name) => typeof name === "string").slice(0, 2000);
`;

export async function complete(
  sandbox: Sandbox,
  line: string,
  commands: readonly string[],
): Promise<Completions> {
  if (/^\s*\.\w*$/.test(line)) {
    const typed = line.trim();
    return [commands.filter((name) => name.startsWith(typed)), typed];
  }
  const [, path = "", typed = ""] = typedPath.exec(line) ?? [];
  const parts = path.split(/\??\./).filter((part) => part !== "");
  // Behind a bracket or a text the value is not known without running it.
  const isUnknown = parts.length === 0 && /[.)\]"'`]$/.test(line.slice(0, line.length - typed.length));
  if (isUnknown) return [[], typed];
  const own = parts.length === 0 ? keywords.split(" ") : [];
  if (parts.length === 0 && typed === "") return [[], typed];
  const names = [...(await namesIn(sandbox, parts)), ...own].filter((name) => name.startsWith(typed));
  return [[...new Set(names)].sort().slice(0, namesMax), typed];
}

async function namesIn(sandbox: Sandbox, path: readonly string[]): Promise<readonly string[]> {
  try {
    const outcome = await sandbox.run(look, { args: [path], timeoutMs: lookMs });
    if (!outcome.ok || !Array.isArray(outcome.value)) return [];
    return outcome.value.filter(isWord);
  } catch {
    // The next statement tells what is wrong.
    return [];
  }
}

function isWord(name: unknown): name is string {
  return typeof name === "string" && name.length <= nameLengthMax && word.test(name);
}
