// Messages as frames. Nearly all of them are runs in one sandbox and their answers: these are sent as a few numbers and a text
// instead of JSON with names, which takes both ends a fraction of the time.
import { Numbers, toFrame, toNumbersFrame } from "../../std/frames.ts";
import { asCommand, asReport } from "./checks.ts";
import { frameOfModules, withModuleTexts } from "./module-texts.ts";
import { frameOfDone, longAnswerLength, withLongAnswers } from "./long-answers.ts";
import {
  laneNames,
  quickWidth,
  type Command,
  type DoneReport,
  type Report,
  type RunGroup,
} from "./messages.ts";

/** In the place of a number that is null. */
const nothing = -1;
/** Ticket, start, wall and processor time of a run whose answer is the text. */
const textAnswerWidth = 4;
/**
 * The numbers of a run: its operation, lane, bounds and sandbox, how long the names of its module and its export are, and how its
 * arguments travel. The text begins with the two names.
 */
const runWidth = 9;
/** The arguments are the rest of the text, as it is. */
const encodedArgs = -1;
/** The arguments are the rest of the text, as JSON. Otherwise they are the numbers that follow. */
const jsonArgs = -2;

export function frameOfCommand(command: Command): Buffer {
  if (command.t === "load" || command.t === "reload") return frameOfModules(command);
  const group = command.t === "run" && command.groups.length === 1 ? command.groups[0] : undefined;
  return (group === undefined ? undefined : shortRunFrame(group)) ?? toFrame(command);
}

// The frame of a single run in the short form; undefined where it has none.
function shortRunFrame(group: RunGroup): Buffer | undefined {
  const { op, lane, module, timeoutMs, cpuMs, fuel, keys, args, code, tell, stream, series } = group;
  const [given] = args;
  const isOther = code !== undefined || tell !== undefined || stream !== undefined || series !== undefined;
  if (keys.length !== 1 || isOther || given === undefined) return undefined;
  const bounds = [timeoutMs, cpuMs ?? nothing, fuel ?? nothing];
  const names = [module.length, group.export.length];
  const numbers = [op, laneNames.indexOf(lane), ...bounds, keys[0] ?? 0, ...names];
  const name = module + group.export;
  if (!name.isWellFormed()) return undefined;
  if (typeof given !== "string" && given.every(isNumber))
    return toNumbersFrame([...numbers, given.length, ...given], name);
  if (typeof given !== "string") return toNumbersFrame([...numbers, jsonArgs], name + JSON.stringify(given));
  return given.isWellFormed() ? toNumbersFrame([...numbers, encodedArgs], name + given) : undefined;
}

/** The command that a frame holds; undefined where it holds none. */
export function commandFrom(message: unknown, texts: readonly string[]): Command | undefined {
  return asCommand(
    message instanceof Numbers ? runFrom(message.values, texts[0] ?? "") : withModuleTexts(message, texts),
  );
}

function runFrom(values: readonly number[], text: string): unknown {
  const [op, lane = nothing, timeoutMs, cpuMs, fuel, key, moduleLength = 0, nameLength = 0] = values;
  const argsAt = moduleLength + nameLength;
  const group = {
    op,
    lane: laneNames[lane],
    module: text.slice(0, moduleLength),
    export: text.slice(moduleLength, argsAt),
    timeoutMs,
    cpuMs: cpuMs === nothing ? null : cpuMs,
    fuel: fuel === nothing ? null : fuel,
    keys: [key],
    args: [argsFrom(values, text.slice(argsAt))],
  };
  return { t: "run", groups: [group] };
}

function argsFrom(values: readonly number[], text: string): unknown {
  const how = values[runWidth - 1];
  if (how === encodedArgs) return text;
  if (how === jsonArgs) return listFrom(text);
  return how === values.length - runWidth && text === "" ? values.slice(runWidth) : undefined;
}

// Undefined is no list of arguments.
function listFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function frameOfReport(report: Report): Buffer {
  if (report.t !== "done") return toFrame(report);
  return shortFrameOf(report) ?? frameOfDone(report);
}

// Of a report with nothing but numbers as answers, or a single text.
function shortFrameOf({ quick, items, heaps, states }: DoneReport): Buffer | undefined {
  if (items.length > 0 || heaps.length > 0 || states.length > 0) return undefined;
  const [op, answer, ...times] = quick;
  if (typeof answer === "string" && quick.length === quickWidth) {
    const isSendable = answer.length < longAnswerLength && answer.isWellFormed();
    return isSendable ? toNumbersFrame([op, ...times] as number[], answer) : undefined;
  }
  return quick.every(isNumber) ? toNumbersFrame(quick, "") : undefined;
}

const isNumber = (value: unknown): value is number => typeof value === "number";

/** The report that a frame holds; undefined where it holds none. Throws `FrameError` for texts that do not belong to it. */
export function reportFrom(message: unknown, texts: readonly string[]): Report | undefined {
  return asReport(
    message instanceof Numbers ? doneFrom(message.values, texts[0] ?? "") : withLongAnswers(message, texts),
  );
}

function doneFrom(values: readonly number[], text: string): DoneReport {
  const [op = 0, ...times] = values.length === textAnswerWidth ? values : [];
  const quick = values.length === textAnswerWidth ? [op, text, ...times] : values;
  return { t: "done", quick, items: [], heaps: [], states: [] };
}
