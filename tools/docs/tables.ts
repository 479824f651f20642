// The tables of the documentation, each made of the code that it describes.
import { rows } from "../../bench/rows.ts";
import { completeConfig, type RuntimeOptions } from "../../src/api/options/config.ts";
import { errorCodes } from "../../src/model/errors.ts";
import { evaluationFailureKinds } from "../../src/model/fitness.ts";
import { limitNames, limitTable } from "../../src/model/limits.ts";
import { failureKinds } from "../../src/model/runs/outcome.ts";
import { featureFor, findingNames, findingTable, fetchGlobals } from "../../src/model/code/finding.ts";
import { eventNames, eventDescriptions } from "../../src/observability/catalogue.ts";
import { problemKinds } from "../../src/store/folder/maintenance/problem.ts";
import { presets } from "../../src/security/presets.ts";
import { featuresOf } from "../../src/security/profile.ts";
import { globalsByProfileTable, globalsTable } from "./globals.ts";
import { commandTable, exitCodeTable } from "./commands.ts";
import { httpErrorTable, operationTable } from "./http-tables.ts";
import { agentBoundTable, toolTable } from "./mcp-tables.ts";
import { readInterface, type Member } from "./interfaces.ts";
import { layerTable, systemTable } from "./jail-tables.ts";
import type { Table } from "./markdown.ts";

const source = (path: string): URL => new URL(`../../src/${path}`, import.meta.url);
const code = (text: string): string => `\`${text}\``;

export const tables = {
  events: eventTable,
  "failure-kinds": () => sentences("`error.kind`", failureKinds),
  "evaluation-failure-kinds": () => sentences("`error.kind`", evaluationFailureKinds),
  "error-codes": () => sentences("`error.code`", errorCodes),
  commands: commandTable,
  "exit-codes": exitCodeTable,
  "mcp-tools": toolTable,
  "mcp-bounds": agentBoundTable,
  "http-errors": httpErrorTable,
  "http-operations": operationTable,
  "data-folder-problems": () => sentences("`kind`", problemKinds),
  limits: limitsTable,
  "limits-short": shortLimitsTable,
  configuration: configurationTable,
  profiles: profilesTable,
  findings: findingsTable,
  globals: globalsTable,
  "globals-by-profile": globalsByProfileTable,
  "jail-layers": layerTable,
  "jail-systems": systemTable,
  "benchmark-rows": () => [["row", "what is measured"], ...rows.map(({ name, about }) => [name, about])],
} as const satisfies Record<string, () => Table>;

export type TableName = keyof typeof tables;

function sentences(heading: string, byName: Readonly<Record<string, string>>): Table {
  return [[heading, "meaning"], ...Object.entries(byName).map(([name, sentence]) => [code(name), sentence])];
}

function eventTable(): Table {
  const carried = new Map(
    readInterface(source("observability/catalogue.ts"), "EventMap").map(({ name, members }) => [
      name,
      members,
    ]),
  );
  const rows = eventNames.map((name) => {
    const fields = carried.get(name)?.map((member) => code(member.name)) ?? [];
    return [code(name), eventDescriptions[name], fields.join(", ")];
  });
  return [["event", "when", "carries"], ...rows];
}

function limitsTable(): Table {
  const rows = limitNames.map((name) => {
    const { default: usual, min, max, about } = limitTable[name];
    const bounds = `${amount(name, min)} – ${amount(name, max)}`;
    return [code(name), usual === null ? "off" : amount(name, usual), bounds, about];
  });
  return [["limit", "default", "bounds", "what it bounds"], ...rows];
}

function shortLimitsTable(): Table {
  return [["limit", "default", "what it bounds"], ...limitsTable().slice(1).map(withoutBounds)];
}

function withoutBounds([name = "", usual = "", , about = ""]: readonly string[]): readonly string[] {
  return [name, usual, about];
}

// One row per field, one column per preset.
function profilesTable(): Table {
  const profiles = Object.values(presets);
  const limit = (name: "memoryBytes" | "processes" | "timeoutMsMax"): readonly string[] =>
    profiles.map(({ limits }) => amount(name, limits[name] ?? 0));
  return [
    ["", ...profiles.map(({ name }) => code(name))],
    ["`limits.memoryBytes`", ...limit("memoryBytes")],
    ["`limits.processes`", ...limit("processes")],
    ["`limits.timeoutMsMax`", ...limit("timeoutMsMax")],
    ["`features`", ...profiles.map((profile) => featuresOf(profile).map(code).join(", ") || "none")],
    ["`capabilities`", ...profiles.map(({ capabilities }) => code(String(capabilities)))],
    ["`npmImports`", ...profiles.map(({ npmImports }) => code(npmImports))],
    ["`scan.blocked`", ...profiles.map(({ scan }) => code(scan.blocked))],
    ["`scan.suspicious`", ...profiles.map(({ scan }) => code(scan.suspicious))],
    ["`scan.explain`", ...profiles.map(({ scan }) => code(String(scan.explain)))],
    ["`audit`", ...profiles.map(({ audit }) => code(audit))],
    ["`placement`", ...profiles.map(({ placement }) => code(placement))],
  ];
}

function findingsTable(): Table {
  const rows = findingNames.map((name) => {
    const { level, about } = findingTable[name];
    const grant = featureFor(name);
    const served =
      name === "host-global" ? `${fetchGlobals.map(code).join(", ")}: a \`fetchCapability\`` : "";
    return [code(name), level, `The code ${about}.`, grant === undefined ? served : code(grant)];
  });
  return [["finding", "level", "what it means", "no finding where granted"], ...rows];
}

function configurationTable(): Table {
  const config = completeConfig(undefined);
  const rows = leavesOf(readInterface(source("api/options/config.ts"), "RuntimeOptions"), []).map(
    ({ path, doc }) => {
      const [about = "", told] = doc.split(/ ?Default: /);
      const usual = told?.replace(/\.$/, "") ?? shown(path, valueAt(config, path));
      return [code(path.join(".")), usual, ruleOf(path), about];
    },
  );
  return [["option", "default", "must", "what it is"], ...rows];
}

interface Leaf {
  readonly path: readonly string[];
  readonly doc: string;
}

function leavesOf(members: readonly Member[], above: readonly string[]): readonly Leaf[] {
  return members.flatMap(({ name, doc, members: inner }) => {
    const path = [...above, name];
    return inner.length === 0 ? [{ path, doc }] : leavesOf(inner, path);
  });
}

function valueAt(config: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as Record<string, unknown>)[name], config);
}

// The rule is what the code itself says when the option is wrong.
function ruleOf(path: readonly string[]): string {
  const wrong = path.reduceRight<unknown>((value, name) => ({ [name]: value }), -1) as RuntimeOptions;
  try {
    completeConfig(wrong);
  } catch (error) {
    const [, rule = ""] = / must (.*): got /.exec(String(error)) ?? [];
    return rule.replaceAll(/\d+/g, (digits) => amount(path.at(-1) ?? "", Number(digits)));
  }
  throw new Error(`Cannot describe ${path.join(".")} as it must be checked: -1 was accepted`);
}

function shown(path: readonly string[], value: unknown): string {
  if (typeof value === "number") return amount(path.at(-1) ?? "", value);
  return typeof value === "boolean" || typeof value === "string"
    ? code(String(value))
    : JSON.stringify(value);
}

const byteUnits = [
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
  ["B", 1],
] as const;

const timeUnits = [
  ["day", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** A number as people read it, in the largest unit that divides it. */
function amount(name: string, value: number): string {
  const units = /Bytes(?:Max)?$/.test(name) ? byteUnits : /Ms(?:Max)?$/.test(name) ? timeUnits : undefined;
  const [unit, size] = units?.find(([, size]) => value >= size && value % size === 0) ??
    units?.at(-1) ?? ["", 1];
  const text = (value / size).toLocaleString("en-US");
  if (name.endsWith("Percent")) return `${text} %`;
  return `${text} ${unit === "day" && value > size ? "days" : unit}`.trim();
}
