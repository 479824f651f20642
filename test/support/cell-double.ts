// What a program on the pipe must do to pass for a cell: say that it is ready, beat, and hear commands.
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { commandFrom } from "../../src/execution/protocol/encoding.ts";
import type { Command } from "../../src/execution/protocol/messages.ts";
import { slateBytes, writeBeat } from "../../src/execution/slate.ts";
import { FrameReader, toFrame } from "../../src/std/frames.ts";

const slateFd = 4;
const beatMs = 100;
const reader = new FrameReader(2 ** 28);

export const pipe = new Socket({ fd: 3, readable: true, writable: true });
/** The page that the orchestrator looks at. */
export const page = new Float64Array(slateBytes / Float64Array.BYTES_PER_ELEMENT);

export function showPage(): void {
  writeSync(slateFd, page, 0, slateBytes, 0);
}

const ready = { t: "ready", node: process.version, slate: "written", tether: "signal", layers: [] };

/** Begins to pass for a cell, with these first words. */
export function stand(obey: (command: Command) => void, firstWords: readonly unknown[] = [ready]): void {
  pipe.on("error", () => process.exit(0));
  pipe.on("close", () => process.exit(0));
  pipe.on("data", (chunk: Buffer) =>
    reader.push(chunk, (message, texts) => obey(commandFrom(message, texts) as Command)),
  );
  setInterval(() => {
    writeBeat(page);
    showPage();
  }, beatMs);
  pipe.write(Buffer.concat(firstWords.map(toFrame)));
}
