// The command line and the environment: texts in, checked settings or an error message out.
import { parseArgs } from "node:util";

export interface Endpoint {
  /** Up to and including the version, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
}

export interface Settings {
  readonly endpoint: Endpoint;
  /** How many requests may be made in all, including retries. */
  readonly requests: number;
  /** How many requests are made at a time, and so how many variants each round has. */
  readonly parallel: number;
  /** How many programs are kept from one round to the next. */
  readonly population: number;
  readonly timeoutMs: number;
  /** How long to wait before the first retry; each further wait is twice as long. */
  readonly backoffMs: number;
}

const bounds = {
  requests: { min: 1, max: 1_000, default: 20 },
  parallel: { min: 1, max: 16, default: 4 },
  population: { min: 1, max: 20, default: 6 },
  "timeout-ms": { min: 100, max: 600_000, default: 60_000 },
  "backoff-ms": { min: 1, max: 60_000, default: 500 },
} as const;

type Name = keyof typeof bounds;

export const help = `Evolves a rule for packing bins with a language model that writes the variants.

Usage: node examples/llm/main.ts [options]

  --requests N      requests in all, 1–1000 (default 20)
  --parallel N      requests at a time, 1–16 (default 4)
  --population N    programs that are kept, 1–20 (default 6)
  --timeout-ms N    how long one request may take, 100–600000 (default 60000)
  --backoff-ms N    the first wait before another try, 1–60000 (default 500)
  --help            show this text

Environment, for any server that speaks the chat completions of OpenAI:
  OPENAI_BASE_URL   up to the version: https://api.openai.com/v1, http://localhost:11434/v1
  OPENAI_API_KEY    what the server wants; any text for one that wants nothing
  OPENAI_MODEL      the model's name

Exit codes: 0 done, 1 no program was better or the server cannot be used, 2 a wrong option, 130 ended by Ctrl-C.`;

/** A mistake of the caller's. */
export class Mistake extends Error {}

/** Undefined where help was asked for. */
export function readSettings(args: readonly string[], environment: NodeJS.ProcessEnv): Settings | undefined {
  const given = new Map<string, string | undefined>();
  const options = Object.fromEntries(Object.keys(bounds).map((name) => [name, { type: "string" } as const]));
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === "option" && token.name === "help") return undefined;
    if (token.kind !== "option" || !(token.name in bounds)) {
      const names = [...Object.keys(bounds), "help"].map((name) => `--${name}`).join(", ");
      throw new Mistake(`Cannot use this option as it must be one of ${names}: got "${args[token.index]}"`);
    }
    given.set(token.name, token.value);
  }
  const read = (name: Name): number =>
    given.has(name) ? toInteger(name, given.get(name)) : bounds[name].default;
  return {
    requests: read("requests"),
    parallel: read("parallel"),
    population: read("population"),
    timeoutMs: read("timeout-ms"),
    backoffMs: read("backoff-ms"),
    endpoint: readEndpoint(environment),
  };
}

function toInteger(name: Name, text: string | undefined): number {
  const { min, max } = bounds[name];
  if (text !== undefined && /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max)
    return Number(text);
  throw new Mistake(`Cannot use --${name} as it must be ${min}–${max}: got ${text ?? "nothing"}`);
}

function readEndpoint(environment: NodeJS.ProcessEnv): Endpoint {
  const read = (name: string): string => {
    const value = environment[name];
    if (value !== undefined && value !== "") return value;
    throw new Mistake(`Cannot ask a model as ${name} must be set in the environment: it is not`);
  };
  const baseUrl = read("OPENAI_BASE_URL").replace(/\/+$/, "");
  if (!["http:", "https:"].includes(URL.parse(baseUrl)?.protocol ?? ""))
    throw new Mistake(
      `Cannot ask a model as OPENAI_BASE_URL must be an http or https address: got ${baseUrl}`,
    );
  return { baseUrl, key: read("OPENAI_API_KEY"), model: read("OPENAI_MODEL") };
}
