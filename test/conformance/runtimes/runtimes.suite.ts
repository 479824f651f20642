// What every runtime does, wherever it is: one suite for those in this process and those on a server.
import { describeBatches } from "./batches.suite.ts";
import { describeCancellation } from "./cancellation.suite.ts";
import { describeCode } from "./code.suite.ts";
import { describeMistakes } from "./mistakes.suite.ts";
import { describeOutcomes } from "./outcomes.suite.ts";
import { describeRecords } from "./records.suite.ts";
import { describeSandboxes } from "./sandboxes.suite.ts";
import { describeStreams } from "./streams.suite.ts";
import { tried, type StartSubject } from "./subject.ts";

export function describeRuntimes(start: StartSubject): void {
  const subject = tried(start);
  describeSandboxes(subject);
  describeOutcomes(subject);
  describeCancellation(subject);
  describeStreams(subject);
  describeCode(subject);
  describeBatches(subject);
  describeRecords(subject);
  describeMistakes(subject);
}
