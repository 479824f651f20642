// What a recording from elsewhere must look like before any of it is run: whole, unchanged, and of the right form.
import { checksumOfData } from "../../std/checksum.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { parseModuleName, parseTarget } from "../../model/ids.ts";
import { recordingFormat, type Recording, type RecordingBody } from "../../model/sandboxes/recording.ts";
import { isRecord, isTexts } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { decode } from "../../model/wire/decode.ts";
import { readDeterministic, readModules } from "./spec.ts";

const bytesMax = 64 * 2 ** 20;

type Given = { readonly [K in keyof Recording]?: unknown };
type Part = Exclude<keyof Recording, "format" | "checksum" | "timeoutMs" | "fuel">;

// A right checksum proves nothing about its maker. Each part must be so, and a check that throws refuses too; the limits
// are checked against those of the sandbox.
const parts: Readonly<Record<Part, readonly [rule: string, check: (value: unknown) => unknown]>> = {
  modules: ["with its modules", (value) => isTexts([...readModules(value).values()])],
  target: ["with its target", parseTarget],
  deterministic: [
    "with a seed and a time",
    (value) =>
      isRecord(value) && typeof value["now"] === "number" && readDeterministic(value, () => 0) !== null,
  ],
  args: ["with its encoded arguments", (value) => Array.isArray(decode(value as string))],
  supervisor: ["with its supervisor, or null", (value) => value === null || parseModuleName(value)],
  end: ["with how it ended", (value) => isRecord(value) && isEnd(value)],
  revision: ["with the revision that ran", Number.isSafeInteger],
  fuelUsed: ["with the fuel it used, or null", (value) => value === null || Number.isSafeInteger(value)],
  output: ["with what it wrote", isTexts],
};

/** The recording that a value is; throws `INVALID_OPTIONS` for what was changed, is too large, or is none. */
export function checkRecording(value: unknown): Recording {
  const given = copyOf(value);
  if (given.format !== recordingFormat) refuse(`a recording of the format ${recordingFormat}`, given.format);
  const { checksum, ...body } = given;
  if (checksum !== checksumOfData(body)) refuse("as it was recorded, which its checksum proves", checksum);
  for (const [name, [rule, check]] of Object.entries(parts)) {
    const part = given[name as Part];
    if (!isAdmitted(() => check(part))) refuse(rule, part);
  }
  return given as Recording;
}

/** Adds the checksum. */
export function withChecksum(body: RecordingBody): Recording {
  return { ...body, checksum: checksumOfData(body) };
}

// A copy, so that it is the same when it is read again.
function copyOf(value: unknown): Given {
  const text = textOf(value);
  if (text === undefined || text.length > bytesMax)
    return refuse(`plain data of at most ${bytesMax} bytes of JSON`, value);
  const copy: unknown = JSON.parse(text);
  return isRecord(copy) ? copy : {};
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function isEnd({ ok, value, error }: Readonly<Record<string, unknown>>): boolean {
  return ok === true ? typeof value === "string" : ok === false && typeof error === "object";
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
