// A checksum of exported data, which shows whether it was changed since.
import { createHash } from "node:crypto";

/** The checksum of data that JSON can express. Names are sorted, so that their order does not matter. */
export function checksumOfData(body: object): string {
  return createHash("sha256").update(canonical(body)).digest("hex");
}

/** Data that JSON can express as one text, whatever the order of its names. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`);
  return `{${parts.join(",")}}`;
}
