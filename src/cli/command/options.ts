// Options and how their values are read: a mistake is an error with a sentence, never a guess.
import { Option, type Command } from "commander";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { requireFile, requireFolderOrNothing } from "../places.ts";

/** What an option takes. */
export interface Rule<T = unknown> {
  /** The end of "as it must be". */
  readonly rule: string;
  /** The value that a text stands for. Throws `INVALID_OPTIONS`. */
  readonly read: (name: string, text: string) => T;
  /** Whether it may be given several times. */
  readonly repeated?: boolean;
}

/** An option that takes a value, with the rule of it. */
export class RuledOption extends Option {
  readonly rule: Rule;
  constructor(flags: string, about: string, rule: Rule) {
    super(flags, about);
    this.rule = rule;
    // By its long name, as the user writes it.
    const name = (this.long ?? "").slice(2);
    this.argParser((text: string, before: unknown) => {
      const value = rule.read(name, text);
      if (rule.repeated !== true) return value;
      return [...((before as readonly unknown[] | undefined) ?? []), value];
    });
  }
}

/** Adds an option; without a rule it is a flag. `group` is the heading above it in the help, in place of "Options:". */
export function addOption(
  command: Command,
  [flags, about, group]: readonly [flags: string, about: string, group?: string],
  rule?: Rule,
): void {
  const option = rule === undefined ? new Option(flags, about) : new RuledOption(flags, about, rule);
  command.addOption(group === undefined ? option : option.helpGroup(group));
}

export function integer(min: number, max: number): Rule<number> {
  return ruled(`${min}–${max}`, (text) => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
  });
}

export function text(): Rule<string> {
  return ruled("a text", (given) => (given === "" ? undefined : given));
}

export function word<W extends string>(words: readonly W[]): Rule<W> {
  return ruled(`one of ${words.join(", ")}`, (given) => words.find((each) => each === given));
}

/** A file that is there. */
export function file(): Rule<string> {
  return placed((name, path) => requireFile(`--${name}`, path));
}

/** A folder that is there, or can be made. */
export function folder(): Rule<string> {
  return placed((name, path) => requireFolderOrNothing(`--${name}`, path));
}

/** Any JSON. */
export function json(rule = "JSON"): Rule {
  return {
    rule,
    read: (name, given) => {
      try {
        return JSON.parse(given) as unknown;
      } catch {
        throw mistake(name, rule, given);
      }
    },
  };
}

export function repeated<T>(rule: Rule<T>): Rule<T> {
  return { ...rule, repeated: true };
}

/** "Cannot use --NAME as it must be RULE: got VALUE". */
// oxlint-disable-next-line max-params -- the parts of one sentence
export function mistake(
  name: string,
  rule: string,
  value: string | undefined,
  hint = "",
): InvalidOptionsError {
  const got = `${value === undefined ? "nothing" : show(value)}${hint}`;
  return new InvalidOptionsError(`Cannot use --${name} as it must be ${rule}: got ${got}`, name);
}

/** A rule of its own: undefined is a mistake. */
export function ruled<T>(rule: string, read: (text: string) => T | undefined): Rule<T> {
  return {
    rule,
    read: (name, given) => {
      const value = read(given);
      if (value === undefined) throw mistake(name, rule, given);
      return value;
    },
  };
}

function placed(check: (name: string, path: string) => void): Rule<string> {
  const any = text();
  return {
    ...any,
    read: (name, path) => {
      any.read(name, path);
      check(name, path);
      return path;
    },
  };
}
