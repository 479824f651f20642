// The columns of the stream of events.
import type { TableColumn } from "../../controls/table.ts";
import { dataText, oneLine, timeText } from "../../text.ts";
import { sandboxIdOf, type StreamRow } from "./stream.ts";

const bad =
  /\.exception$|^sandbox\.(?:killed|failed)$|^cell\.(?:exited|quarantined)$|^store\.degraded$|^security\.(?:rejected|denied)$/;

export const columns: readonly TableColumn<StreamRow>[] = [
  {
    key: "name",
    title: "Event",
    width: 190,
    text: ({ any }) => `${bad.test(any.name) ? "▲ " : ""}${oneLine(any.name)}`,
    tone: ({ any }) => (bad.test(any.name) ? "warn" : ""),
  },
  { key: "at", title: "Time", width: 100, text: ({ any }) => timeText(any.at) },
  {
    key: "sandbox",
    title: "Sandbox",
    width: 160,
    // Some are of no sandbox.
    text: ({ any }) => oneLine(sandboxIdOf(any) ?? "", 60),
  },
  {
    key: "what",
    title: "What it carries",
    width: 560,
    takesRest: true,
    text: ({ any }) => carriedText(any.event),
  },
];

/** More fields than any event has. */
const carriedMax = 40;

function carriedText(event: object): string {
  return Object.entries(event)
    .filter(([name]) => name !== "sandboxId" && name !== "sources")
    .slice(0, carriedMax)
    .map(([name, value]) => `${oneLine(name, 40)} ${dataText(value, 80)}`)
    .join(" · ");
}
