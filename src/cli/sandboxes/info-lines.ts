// All that is known of a sandbox, as lines for a person.
import type { SandboxInfo, Status } from "../../index.ts";
import { defaultLimits, limitNames } from "../../model/limits.ts";
import { diagnosticLines, failureLines, styleOfResult } from "../display/failures.ts";
import { bold, dim, type Line, type Span, type Style } from "../display/lines.ts";
import { counted } from "../display/texts.ts";
import { countText, durationText, memoryText, millisecondsText } from "../display/units.ts";

const styles: Readonly<Partial<Record<string, Style>>> = {
  running: "green",
  failed: "red",
  stopped: "dim",
  stopping: "dim",
};

export function statusSpan(status: Status): Span {
  return { text: status, style: styles[status] ?? "yellow" };
}

const titleWidth = 14;

export function infoLines(info: SandboxInfo): readonly Line[] {
  return [
    [bold(info.id), "  ", statusSpan(info.status), ...(info.reason === null ? [] : [`  ${info.reason}`])],
    ...aboutLines(info),
    ...originLines(info),
    row("usage", usageText(info)),
    row("limits", limitsText(info)),
    ...capabilityLines(info),
    ...moduleLines(info),
    ...fitnessLines(info),
    ...errorLines(info),
  ];
}

function aboutLines(info: SandboxInfo): readonly Line[] {
  const { placement, cell, quarantined, profile, createdAt, uptimeMs, restarts, rebuilds, revision } = info;
  const where = [
    cell === null ? "in no cell" : `cell ${cell}`,
    ...(placement.tenant === null ? [] : [`tenant ${placement.tenant}`]),
    ...(placement.exclusive ? ["exclusive"] : []),
    ...(placement.dense ? ["dense"] : []),
    ...(quarantined ? ["alone, as it brought down a cell or may have"] : []),
  ];
  const labels = Object.entries(info.labels).map(([name, value]) => `${name}=${value}`);
  return [
    row("place", where.join(", ")),
    row("profile", profile),
    row("created", `${new Date(createdAt).toISOString()}, ${durationText(uptimeMs)} ago`),
    row("revision", `${revision}, restarts ${restarts}, rebuilds ${rebuilds}`),
    ...(labels.length === 0 ? [] : [row("labels", labels.join(", "))]),
  ];
}

function originLines({ ancestry, mutation }: SandboxInfo): readonly Line[] {
  const { parentIds, generation, depth } = ancestry;
  const parents = parentIds.length === 0 ? "a seed" : `from ${parentIds.join(", ")}`;
  return [
    row("origin", `${parents}, generation ${generation}, depth ${depth}`),
    ...(mutation === null || mutation === undefined ? [] : [row("mutation", JSON.stringify(mutation))]),
  ];
}

function usageText({ usage }: SandboxInfo): string {
  const { runs, wallMs, cpuMs, heapBytes, heapPeakBytes, processes } = usage;
  const heap =
    heapPeakBytes === 0 ? "" : `, heap ${memoryText(heapBytes)} (peak ${memoryText(heapPeakBytes)})`;
  const living = processes === 0 ? "" : `, ${counted(processes, "process", "processes")}`;
  return `${counted(runs, "run")}, ${millisecondsText(wallMs)}, processor ${millisecondsText(cpuMs)}${heap}${living}`;
}

// Those that are not as usual: all of them are in the JSON.
function limitsText({ limits }: SandboxInfo): string {
  const own = limitNames.filter((name) => limits[name] !== defaultLimits[name]);
  return own.length === 0
    ? "the usual ones"
    : own.map((name) => `${name} ${limits[name] ?? "off"}`).join(", ");
}

function capabilityLines({ capabilities }: SandboxInfo): readonly Line[] {
  return Object.entries(capabilities).map(([name, { calls, quota }]) =>
    row("may use", `${name}: ${countText(calls)} of ${counted(quota.calls, "call")}`),
  );
}

function moduleLines({ modules }: SandboxInfo): readonly Line[] {
  return Object.entries(modules).flatMap(([name, { version, exports, warnings }]): readonly Line[] => [
    [
      "module".padEnd(titleWidth),
      bold(name),
      ` version ${version}: ${exports.join(", ") || "exports nothing"}`,
    ],
    ...diagnosticLines(warnings),
  ]);
}

function fitnessLines({ fitness }: SandboxInfo): readonly Line[] {
  if (fitness === null) return [];
  const { score, result, revision, message } = fitness;
  const what: Line = score === null ? [{ text: result, style: styleOfResult(result) }] : [String(score)];
  return [
    ["fitness".padEnd(titleWidth), ...what, dim(` at revision ${revision}`)],
    ...(message === null ? [] : [row("", message)]),
  ];
}

function errorLines({ lastError }: SandboxInfo): readonly Line[] {
  if (lastError === null) return [];
  const { code, message, diagnostics, failure } = lastError;
  return [
    row("last error", `${code} ${message}`),
    ...(failure === undefined ? diagnosticLines(diagnostics) : failureLines(failure)),
  ];
}

function row(title: string, text: string): Line {
  return [title.padEnd(titleWidth), text];
}
