// How many tests passed, failed and were skipped, and the line that says so.

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** What is told of a test that ended. */
export interface Ended {
  readonly skip?: string | boolean | undefined;
  readonly todo?: string | boolean | undefined;
  readonly name?: string;
  readonly details: { readonly type?: string | undefined };
}

/** Counts one test. A suite is not a test of its own, unless it failed without one. */
export function count(counts: Counts, event: Ended, how: "passed" | "failed"): void {
  if (event.details.type === "suite" && how === "passed") return;
  const isSkipped = event.skip !== undefined && event.skip !== false;
  counts[isSkipped || event.todo !== undefined ? "skipped" : how]++;
}

/** Which tests were skipped for a reason, by the reasons: what a long run must not hide. */
export class Skipped {
  readonly #names = new Map<string, string[]>();

  take({ skip, name = "" }: Ended): void {
    if (typeof skip !== "string" || skip === "") return;
    const names = this.#names.get(skip) ?? [];
    this.#names.set(skip, [...names, name]);
  }

  lines(): readonly string[] {
    return [...this.#names].map(([reason, names]) =>
      [`﹣ ${names.length} skipped as ${reason}`, ...names.map((name) => `    ${name}`)].join("\n"),
    );
  }
}

export function add(counts: Counts, more: Counts): void {
  counts.passed += more.passed;
  counts.failed += more.failed;
  counts.skipped += more.skipped;
}

export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
