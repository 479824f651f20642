// What a recording from elsewhere must look like before any of it is run: whole, unchanged, and of the right form.
import { checksumOfData } from "../../code/individuals/checksum.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { parseModuleName, parseTarget } from "../../model/ids.ts";
import { recordingFormat, type Recording, type RecordingBody } from "../../model/recording.ts";
import { show } from "../../model/show.ts";
import { decode } from "../../model/wire/decode.ts";
import { readDeterministic, readModules } from "./spec.ts";

const bytesMax = 64 * 2 ** 20;

type Given = { readonly [K in keyof Recording]?: unknown };

/** The recording that a value is; throws `INVALID_OPTIONS` for what was changed, is too large, or is none. */
export function checkRecording(value: unknown): Recording {
  const given = copyOf(value);
  if (given.format !== recordingFormat) refuse(`a recording of the format ${recordingFormat}`, given.format);
  const { checksum, ...body } = given;
  if (checksum !== checksumOfData(body)) refuse("as it was recorded, which its checksum proves", checksum);
  checkInputs(given);
  checkEnd(given);
  return given as unknown as Recording;
}

/** Adds the checksum. */
export function sealRecording(body: RecordingBody): Recording {
  return { ...body, checksum: checksumOfData(body) };
}

// A copy, so that it is the same when it is read again.
function copyOf(value: unknown): Given {
  const text = textOf(value);
  if (text === undefined || text.length > bytesMax)
    refuse(`plain data of at most ${bytesMax} bytes of JSON`, value);
  const copy = JSON.parse(text as string) as unknown;
  return typeof copy === "object" && copy !== null && !Array.isArray(copy) ? copy : {};
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

// A right checksum proves nothing about whoever made it.
function checkInputs({ modules, target, args, deterministic, supervisor }: Given): void {
  if (!isAdmitted(() => areSources(readModules(modules)))) refuse("with its modules", modules);
  if (!isAdmitted(() => parseTarget(target))) refuse("with its target", target);
  if (!isAdmitted(() => isChance(deterministic))) refuse("with a seed and a time", deterministic);
  if (!isAdmitted(() => Array.isArray(decode(args as string)))) refuse("with its encoded arguments", args);
  if (supervisor !== null && !isAdmitted(() => parseModuleName(supervisor)))
    refuse("with its supervisor, or null", supervisor);
}

const areSources = (modules: ReadonlyMap<string, unknown>): boolean =>
  [...modules.values()].every((source) => typeof source === "string");

const isChance = (value: unknown): boolean =>
  typeof (value as { now?: unknown }).now === "number" && readDeterministic(value, () => 0) !== null;

function checkEnd({ end, revision, fuelUsed, output }: Given): void {
  const { ok, value, error } = (typeof end === "object" && end !== null ? end : {}) as Record<
    string,
    unknown
  >;
  const isEnd = ok === true ? typeof value === "string" : ok === false && typeof error === "object";
  if (!isEnd) refuse("with how it ended", end);
  if (!Number.isSafeInteger(revision)) refuse("with the revision that ran", revision);
  if (fuelUsed !== null && !Number.isSafeInteger(fuelUsed))
    refuse("with the fuel it used, or null", fuelUsed);
  if (!Array.isArray(output) || !output.every((line) => typeof line === "string"))
    refuse("with what it wrote", output);
}

function isAdmitted(check: () => unknown): boolean {
  try {
    return check() !== false;
  } catch {
    return false;
  }
}

function refuse(rule: string, got: unknown): never {
  throw new InvalidOptionsError(`Cannot replay as it must be ${rule}: got ${show(got)}`, "recording");
}
