// Labels: texts by names of the caller's choice, few and short enough to be copied, compared and stored with everything else.
import { isRecord, refuseOption, custom, type Schema } from "../schema.ts";

export const labelsMax = 256;
/** All names and values together, in characters. */
export const labelsLengthMax = 65_536;

/** What labels must be; continues "it must be". */
export const labelsRule: string = `at most ${labelsMax} texts by name, of ${labelsLengthMax} characters in all`;

/** Whether these texts are few and short enough. */
export function areLabelsShort(labels: Readonly<Record<string, string>>): boolean {
  const entries = Object.entries(labels);
  const length = entries.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  return entries.length <= labelsMax && length <= labelsLengthMax;
}

/** Labels as a caller gives them, in a copy. */
export const labelsOption: Schema<Readonly<Record<string, string>>> = custom((value = {}, path) => {
  if (!isRecord(value)) throw refuseOption({ verb: "use", path, rule: "an object of texts", got: value });
  const refuse = (): Error =>
    refuseOption({ verb: "use", path, rule: labelsRule, got: `${Object.keys(value).length} labels` });
  // Counted before anything is copied.
  if (Object.keys(value).length > labelsMax) throw refuse();
  for (const [name, got] of Object.entries(value))
    if (typeof got !== "string")
      throw refuseOption({ verb: "set", path: `${path}.${name}`, rule: "a text", got });
  const labels = Object.freeze({ ...value }) as Readonly<Record<string, string>>;
  if (!areLabelsShort(labels)) throw refuse();
  return labels;
});
