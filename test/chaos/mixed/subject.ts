// What answers may be right: one sandbox as its callers know it, with all operations on it, begun and ended.
import type { Sandbox, SandboxInfo } from "../../../src/index.ts";

/** A moment on the run's own clock, which only counts. */
export type Moment = number;

let moments = 0;
export const moment = (): Moment => ++moments;

interface Reload {
  readonly tag: number;
  readonly begun: Moment;
  /** Undefined while it is under way. */
  ended?: Moment;
  isCommitted?: boolean;
  /** What it was refused with. */
  code?: string | undefined;
}

/** Something that was done to it, besides calls. */
interface Change {
  readonly what: string;
  readonly begun: Moment;
  ended?: Moment;
}

/** One call with its answer: which code it ran, and the value of the module's counter. */
export interface Answer {
  readonly begun: Moment;
  readonly tag: number;
  readonly count: number;
  /** How often it had been rebuilt or restarted before the call, by its own info. */
  readonly resets: number;
}

/** A module that returns its sandbox, its code's tag and how often it was called. The counter is in the other module. */
export const modulesOf = (own: number, tag: number, extra: string = ""): Record<string, string> => ({
  main: mainOf(own, tag, extra),
  state: "let count = 0; export const bump = () => ++count;",
});

export const mainOf = (own: number, tag: number, extra: string = ""): string => `
  import { bump } from "./state";
  const own = ${own}; const tag = ${tag}; ${extra}
  export const quick = (n) => [own, tag, bump(), n];
  export const later = (n) => new Promise((resolve) => setTimeout(() => resolve([own, tag, bump(), n]), 5));
  export const long = (n) => { const end = Date.now() + 4; while (Date.now() < end); return [own, tag, bump(), n]; };`;

/** The tag or the own number in a source of ours, or in what was compiled from it; nothing where there is none. */
export const numberIn = (source: string, name: "own" | "tag"): number | "" => {
  const [, digits] = new RegExp(`const ${name} = (\\d+);`).exec(source) ?? [];
  return digits === undefined ? "" : Number(digits);
};

export const resetsOf = ({ restarts, rebuilds }: SandboxInfo): number => restarts + rebuilds;

export class Subject {
  readonly sandbox: Sandbox;
  readonly own: number;
  /** A caller has suspended it and will resume it. */
  isSuspended = false;
  /** A fault of it was reported already; consequences are not reported again. */
  isBroken = false;
  readonly #reloads: Reload[];
  readonly #changes: Change[] = [];
  #top: (Answer & { readonly ended: Moment }) | undefined;

  constructor(sandbox: Sandbox, own: number, tag: number) {
    this.sandbox = sandbox;
    this.own = own;
    const now = moment();
    this.#reloads = [{ tag, begun: now, ended: now, isCommitted: true }];
  }

  get id(): string {
    return this.sandbox.id;
  }

  get isGone(): boolean {
    return this.#changes.some(({ what }) => what === "destroy");
  }

  /** A change begins. */
  change(what: string): { readonly begun: Moment; readonly end: () => void } {
    const change: Change = { what, begun: moment() };
    this.#changes.push(change);
    return { begun: change.begun, end: () => (change.ended = moment()) };
  }

  /** A reload begins. */
  reload(tag: number): { readonly begun: Moment; readonly end: (code?: string) => void } {
    const reload: Reload = { tag, begun: moment() };
    this.#reloads.push(reload);
    const end = (code?: string): void => {
      reload.ended = moment();
      reload.isCommitted = code === undefined;
      reload.code = code;
    };
    return { begun: reload.begun, end };
  }

  /** Whether one of these changes was under way at some moment since then. */
  hasMet(since: Moment, ...names: readonly string[]): boolean {
    return this.#changes.some(({ what, ended }) => names.includes(what) && (ended ?? Infinity) > since);
  }

  /** Whether another operation was under way since then: concurrent ones may be refused. */
  hasMetOthers(since: Moment): boolean {
    const hasMet = ({ begun, ended = Infinity }: Change | Reload): boolean =>
      begun !== since && ended > since;
    return this.#changes.some(hasMet) || this.#reloads.some(hasMet);
  }

  /** Why an answer cannot be right; undefined when it can. */
  objectionTo(answer: Answer, resetsNow: number): string | undefined {
    return this.#objectionToTag(answer) ?? this.#objectionToCount(answer, resetsNow);
  }

  // Code may answer from when its reload began until another, begun later than it ended, was committed.
  #objectionToTag({ tag, begun }: Answer): string | undefined {
    const shown = this.#reloads.find((reload) => reload.tag === tag);
    if (shown === undefined) return `code ${tag} was never asked for`;
    if (shown.isCommitted === false) return `code ${tag} was refused with ${shown.code}`;
    const newer = this.#reloads.find(
      ({ isCommitted, begun: from, ended = Infinity }) =>
        isCommitted === true && from > (shown.ended ?? Infinity) && ended < begun,
    );
    return newer === undefined ? undefined : `code ${tag} was replaced by ${newer.tag} before`;
  }

  // Between two successive calls the counter grows, unless the module was evaluated again in between.
  #objectionToCount(answer: Answer, resetsNow: number): string | undefined {
    const top = this.#top;
    const isHigher = top === undefined || answer.count > top.count;
    if (isHigher || top.ended < answer.begun) this.#top = { ...answer, ended: moment() };
    if (isHigher || top.ended > answer.begun) return undefined;
    const hasBegunAnew = resetsNow > top.resets || this.hasMet(top.begun, "restart", "memory");
    if (hasBegunAnew) return undefined;
    return `its variable went from ${top.count} to ${answer.count}, though it never began anew (${resetsNow})`;
  }
}
