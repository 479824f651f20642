// What a program could write to break a page that shows it, and what a page must never do with it.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { invisible } from "../../../dashboard/src/text.ts";
import type { DumpIndividual, EvolutionDump } from "../../../src/contract/evolution-bodies.ts";
import { assertNoSidewaysScrolling, type Opened } from "./browser.ts";
import { sampleDump } from "./sample-dump.ts";

/** Each of these would set `window.executed`. */
export const markup = [
  "<script>executed=1</script><img src=x onerror=executed=1><svg onload=executed=1>",
  `"'><iframe srcdoc="<script>parent.executed=1</script>"></iframe><base href=//evil.example>`,
  "</script></style></title></textarea></template>--><!--]]><a href=javascript:executed=1>${executed=1}{executed=1}",
].join("");
/** Characters that would be invisible, or would turn the line around. */
export const hidden = "\0\u0007\u001b[31m\u202e\u2066\u200b\u2028\ufeff\ud800\udc00\udfff\ud83d";
export const hostile = `${markup}${hidden}`;
/** What every object seems to have. */
export const prototypeNames = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"] as const;

/** A record with those names as its own, as a parser of JSON makes it. */
export function withPrototypeNames<T>(value: T): Record<string, T> {
  return Object.fromEntries(prototypeNames.map((name) => [name, value]));
}

export function nested(depth: number): unknown {
  let value: unknown = hostile;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { [hostile]: value };
  return value;
}

/** As if it were run: ids, names and texts are all hostile, figures and times are at the edge. */
export function hostileDump(): EvolutionDump {
  const sample = sampleDump({ individuals: 90, hostile, components: [hostile, ...prototypeNames] });
  const idOf = (id: string): string => `${id}${hostile}`;
  const texts = [...sample.texts, "x".repeat(1e6), `${hostile}\n`.repeat(20_000), ""];
  const many = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`c${index}${hostile}`, index]),
  );
  const figures = [1e308, -1e308, -0, 5e-324, 0];
  const individuals = sample.individuals.map((one, index): DumpIndividual => {
    const kind = prototypeNames[index % prototypeNames.length] ?? "";
    const isEdge = index % 11 === 3;
    const last = index === 89;
    return {
      ...one,
      id: idOf(one.id),
      // Named twice, and itself among them.
      parentIds: [...one.parentIds, ...one.parentIds, ...(index === 7 ? [one.id] : [])].map(idOf),
      generation: last ? 2 ** 31 - 1 : one.generation,
      score: one.score === null ? null : isEdge ? (figures[index % figures.length] ?? 0) : one.score,
      result: one.result === "ok" ? "ok" : index % 2 === 0 ? kind : `${hostile}${index}`,
      components: last || index === 1 ? many : { ...one.components, ...withPrototypeNames(index) },
      population: index % 3 === 0 ? kind : `${one.population}${hostile}`,
      mutation:
        index === 5
          ? nested(900)
          : { [hostile]: hostile, ...withPrototypeNames(hostile), operator: [hostile] },
      evaluatedAt: index === 2 ? 0 : index === 4 ? 8.64e15 : one.evaluatedAt,
      evaluationMs: isEdge ? 1e308 : one.evaluationMs,
      message: hostile.repeat(20),
      adjustments: [{ delta: -1e308, reason: hostile }],
      sources: {
        ...one.sources,
        ...withPrototypeNames(index),
        [hostile]: 90,
        long: 91,
        empty: 92,
      },
      parentSources: { ...one.parentSources, ...withPrototypeNames(0), [hostile]: 91 },
    };
  });
  // An id that occurs again with the same parents.
  const again = [individuals[20], individuals[20]].flatMap((one) => (one === undefined ? [] : [one]));
  const [run] = sample.runs;
  const runs = [run, run].flatMap((one) =>
    one === undefined
      ? []
      : [
          {
            ...one,
            title: hostile,
            about: hostile,
            unit: hostile,
            name: "__proto__",
            seed: 1e308,
            updatedAt: 8.64e15,
          },
        ],
  );
  const events = sample.events.map((event, index) => ({
    ...event,
    at: index === 0 ? 0 : event.at,
    event: {
      ...event.event,
      ...("sandboxId" in event.event ? { sandboxId: idOf(event.event.sandboxId) } : {}),
    },
  })) as unknown as EvolutionDump["events"]; // As only ids are others.
  const odd = [...prototypeNames, hostile].map((name, index) => ({
    ...{
      name,
      at: 8.64e15,
      number: 1e6 + index,
      event: { sandboxId: hostile, [hostile]: nested(50), ...withPrototypeNames(1) },
    },
  })) as unknown as EvolutionDump["events"]; // As a version might write that is not known.
  return {
    ...sample,
    origin: hostile,
    texts,
    individuals: [...individuals, ...again],
    runs,
    events: [...events, ...odd],
  };
}

/** Notes what only executed texts would bring about. */
export async function watch({ page }: Opened): Promise<readonly string[]> {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  return dialogs;
}

interface Found {
  readonly executed: unknown;
  readonly made: readonly string[];
  readonly texts: readonly string[];
}

// All that is in the page, in shadow roots too; options of lists of proposals are no text that is shown.
const look = `(() => {
  const made = [], texts = [];
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.matches("img[src], iframe, object, embed, base, script:not([type=module]):not(#dump), body link, body style, a[href^='javascript']"))
        made.push(node.outerHTML.slice(0, 200));
      for (const name of ["title", "aria-label", "alt", "placeholder", "aria-valuetext", "aria-description"])
        if (node.hasAttribute(name)) texts.push(node.getAttribute(name));
      for (const { name } of node.attributes) if (/^on/.test(name)) made.push(node.localName + " " + name);
      if (node.shadowRoot) { texts.push(node.shadowRoot.textContent); walk(node.shadowRoot); }
    }
  };
  walk(document);
  texts.push(document.title, document.body.innerText);
  return { executed: window.executed, made, texts };
})()`;

/** Nothing was executed or made into elements, nothing is hidden, and the page answers. */
export async function assertHarmless(page: Page): Promise<void> {
  // It has drawn what it had to draw.
  await page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))");
  const { executed, made, texts } = await page.evaluate<Found>(look);
  assert.equal(executed, undefined, "a text was executed");
  assert.deepEqual(made, [], "elements were made of texts");
  for (const text of texts) {
    const [raw] = text.replaceAll("\r", "").match(invisible) ?? [];
    assert.equal(
      raw,
      undefined,
      `${page.url().slice(0, 200)} hides something in ${JSON.stringify(text.slice(0, 300))}`,
    );
  }
  if ((page.viewportSize()?.width ?? 0) < 500) await assertNoSidewaysScrolling(page);
}
