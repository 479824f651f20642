// What a command says of an evolution that it read.
import { counted } from "../display/texts.ts";
import type { Recording } from "./recording.ts";

/** What is in it, in a sentence. */
export function contentsText({ dump, damaged }: Recording): string {
  const { origin, individuals, events, eventsMissing } = dump;
  const parts = [counted(individuals.length, "individual"), counted(events.length, "event")];
  if (eventsMissing > 0) parts.push(`${counted(eventsMissing, "earlier event")} missing`);
  const codeless = individuals.filter(({ sources }) => sources === null).length;
  if (codeless > 0) parts.push(`the code of ${codeless.toLocaleString("en-US")} not known`);
  if (damaged > 0) parts.push(`${counted(damaged, "piece")} damaged and left out`);
  return `From ${origin}: ${parts.join(", ")}.`;
}

export interface Told {
  readonly url: string | null;
  readonly token: string | null;
  readonly dashboard: string | null;
  readonly html: string | null;
  readonly dump: string | null;
}

/** The document of `--json`. */
export function toldJson({ dump, damaged }: Recording, told: Told): object {
  const { origin, individuals, events, eventsMissing } = dump;
  return { ...told, origin, individuals: individuals.length, events: events.length, eventsMissing, damaged };
}
