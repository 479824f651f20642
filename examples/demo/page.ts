// The page of a run: served on this machine, for whoever has its link.
import type { Runtime } from "vivarium";
import type { Tracker } from "vivarium/evolution";

export interface Page extends AsyncDisposable {
  /** Its address, with the token behind the `#`. */
  readonly link: string;
}

export async function servePage(runtime: Runtime, tracker: Tracker): Promise<Page> {
  // Only who wants the page loads what serves it.
  const { createServer, listen } = await import("vivarium/server");
  const here = await listen(createServer(runtime, { tracker }), { drainMs: 0 });
  return {
    link: `${here.url}/#token=${encodeURIComponent(here.token ?? "")}`,
    [Symbol.asyncDispose]: async () => void (await here.close({ drainMs: 0 })),
  };
}
