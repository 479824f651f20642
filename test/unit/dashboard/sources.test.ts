// Where the page has its data from: a server, of which no event and no page is lost or counted twice, and documents.
import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { Model } from "../../../dashboard/src/model/model.ts";
import { readDump } from "../../../dashboard/src/source/dump.ts";
import { LiveSource } from "../../../dashboard/src/source/live.ts";
import { answerMs } from "../../../dashboard/src/source/questions.ts";
import { RecordedSource } from "../../../dashboard/src/source/recorded.ts";
import type { RemoteRuntime } from "../../../src/client/types.ts";
import type {
  DumpIndividual,
  EvolutionDump,
  IndividualsPage,
} from "../../../src/contract/evolution-bodies.ts";
import type { AnyEvent, CancelOptions } from "../../../src/index.ts";
import { sampleDump } from "../../browser/support/sample-dump.ts";
import { entry } from "./entries.ts";

const born = (sandboxId: string, at: number): AnyEvent => ({
  name: "lineage.born",
  at,
  event: { sandboxId, parentIds: [], generation: 0, mutation: null, depth: 0, checksum: null, createdAt: at },
});

/** A server as a source sees it, whose answers a test gives one by one. */
class ServerDouble {
  readonly asked: { readonly after: number; readonly answer: PromiseWithResolvers<IndividualsPage> }[] = [];
  /** How long each question may take. */
  readonly deadlines: (number | undefined)[] = [];
  tell: (any: AnyEvent) => void = () => {};
  #more = Promise.withResolvers<void>();

  get runtime(): RemoteRuntime {
    const about = { scope: "read", tenant: null };
    const events = { onAny: (act: (any: AnyEvent) => void) => ((this.tell = act), () => {}) };
    const bound = ({ deadlineMs }: CancelOptions = {}): void => void this.deadlines.push(deadlineMs);
    const individuals = (
      options: CancelOptions & { readonly after?: number } = {},
    ): Promise<IndividualsPage> => {
      bound(options);
      const { after: from = 0 } = options;
      const answer = Promise.withResolvers<IndividualsPage>();
      this.asked.push({ after: from, answer });
      this.#more.resolve();
      return answer.promise;
    };
    // What a source uses of a runtime.
    return {
      about,
      events,
      individuals,
      individual: async (id: string, options?: CancelOptions) => (bound(options), { id }),
      runs: async (options?: CancelOptions) => (bound(options), []),
      close: async () => {},
    } as unknown as RemoteRuntime;
  }

  /** Answers the next question for a page. */
  async answer(page: Partial<IndividualsPage>): Promise<number> {
    while (this.asked.length === 0) {
      this.#more = Promise.withResolvers();
      await this.#more.promise;
    }
    const asked = this.asked.shift();
    const whole = { individuals: [], next: null, total: 0, forgotten: 0, direction: "maximise", ...page };
    asked?.answer.resolve(whole as IndividualsPage);
    // What waits for the answer goes on.
    await new Promise(setImmediate);
    return asked?.after ?? -1;
  }
}

function follow(): { readonly server: ServerDouble; readonly source: LiveSource; readonly model: Model } {
  const server = new ServerDouble();
  const model = new Model();
  const source = new LiveSource({ runtime: server.runtime, model, origin: "a test" });
  source.begin();
  after(() => source.close());
  return { server, source, model };
}

suite("a server", () => {
  test("what happens while pages are read is applied behind them, once", async () => {
    const { server, model } = follow();
    server.tell(born("b", 2));
    server.tell(born("c", 3));
    assert.equal(await server.answer({ individuals: [entry("a")], next: 1, total: 2 }), 0);
    assert.deepEqual(model.loading, { done: 1, total: 2 });
    assert.equal(model.individuals.size, 0);
    assert.equal(await server.answer({ individuals: [entry("b", { state: "dead" })], total: 2 }), 1);
    const { individuals } = model;
    assert.deepEqual(
      [0, 1, 2].map((row) => individuals.id(row)),
      ["a", "b", "c"],
    );
    assert.equal(individuals.state(1), "dead");
    assert.equal(model.loading, null);
  });

  test("events that did not arrive are counted, and individuals are read anew", async () => {
    const { server, source, model } = follow();
    await server.answer({ individuals: [entry("a")], total: 1 });
    source.onMissed({ missed: 7, error: null });
    await server.answer({ individuals: [entry("a"), entry("b")], total: 2 });
    assert.deepEqual([model.missed, model.individuals.size], [7, 2]);
    source.onMissed({ missed: null, error: null });
    assert.equal(model.missed, null);
    source.onMissed({ missed: 1, error: null });
    assert.equal(model.missed, null);
  });

  test("a gap while pages are read has them read once more", async () => {
    const { server, source, model } = follow();
    source.onMissed({ missed: 1, error: null });
    await server.answer({ individuals: [entry("a")], total: 1 });
    const from = await server.answer({ individuals: [entry("a", { state: "dead" }), entry("b")], total: 2 });
    assert.deepEqual([from, model.individuals.size, model.individuals.state(0)], [0, 2, "dead"]);
  });

  test("nothing is asked for again and again while nobody sees the page", async () => {
    const [server, model, clock] = [new ServerDouble(), new Model(), new FakeClock()];
    let isSeen = false;
    const more = { clock, isSeen: () => isSeen };
    const source = new LiveSource({ runtime: server.runtime, model, origin: "a test", ...more });
    source.begin();
    await server.answer({ individuals: [entry("a")], total: 1 });
    for (let times = 0; times < 10; times++) {
      clock.advance(3_000);
      await new Promise((go) => setImmediate(go));
    }
    assert.equal(server.asked.length, 0);
    isSeen = true;
    clock.advance(3_000);
    assert.equal(await server.answer({ total: 1 }), 1);
    source.close();
  });

  test("each question has a bound of time, so that one that is never answered is asked again", async () => {
    const { server, source } = follow();
    await server.answer({ individuals: [entry("a")], next: 1, total: 2 });
    await server.answer({ individuals: [entry("b")], total: 2 });
    assert.equal((await source.individual("a"))?.id, "a");
    assert.deepEqual(server.deadlines, [answerMs, answerMs, answerMs, answerMs]);
  });

  test("a connection that is lost is said with its time until it is open again", async () => {
    const { server, source, model } = follow();
    await server.answer({});
    source.onConnection({ open: true, error: null });
    assert.equal(model.connection.state, "open");
    source.onConnection({ open: false, error: null });
    const lost = model.connection;
    source.onConnection({ open: false, error: new Error("again") });
    assert.equal(model.connection, lost);
    source.onConnection({ open: true, error: null });
    assert.equal(model.connection.state, "open");
  });
});

suite("a document", () => {
  test("one moment has the same individuals and events, from whichever side it is come to", () => {
    const dump = sampleDump({ individuals: 200 });
    const model = new Model();
    const { slider } = new RecordedSource(dump, model);
    const whole = [model.individuals.size, model.events.total, model.individuals.best];
    assert.deepEqual(whole.slice(0, 2), [dump.individuals.length, dump.events.length]);
    const middle = (slider.from + slider.to) / 2;
    slider.seek(middle);
    const then = [model.individuals.size, model.events.total, model.individuals.best];
    slider.seek(slider.from);
    assert.ok(model.individuals.size < Number(then[0]));
    slider.seek(middle);
    assert.deepEqual([model.individuals.size, model.events.total, model.individuals.best], then);
    slider.seek(slider.to);
    assert.deepEqual([model.individuals.size, model.events.total, model.individuals.best], whole);
  });

  test("parents in a circle, and events that stand in no order, are shown", async () => {
    const dump = sampleDump({ individuals: 40 });
    const circular = dump.individuals.map((one, index, all): DumpIndividual => ({
      ...one,
      parentIds: [all[(index + 1) % all.length]?.id ?? ""],
    }));
    const model = new Model();
    const source = new RecordedSource({ ...dump, individuals: circular, events: [] }, model);
    assert.equal(model.individuals.size, 40);
    assert.equal(model.individuals.path(0).length, 40);
    assert.equal((await source.individual("i3"))?.id, "i3");
    assert.equal(await source.individual("none"), null);
    new RecordedSource({ ...dump, events: dump.events.toReversed() }, new Model()).slider.seek(0);
  });

  test("who has an id that is used again is shown as each of them, also where only the later birth is told", () => {
    const [some] = sampleDump({ individuals: 8 }).individuals;
    assert.ok(some);
    const one = { ...some, id: "a", parentIds: [] };
    const dump = {
      ...sampleDump({ individuals: 8 }),
      individuals: [
        { ...one, state: "dead", score: 5, evaluatedAt: 1, population: "north" },
        { ...one, state: "dead", score: null, result: "none", evaluatedAt: null, population: "west" },
        { ...one, state: "living", score: null, result: "none", evaluatedAt: null, population: "south" },
      ],
      events: [{ ...born("a", 4), number: 1 }],
    } as const;
    const model = new Model();
    const { slider } = new RecordedSource(dump, model);
    const shown = (): readonly unknown[] =>
      Array.from({ length: model.individuals.size }, (_, row) => [
        model.individuals.state(row),
        model.individuals.population(row),
      ]);
    const gone = [
      ["dead", "north"],
      ["dead", "west"],
    ];
    assert.deepEqual(shown(), [...gone, ["living", "south"]]);
    slider.seek(3);
    assert.deepEqual(shown(), gone);
    const died = { name: "sandbox.destroy.stop", at: 3, event: { sandboxId: "a", reason: "call" } };
    const events = [born("a", 2), died, born("a", 4)].map((any, index) => ({ ...any, number: index + 1 }));
    // The third of them all is the second whose birth is told; and a clock may have gone back.
    const later = new RecordedSource({ ...dump, events } as unknown as EvolutionDump, model);
    assert.equal(later.slider.at, 4);
    assert.deepEqual(shown(), [...gone, ["living", "south"]]);
  });

  test("one of nothing at all is shown as nothing", () => {
    const model = new Model();
    const { slider } = new RecordedSource(
      { ...sampleDump({ individuals: 8 }), individuals: [], events: [] },
      model,
    );
    slider.seek(slider.from);
    assert.deepEqual([slider.from, model.individuals.size], [slider.to, 0]);
  });

  test("what is no document of an evolution is refused, each with its reason", () => {
    const dump = sampleDump({ individuals: 8 });
    assert.deepEqual(readDump(JSON.stringify(dump)), JSON.parse(JSON.stringify(dump)));
    const texts: readonly (readonly [string, RegExp])[] = [
      ["", /must be JSON/],
      [JSON.stringify(dump).slice(0, -5), /was cut/],
      ["[]", /must be a dump/],
      ["null", /must be a dump/],
      [JSON.stringify({ ...dump, formatVersion: 2 }), /must be version 1: got 2/],
      [JSON.stringify({ ...dump, events: {} }), /its events must be a list/],
    ];
    for (const [text, reason] of texts) assert.throws(() => readDump(text), reason);
  });
});
