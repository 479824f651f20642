// What callers were told and what guests did: everything that must fit together, and what does not.
import type { Beginning } from "./host-notes.ts";

export interface Violation {
  /** The rule that was broken, in one word. */
  readonly rule: string;
  readonly what: string;
  readonly atMs: number;
}

/** Code that may answer for a sandbox, from the moment it was asked for until other code took its place. */
interface Claim {
  /** Null for a return to any code that the sandbox had before. */
  readonly tag: string | null;
  readonly fromMs: number;
  untilMs: number;
  revision: number;
  doubtedMs: number;
  /** In doubt is what may be the head, or that of another sandbox of the same id which is gone. */
  state: "open" | "held" | "refused" | "doubted";
}

interface Seen {
  readonly instance: number;
  readonly birth: number;
}

/** An answer of a guest. */
export interface Told {
  readonly token: string;
  readonly tag: string;
  readonly instance: number;
  readonly evaluation: number;
  readonly count: number;
}

export class Ledger {
  readonly violations: Violation[] = [];
  /** Rules that are known to be broken, and in the way of others. */
  ignored: ReadonlySet<string> = new Set();
  readonly #nowMs: () => number;
  readonly #beginnings = new Map<string, Beginning[]>();
  readonly #effects = new Map<string, number>();
  readonly #repeatable = new Set<string>();
  /** All code that there was: a sandbox that was imported has the versions of another. */
  readonly #tags = new Set<string>();
  readonly #claims = new Map<string, Claim[]>();
  readonly #seen = new Map<string, Seen>();
  readonly #counts = new Set<string>();
  readonly #lossesAt = new Map<number, { readonly who: string; readonly losses: number }>();
  readonly losses = new Map<string, number>();
  readonly births = new Map<string, number>();
  /** The highest count that a server has answered with, by sandbox and birth. */
  readonly answered = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  blame(rule: string, what: string): void {
    if (this.ignored.has(rule)) return;
    if (this.violations.length < 20) this.violations.push({ rule, what, atMs: this.#nowMs() });
  }

  mayRepeat(token: string): void {
    this.#repeatable.add(token);
  }

  /** A run that may not be repeated begins once. A first run of an untouched isolate may, where it asked for nothing. */
  begin(beginning: Beginning): void {
    const { token } = beginning;
    const before = this.#beginnings.get(token) ?? [];
    this.#beginnings.set(token, [...before, beginning]);
    if (before.length === 0 || this.#repeatable.has(token)) return;
    const harmful = before.find(({ isFirst, hasAsked, box }) => !isFirst || hasAsked || box.hasProcesses);
    if (harmful !== undefined)
      this.blame(
        "twice",
        `${token} begins for time ${before.length + 1}: before, it was ${harmful.isFirst ? "" : "not "}the first in its isolate and had ${harmful.hasAsked ? "" : "not "}asked`,
      );
  }

  /** When the cell ended in which a run had begun last; 0 where that was not so, undefined where it never began. */
  lastAtCellMs(token: string): number | undefined {
    return this.#beginnings.get(token)?.at(-1)?.box.discardedMs;
  }

  asked(token: string): void {
    for (const beginning of this.#beginnings.get(token) ?? []) beginning.hasAsked = true;
  }

  /** A capability was called on behalf of a run. */
  effect(token: string): void {
    const count = (this.#effects.get(token) ?? 0) + 1;
    this.#effects.set(token, count);
    if (count > 1 && !this.#repeatable.has(token))
      this.blame("twice", `${token} called its capability ${count} times`);
  }

  /** Code was asked for. */
  claim(id: string, tag: string | null): Claim {
    if (tag !== null) this.#tags.add(tag);
    const claim: Claim = {
      tag,
      fromMs: this.#nowMs(),
      untilMs: Infinity,
      revision: 0,
      doubtedMs: 0,
      state: "open",
    };
    this.#claims.set(id, [...(this.#claims.get(id) ?? []), claim]);
    return claim;
  }

  /** It is the head of the sandbox now; what was so before is not. */
  hold(id: string, claim: Claim, revision: number): void {
    claim.state = "held";
    claim.revision = revision;
    for (const other of this.#claims.get(id) ?? []) {
      if (other === claim || other.untilMs !== Infinity) continue;
      if (other.state === "doubted" && other.doubtedMs <= claim.fromMs) other.untilMs = this.#nowMs();
      if (other.state !== "held") continue;
      // A birth takes the place of what was before it; its event may come late.
      const isLater = revision === 1 ? other.fromMs <= claim.fromMs : other.revision <= revision;
      if (isLater) other.untilMs = this.#nowMs();
      else claim.untilMs = this.#nowMs();
    }
  }

  /** It was the head, and may be so still. */
  doubt(claim: Claim): void {
    claim.state = "doubted";
    claim.doubtedMs = this.#nowMs();
  }

  /** It never was, or is no more. */
  refuse(claim: Claim): void {
    claim.state = "refused";
    claim.untilMs = this.#nowMs();
  }

  /** A sandbox of this id begins. */
  bear(id: string): void {
    this.births.set(id, (this.births.get(id) ?? 0) + 1);
  }

  /** All that is known of heads comes from the disk now. */
  reopen(heads: ReadonlyMap<string, { readonly tag: string; readonly revision: number }>): void {
    for (const [id, claims] of this.#claims) {
      for (const claim of claims) claim.untilMs = Math.min(claim.untilMs, this.#nowMs());
      this.lose(id);
    }
    for (const [id, { tag, revision }] of heads) {
      const claim = this.claim(id, tag);
      claim.state = "held";
      claim.revision = revision;
    }
  }

  lose(id: string): void {
    this.losses.set(id, (this.losses.get(id) ?? 0) + 1);
  }

  /** An isolate is made for a sandbox. */
  made({ instance, who }: { readonly instance: number; readonly who: string }): void {
    const id = who.split("#")[0] as string;
    this.#lossesAt.set(instance, { who, losses: this.losses.get(id) ?? 0 });
  }

  /** A guest's answer to a call that began at a moment. */
  told(id: string, told: Told, call: { readonly token: string; readonly fromMs: number }): void {
    const { token, fromMs } = call;
    if (told.token !== token) return this.blame("value", `${token} was answered ${JSON.stringify(told)}`);
    const claims = this.#claims.get(id) ?? [];
    const isFit = claims.some(
      (claim) =>
        claim.untilMs >= fromMs &&
        claim.state !== "refused" &&
        (claim.tag === told.tag || (claim.tag === null && this.#tags.has(told.tag))),
    );
    if (!isFit) this.blame("value", `${token} on ${id} was answered by ${told.tag}, which was not current`);
    this.#checkLoss(id, told);
  }

  // Variables that began anew without a word.
  #checkLoss(id: string, { token, instance, evaluation, count }: Told): void {
    const seen = this.#seen.get(id);
    const now = { instance, birth: this.births.get(id) ?? 0 };
    this.#seen.set(id, now);
    if (seen !== undefined && seen.birth === now.birth && seen.instance !== instance) {
      const [before, after] = [this.#lossesAt.get(seen.instance), this.#lossesAt.get(instance)];
      if (
        before?.who === after?.who &&
        before?.losses === after?.losses &&
        before?.who.startsWith(`${id}#`) === true
      )
        this.blame("silent-loss", `${id} answers ${token} from another isolate, and nobody was told`);
    }
    if (!token.startsWith("count")) return;
    const name = `${instance}/${evaluation}/${count}`;
    if (this.#counts.has(name)) this.blame("value", `${token} on ${id} counted to ${count} a second time`);
    this.#counts.add(name);
  }

  /** A server that is written down after every message has counted so far. */
  counted(id: string, count: number, atLeast: number): void {
    const name = this.stateName(id);
    if (count <= atLeast) this.blame("state", `${id} counted to ${count} after it had answered ${atLeast}`);
    this.answered.set(name, Math.max(this.answered.get(name) ?? 0, count));
  }

  stateName(id: string): string {
    return `${id}/${this.births.get(id) ?? 0}`;
  }
}

export type { Claim };
