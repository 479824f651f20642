// Every row, in the order of the table.
import type { Row } from "./row.ts";
import { batchCallRows } from "./rows/batch-call.ts";
import { callRows } from "./rows/call.ts";
import { compileRows } from "./rows/compile.ts";
import { computeRows } from "./rows/compute.ts";
import { createRows } from "./rows/create.ts";
import { crossModuleRows } from "./rows/cross-module.ts";
import { destroyRows } from "./rows/destroy.ts";
import { fuelRows } from "./rows/fuel.ts";
import { jailRows } from "./rows/jail.ts";
import { evaluateRows } from "./rows/evaluate.ts";
import { liveRows } from "./rows/live.ts";
import { memoryRows } from "./rows/memory.ts";
import { processRows } from "./rows/processes.ts";
import { recoveryRows } from "./rows/recovery.ts";
import { reloadRows } from "./rows/reload.ts";
import { scaleRows } from "./rows/scale.ts";
import { shortEntryRows } from "./rows/short-entries.ts";
import { sliceRows } from "./rows/slice.ts";
import { startRows } from "./rows/start.ts";
import { storeRows } from "./rows/store.ts";
import { suiteRows } from "./rows/suite.ts";
import { timeoutRows } from "./rows/timeout.ts";
import { generationRows } from "./rows/generations.ts";
import { specGenerationRows } from "./rows/spec-generations.ts";
import { trackerRows } from "./rows/tracker.ts";

export const rows: readonly Row[] = [
  ...startRows,
  ...createRows,
  ...compileRows,
  ...reloadRows,
  ...callRows,
  ...liveRows,
  ...batchCallRows,
  ...evaluateRows,
  ...suiteRows,
  ...computeRows,
  ...shortEntryRows,
  ...crossModuleRows,
  ...fuelRows,
  ...memoryRows,
  ...processRows,
  ...timeoutRows,
  ...sliceRows,
  ...recoveryRows,
  ...storeRows,
  ...jailRows,
  ...destroyRows,
  ...trackerRows,
  ...generationRows,
  ...specGenerationRows,
  ...scaleRows,
];
