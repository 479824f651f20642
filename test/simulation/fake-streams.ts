// Steps of streams in a simulated cell: a generator gives its parts one by one, and is gone with its isolate.
import type { StreamStep } from "../../src/execution/protocol/run-parts.ts";
import { encode } from "../../src/model/wire/encode.ts";
import type { Dice } from "./dice.ts";
import { nothing, type Act } from "./fake-acts.ts";
import type { FakeBox, FakeStream } from "./fake-box.ts";
import type { HostNotes } from "./host-notes.ts";

const bytesMax = 2 ** 20;
const textOf = (value: unknown): string => encode(value, bytesMax);

interface StepHost {
  readonly parts: { readonly dice: Dice; readonly notes: HostNotes };
}

/** What a step does; only the first one has arguments. */
export function stepActOf(
  host: StepHost,
  box: FakeBox,
  { step, args }: { readonly step: StreamStep; readonly args: unknown },
): Act {
  const { id, verb } = step;
  if (verb === "end") {
    box.streams.delete(id);
    // Now and then its `finally` blocks take longer than they may.
    const forMs = host.parts.dice.chance(0.9) ? 0 : host.parts.dice.pick([50, 3_000]);
    return actAfter(forMs, () => nothing);
  }
  if (verb === "open") {
    const [token, ms, count] = args as [string, number, number];
    box.streams.set(id, { token, ms, count, at: 0 });
  }
  const stream = box.streams.get(id);
  if (stream === undefined) return actAfter(0, () => textOf(null));
  return actAfter(stream.ms, () => partOf(host, box, { id, stream }));
}

function partOf(
  { parts }: StepHost,
  box: FakeBox,
  { id, stream }: { readonly id: number; readonly stream: FakeStream },
): string {
  const { token, count, at } = stream;
  if (at >= count) {
    box.streams.delete(id);
    return textOf({ done: true, value: token });
  }
  parts.notes.onPart(token, at);
  stream.at++;
  return textOf({ done: false, value: [token, at, box.instance] });
}

function actAfter(forMs: number, answer: () => string): Act {
  const end = forMs === 0 ? ({ do: "answer", answer } as const) : ({ do: "wait", forMs, answer } as const);
  return { spinMs: 0, isHard: false, end };
}
