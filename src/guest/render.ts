// A value as one short text, for the message of something that was thrown and is no error. Only own properties are read, and no
// getter runs.
import {
  at,
  dateTime,
  indexOf,
  isArray,
  keys,
  make,
  slice,
  stringify,
  toText,
} from "../model/wire/intrinsics.ts";
import { classNameOf, kindOf, ownValue } from "../model/wire/kinds.ts";

const depthMax = 2;
const itemsMax = 10;
const textMax = 200;

/** The text of a value; it may throw where the value is a proxy. */
export function render(value: unknown, depth: number): string {
  switch (typeof value) {
    case "string":
      return quoted(slice(value, 0, textMax));
    case "bigint":
      return `${toText(value)}n`;
    case "function":
      return `[function ${textOr(ownValue(value, "name"), "(anonymous)")}]`;
    case "object":
      return value === null ? "null" : renderObject(value, depth);
    default:
      return toText(value);
  }
}

function renderObject(value: object, depth: number): string {
  if (isArray(value)) return depth >= depthMax ? "[array]" : renderArray(value, depth);
  const kind = kindOf(value);
  if (kind === "error") {
    return `${textOr(ownValue(value, "name"), classNameOf(value))}: ${textOr(ownValue(value, "message"), "")}`;
  }
  if (kind === "date") return dateText(stringify(new make.Date(dateTime(value))));
  const name = classNameOf(value);
  if (kind !== "plain") return `[${name}]`;
  if (depth >= depthMax) return "[object]";
  const label = name === "Object" || name === "" ? "" : `${name} `;
  const names = keys(value);
  let text = "";
  for (let i = 0; i < names.length && i < itemsMax; i++) {
    const key = at(names, i);
    text += `${i === 0 ? "" : ","} ${slice(key, 0, textMax)}: ${partOf(value, key, depth)}`;
  }
  if (names.length > itemsMax) text += `, … ${names.length - itemsMax} more`;
  return text === "" ? `${label}{}` : `${label}{${text} }`;
}

function renderArray(value: readonly unknown[], depth: number): string {
  let text = "";
  for (let i = 0; i < value.length && i < itemsMax; i++)
    text += `${i === 0 ? "" : ","} ${partOf(value, i, depth)}`;
  if (value.length > itemsMax) text += `, … ${value.length - itemsMax} more`;
  return text === "" ? "[]" : `[${text} ]`;
}

function partOf(object: object, key: string | number, depth: number): string {
  return render(ownValue(object, key), depth + 1);
}

function dateText(json: string): string {
  return json[0] === '"' ? slice(json, 1, -1) : "Invalid Date";
}

function quoted(text: string): string {
  const json = stringify(text);
  return indexOf(text, "'") < 0 && indexOf(text, '"') < 0 ? `'${slice(json, 1, -1)}'` : json;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? slice(value, 0, textMax) : otherwise;
}
