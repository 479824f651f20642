// The check that each end makes on arrival: whether a message is one of the union in messages.ts.
import { isJailLayer } from "../../jail/layers.ts";
import { featureNames } from "../../model/code/finding.ts";
import {
  laneNames,
  plainArgsMax,
  quickWidth,
  type CellVerdict,
  type Command,
  type Lane,
  type Report,
} from "./messages.ts";
import { seriesCasesMax, streamVerbs } from "./run-parts.ts";

const verdicts: ReadonlySet<unknown> = new Set<CellVerdict>([
  "answered",
  "timeout",
  "cpu",
  "cpu-share",
  "fuel",
  "memory",
  "output",
  "sliced",
  "spared",
  "gone",
  "neighbour",
  "cancelled",
]);
const lanes: ReadonlySet<unknown> = new Set<Lane>(laneNames);

/** The message as a report; undefined where it is none. */
export function asReport(message: unknown): Report | undefined {
  return isOneOf<Report>(message, reportChecks) ? message : undefined;
}

/** The message as a command; undefined where it is none. */
export function asCommand(message: unknown): Command | undefined {
  return isOneOf<Command>(message, commandChecks) ? message : undefined;
}

type Fields = Record<string, unknown>;
type Checks<T extends string> = Readonly<Record<T, (message: Fields) => boolean>>;

// `t` may be any JSON value; only a text is used as a name.
function isOneOf<M extends { readonly t: string }>(message: unknown, checks: Checks<M["t"]>): message is M {
  if (!isRecord(message)) return false;
  const kind = message["t"];
  const byName: Readonly<Partial<Record<string, (fields: Fields) => boolean>>> = checks;
  return typeof kind === "string" && Object.hasOwn(byName, kind) && byName[kind]?.(message) === true;
}

const reportChecks: Checks<Report["t"]> = {
  ready: (m) =>
    isText(m["node"]) &&
    (m["slate"] === "mapped" || m["slate"] === "written") &&
    (m["tether"] === "signal" || m["tether"] === "thread") &&
    isList(m["layers"], isJailLayer),
  done: (m) =>
    isQuick(m["quick"]) &&
    isList(m["items"], isDoneItem) &&
    isList(m["heaps"], isHeapSample) &&
    isList(m["states"], isStateChanges),
  pending: (m) => isCount(m["op"]) && isAmount(m["startedUs"]),
  waiting: (m) => isCount(m["op"]),
  log: (m) => isCount(m["key"]) && isCount(m["op"]) && isList(m["lines"], isLine),
  background: (m) => isCount(m["key"]) && verdicts.has(m["verdict"]) && typeof m["isLost"] === "boolean",
  request: (m) =>
    isCount(m["key"]) && isCount(m["op"]) && isCount(m["id"]) && isText(m["name"]) && isText(m["args"]),
  process: (m) => isCount(m["key"]) && isText(m["kind"]) && isText(m["detail"]),
  poisoned: (m) => isText(m["why"]),
};

const commandChecks: Checks<Command["t"]> = {
  start: (m) =>
    isCount(m["asyncLanes"]) &&
    isAmount(m["sliceMs"]) &&
    isCount(m["warm"]) &&
    isAmount(m["warmMemoryBytes"]),
  load: (m) => isLoad(m),
  reload: (m) =>
    isCount(m["op"]) &&
    isCount(m["key"]) &&
    (m["lane"] === "sync" || m["lane"] === "async") &&
    isAmount(m["budgetMs"]) &&
    isList(m["modules"], isPair) &&
    isList(m["removed"], isText) &&
    isText(m["versions"]) &&
    isText(m["states"]),
  manage: (m) =>
    isCount(m["op"]) &&
    isCount(m["key"]) &&
    isAmount(m["budgetMs"]) &&
    isText(m["verb"]) &&
    isText(m["first"]) &&
    isText(m["second"]),
  answer: (m) => isCount(m["key"]) && isCount(m["id"]) && isText(m["code"]) && isText(m["text"]),
  hold: (m) => isCount(m["key"]) && typeof m["isHeld"] === "boolean",
  settle: (m) => isCount(m["op"]) && isCount(m["key"]) && typeof m["isCommitted"] === "boolean",
  run: (m) => isList(m["groups"], isRunGroup),
  keep: (m) => isCount(m["list"]) && isList(m["targets"], isPair) && isList(m["cases"], isText),
  release: (m) => isList(m["lists"], isCount),
  drop: (m) => isList(m["keys"], isCount),
  limits: (m) => isCount(m["key"]) && isBoxLimits(m["limits"]),
  cancel: (m) => isCount(m["op"]) && isCount(m["key"]),
  sample: (m) => isCount(m["op"]) && isCount(m["key"]),
};

function isQuick(value: unknown): boolean {
  if (!Array.isArray(value) || value.length % quickWidth !== 0) return false;
  for (let i = 0; i < value.length; i += quickWidth) {
    if (
      !isAnswer(value[i + 1]) ||
      !isCount(value[i]) ||
      !isAmount(value[i + 2]) ||
      !isAmount(value[i + 3]) ||
      !isAmount(value[i + 4])
    )
      return false;
  }
  return true;
}

function isDoneItem(item: unknown): boolean {
  if (!isRecord(item)) return false;
  const { answer } = item;
  return (
    isCount(item["op"]) &&
    verdicts.has(item["verdict"]) &&
    isAnswer(answer) &&
    isAmount(item["startedUs"]) &&
    isAmount(item["wallUs"]) &&
    isAmount(item["cpuUs"]) &&
    isAmount(item["outputBytes"]) &&
    (item["fuel"] === null || isCount(item["fuel"])) &&
    typeof item["isLost"] === "boolean" &&
    (item["before"] === undefined || isList(item["before"], isAnswer))
  );
}

function isHeapSample(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return (
    isCount(value["key"]) &&
    isAmount(value["heapBytes"]) &&
    isAmount(value["heapPeakBytes"]) &&
    isAmount(value["externalBytes"]) &&
    isCount(value["processes"]) &&
    isCount(value["processesMax"]) &&
    isCount(value["queueMax"]) &&
    isCount(value["isolate"]) &&
    isCount(value["sandboxes"])
  );
}

function isStateChanges(value: unknown): boolean {
  return (
    isRecord(value) && isCount(value["key"]) && isText(value["capture"]) && isList(value["begun"], isCount)
  );
}

function isProcessPlan(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { supervisor, capture, isCheckpointed } = value;
  return (
    (supervisor === null || isText(supervisor)) && isText(capture) && typeof isCheckpointed === "boolean"
  );
}

function isLoad(m: Fields): boolean {
  return (
    isCount(m["op"]) &&
    isCount(m["key"]) &&
    lanes.has(m["lane"]) &&
    typeof m["isProven"] === "boolean" &&
    typeof m["isDense"] === "boolean" &&
    isAmount(m["budgetMs"]) &&
    isBoxLimits(m["limits"]) &&
    isCharacter(m["character"]) &&
    isList(m["features"], isGrant) &&
    (m["fetchBy"] === undefined || isText(m["fetchBy"])) &&
    (m["processes"] === null || isProcessPlan(m["processes"])) &&
    isCount(m["usedMs"]) &&
    typeof m["isHeld"] === "boolean" &&
    isList(m["modules"], isPair)
  );
}

function isRunGroup(group: unknown): boolean {
  if (!isRecord(group)) return false;
  const { keys, args } = group;
  return (
    isCount(group["op"]) &&
    lanes.has(group["lane"]) &&
    isText(group["module"]) &&
    isText(group["export"]) &&
    isAmount(group["timeoutMs"]) &&
    (group["cpuMs"] === null || isAmount(group["cpuMs"])) &&
    (group["fuel"] === null || isCount(group["fuel"])) &&
    (group["code"] === undefined || isText(group["code"])) &&
    (group["codeName"] === undefined || isText(group["codeName"])) &&
    (group["script"] === undefined || isScriptCall(group["script"])) &&
    (group["tell"] === undefined || group["tell"] === "ask" || group["tell"] === "send") &&
    (group["stream"] === undefined || isStreamStep(group["stream"])) &&
    isList(keys, isCount) &&
    isList(args, isArgs) &&
    (group["isShared"] === undefined || typeof group["isShared"] === "boolean") &&
    args.length === (group["isShared"] === true ? 1 : keys.length) &&
    (group["series"] === undefined || isSeries(group["series"]))
  );
}

function isStreamStep(value: unknown): boolean {
  return isRecord(value) && isCount(value["id"]) && streamVerbs.some((verb) => verb === value["verb"]);
}

const isScriptCall = (value: unknown): boolean =>
  isRecord(value) && isText(value["name"]) && typeof value["waits"] === "boolean";

function isSeries(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { list, from, count, isStrict } = value;
  return (
    isCount(list) &&
    isCount(from) &&
    isCount(count) &&
    count > 0 &&
    count <= seriesCasesMax &&
    typeof isStrict === "boolean"
  );
}

const isGrant = (value: unknown): boolean => featureNames.some((name) => name === value);
const isArgs = (value: unknown): boolean =>
  isText(value) || (isList(value, isPrimitive) && value.length <= plainArgsMax);
const isPrimitive = (value: unknown): boolean => typeof value !== "object" || value === null;

function isCharacter(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { deterministic } = value;
  return (
    deterministic === null ||
    (isRecord(deterministic) && isAmount(deterministic["seed"]) && isAmount(deterministic["now"]))
  );
}

function isBoxLimits(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { memoryBytes, stepMs, cpuPercent, resultBytes, outputBytes, fuel } = value;
  const { processes, messageQueue, loadMs } = value;
  return (
    isAmount(memoryBytes) &&
    isAmount(stepMs) &&
    (cpuPercent === null || isAmount(cpuPercent)) &&
    isAmount(resultBytes) &&
    isAmount(outputBytes) &&
    (fuel === null || isCount(fuel)) &&
    isCount(processes) &&
    isCount(messageQueue) &&
    isAmount(loadMs)
  );
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isAnswer = (value: unknown): boolean => typeof value === "string" || isNumber(value);
const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isAmount = (value: unknown): boolean => isNumber(value) && value >= 0;
const isCount = (value: unknown): value is number =>
  isNumber(value) && Number.isSafeInteger(value) && value >= 0;
const isPair = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && isText(value[0]) && isText(value[1]);
const isLine = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && isCount(value[0]) && value[0] < 5 && isText(value[1]);
const isList = (value: unknown, isItem: (item: unknown) => boolean): value is unknown[] =>
  Array.isArray(value) && value.every(isItem);
