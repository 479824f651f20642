// An evolution from a server, as it is now.
import { takeDump } from "../../client/dump.ts";
import { connect } from "../../client/index.ts";
import { systemClock } from "../../std/clock.ts";
import type { CommandContext } from "../command-file.ts";
import { tokenFor } from "../place/open.ts";
import type { ReadingOptions, Recording } from "./recording.ts";

export async function readServer(
  { given }: Pick<CommandContext, "given">,
  url: string,
  { signal, direction, bounds, onProgress }: ReadingOptions,
): Promise<Recording> {
  const token = tokenFor(given, url);
  const runtime = await connect(url, { signal, ...(token === undefined ? {} : { token }) });
  try {
    const origin = `server ${new URL(url).host}`;
    const dump = await takeDump(runtime, {
      ...bounds,
      origin,
      takenAt: systemClock.now(),
      signal,
      onProgress,
    });
    return { dump: direction === undefined ? dump : { ...dump, direction }, damaged: 0 };
  } finally {
    await runtime.close();
  }
}
