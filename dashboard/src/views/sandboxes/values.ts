// Values that guests give, as text: JSON where it says all of it, and words for what JSON cannot say.
export function valueText(value: unknown): string {
  if (value === undefined) return "undefined";
  if (typeof value === "number" || typeof value === "bigint") return textOfNumber(value);
  try {
    return (JSON.stringify(value, told, 2) as string | undefined) ?? String(value);
  } catch (error) {
    return `A value that cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  }
}

// Called with what `toJSON` made of a value, so that a date is a text already.
function told(_key: string, value: unknown): unknown {
  if (value === undefined) return "undefined";
  if (typeof value === "bigint") return textOfNumber(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (value instanceof Map) return { Map: [...(value as Map<unknown, unknown>)] };
  if (value instanceof Set) return { Set: [...(value as Set<unknown>)] };
  if (value instanceof Error) return { [value.name]: value.message };
  if (value instanceof RegExp) return String(value);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView))
    return {
      [value.constructor.name]: Array.from(value as unknown as ArrayLike<number | bigint>).slice(0, 10_000),
    };
  return value;
}

function textOfNumber(value: number | bigint): string {
  if (typeof value === "bigint") return `${value}n`;
  return Object.is(value, -0) ? "-0" : String(value);
}
