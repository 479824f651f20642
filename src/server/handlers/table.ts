// Every operation with its handler.
import type { OperationId } from "../../contract/operations.ts";
import type { Handlers } from "../handler.ts";
import { administrationHandlers } from "./administration.ts";
import { batchHandlers } from "./batches.ts";
import { codeHandlers } from "./code.ts";
import { evolutionHandlers } from "./evolution.ts";
import { observingHandlers } from "./observing.ts";
import { processHandlers } from "./processes.ts";
import { runHandlers } from "./runs.ts";
import { sandboxHandlers } from "./sandboxes.ts";
import { sessionHandlers } from "./sessions.ts";

export const handlers: Handlers<OperationId> = {
  ...sandboxHandlers,
  ...runHandlers,
  ...codeHandlers,
  ...processHandlers,
  ...sessionHandlers,
  ...batchHandlers,
  ...evolutionHandlers,
  ...observingHandlers,
  ...administrationHandlers,
};
