// What a cell reports of a run that answered at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Reporter } from "../../../../src/execution/cell-host/reporter.ts";
import { reportFrom } from "../../../../src/execution/protocol/encoding.ts";
import type { Report } from "../../../../src/execution/protocol/messages.ts";
import { FrameReader } from "../../../../src/std/frames.ts";

const frameBytesMax = 65_536;

test("Reporter tells times in microseconds, and processor time to a tenth of one", () => {
  const reports: (Report | undefined)[] = [];
  const reader = new FrameReader(frameBytesMax);
  const reporter = new Reporter((frame) =>
    reader.push(frame, (message, texts) => void reports.push(reportFrom(message, texts))),
  );
  reporter.quick(7, 42, { startedMs: 12.3456, wallMs: 0.0061, cpuMs: 0.00234 });
  reporter.quick(8, "text", { startedMs: 12.3456, wallMs: 0.0061, cpuMs: 0.00236 });
  reporter.flush();
  assert.deepEqual(
    reports.map((report) => (report?.t === "done" ? report.quick : undefined)),
    [[7, 42, 12_346, 6, 2.3, 8, "text", 12_346, 6, 2.4]],
  );
});
