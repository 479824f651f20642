// What an attempt to escape is, and what all of them have in common.

export interface Escape {
  readonly id: string;
  /** The technique, in a sentence. */
  readonly how: string;
  /** The body of a function of `given`, what the host passed, `guest`, the guest's own library, and `can`, what it may ask for. */
  readonly body: string;
  /** What the same guest does when its code has been reloaded. */
  readonly later?: string;
  /** The body of a function that a neighbour calls afterwards. */
  readonly witness?: string;
}

export const escape = (id: string, how: string, body: string): Escape => ({ id, how, body });

/** The same, with what a neighbour does afterwards. */
export const witnessed = (witness: string, attempt: Escape): Escape => ({ ...attempt, witness });

const awaited = (body: string): string => `
    const tried = async (ask) => { try { return await ask(); } catch { return ""; } };
    return (async () => {${body}
    })();`;

/** An attempt that asks the host for something and waits for the answer. */
export const asking = (id: string, how: string, body: string): Escape => escape(id, how, awaited(body));

/** The same, with what the guest does after its code has been reloaded. */
export const reloaded = (later: string, attempt: Escape): Escape => ({ ...attempt, later: awaited(later) });

/** Whether a body asks the host for something. */
export const asks = (body: string): boolean => /\bcan\b/.test(body);

/** The word with which an attempt reports that it reached something. */
export const reached = "REACHED";

/** What attempts may use: from a value to the host's realm, if it comes from there. */
export const prelude = `
function climb(value) {
  const seen = [];
  const from = (each) => {
    if (each === null || (typeof each !== "object" && typeof each !== "function")) return;
    for (let at = each, depth = 0; at !== null && depth < 8; at = Object.getPrototypeOf(at), depth++) seen.push(at);
  };
  from(value);
  for (const each of seen) {
    for (const make of [() => each.constructor.constructor, () => each.constructor, () => each.then.constructor]) {
      try {
        const found = make()("return typeof process === 'object' && process.version ? process.version : ''")();
        if (typeof found === "string" && found !== "") return "${reached} Node " + found;
      } catch {}
    }
  }
  return "";
}
// From the functions and objects below us on the stack: which code reads our values?
function lookBelow() {
  Error.prepareStackTrace = (error, frames) => frames;
  const frames = new Error("where").stack;
  Error.prepareStackTrace = undefined;
  let found = "";
  for (const frame of Array.isArray(frames) ? frames : [])
    found ||= climb(frame.getThis?.()) || climb(frame.getFunction?.());
  return found;
}
`;
