// Events for one reader as server-sent events: those that it may see and wants, from a number on, a few at a time.
import { liveFrame, missedFrame } from "../../contract/event-frames.ts";
import { eventNames } from "../../observability/catalogue.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { Clock } from "../../std/clock.ts";
import type { Asked } from "../handler.ts";
import type { ReadEvent } from "../held/event-log.ts";
import { checkOwned } from "./specs.ts";

/** How long the texts of several events together may become, and how many are looked at without a turn for others. */
const lengthMax = 65_536;
const looksMax = 1_000;
/** How many events may pass that a reader does not want until it is told where it is. */
const silentMax = 1_000;

/** Throws for a name that is none, and for another's sandbox. */
export function eventTexts(asked: Asked<"events">): (signal: AbortSignal) => AsyncIterable<string> {
  const { parts } = asked;
  const { expiresAt = Infinity } = asked.caller;
  const isWanted = wantedBy(asked);
  const last = lastOf(asked.lastEventId);
  // What happens from now on is for this reader, also before it takes anything.
  let number = last === undefined ? parts.events.next : last + 1;
  return async function* (signal): AsyncGenerator<string> {
    const { events, clock, bounds } = parts;
    const leave = events.read();
    try {
      yield ": events follow\n\n";
      // Who comes back is told first what it missed; from the live frame on, also without an event, it can come back.
      const begun = events.next;
      let isLive = false;
      let told = number - 1;
      // With its token the reader's stream ends; the wall clock, which may jump, is looked at with each beat too.
      while (!signal.aborted && !events.isOver && clock.now() < expiresAt) {
        if (number < events.first || number > events.next) {
          const missed = events.missing(number - 1);
          number = events.first;
          if (missed !== 0) yield `event: ${missedFrame}\ndata: ${JSON.stringify({ missed })}\n\n`;
        }
        // Again where there was nothing for it for long, so that it is not told later to have missed what it did not want.
        if (number - 1 - told >= silentMax || (!isLive && number >= begun)) {
          isLive ||= number >= begun;
          told = number - 1;
          if (isLive) yield `id: ${number - 1}\nevent: ${liveFrame}\ndata: {}\n\n`;
        }
        const more = events.more();
        const read = take(events, number, (event) => (isWanted(event) ? textOf(event, asked) : ""));
        number = read.next;
        if (read.text !== "") {
          told = number - 1;
          yield read.text;
        } else if (number === events.next) {
          const ms = Math.min(bounds.heartbeatMs, expiresAt - clock.now());
          if (!(await orBeat(clock, { more, signal, ms }))) yield ": nothing new\n\n";
        }
      }
    } finally {
      leave();
    }
  };
}

function take(
  events: Asked<"events">["parts"]["events"],
  from: number,
  textFor: (event: ReadEvent) => string,
): { readonly text: string; readonly next: number } {
  let text = "";
  let number = from;
  for (let looks = 0; looks < looksMax && text.length < lengthMax; looks++) {
    const event = events.at(number);
    if (event === undefined) break;
    number++;
    text += textFor(event);
  }
  return { text, next: number };
}

function textOf({ number, text }: ReadEvent, { caller }: Asked<"events">): string {
  return `id: ${number}\ndata: ${text(caller.tenant === null)}\n\n`;
}

function wantedBy({ parts, caller, query }: Asked<"events">): (event: ReadEvent) => boolean {
  const { name, sandboxId } = query;
  const unknown = name?.find((one) => !(eventNames as readonly string[]).includes(one));
  if (unknown !== undefined) {
    const message = `Cannot listen as name must be the name of an event: got ${show(unknown)}`;
    throw new InvalidOptionsError(message, "name");
  }
  if (sandboxId !== undefined) checkOwned(parts.gate, caller, sandboxId);
  const names = name === undefined ? undefined : new Set<string>(name);
  return (event) =>
    (names === undefined || names.has(event.name)) &&
    (sandboxId === undefined || event.sandboxId === sandboxId) &&
    (caller.tenant === null || (event.sandboxId !== null && parts.gate.ownsId(caller, event.sandboxId)));
}

function lastOf(lastEventId: string | null): number | undefined {
  if (lastEventId === null || lastEventId === "") return undefined;
  const number = Number(lastEventId);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  const message = `Cannot use Last-Event-ID as it must be the number of an event: got ${show(lastEventId)}`;
  throw new InvalidOptionsError(message, "Last-Event-ID");
}

interface Beat {
  readonly more: Promise<void>;
  readonly signal: AbortSignal;
  readonly ms: number;
}

// Whether there is more, or the reader is gone; false where there was nothing for a while.
async function orBeat(clock: Clock, { more, signal, ms }: Beat): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = clock.after(ms, () => late.resolve(false));
  const onAbort = (): void => late.resolve(true);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([more.then(() => true), late.promise]);
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", onAbort);
  }
}
