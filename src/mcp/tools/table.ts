// All tools, in the order in which they are listed.
import { evaluate } from "./evaluate.ts";
import { diff, reload, rollback } from "./changes.ts";
import { lineage, populationSummary } from "./origins.ts";
import { call, runCode } from "./runs.ts";
import { createSandbox, destroy, inspect, listSandboxes } from "./sandboxes.ts";
import type { Tool } from "./tool.ts";

export const tools: readonly Tool[] = [
  runCode,
  createSandbox,
  call,
  evaluate,
  reload,
  inspect,
  diff,
  rollback,
  listSandboxes,
  populationSummary,
  lineage,
  destroy,
];

const byName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.name, tool]));

export function findTool(name: string): Tool | undefined {
  return byName.get(name);
}
