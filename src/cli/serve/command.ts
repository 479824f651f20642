// `vivarium serve`: a runtime over HTTP, until it is asked to end.
import { createRuntime, type Runtime } from "../../index.ts";
import type { TokenSpec } from "../../server/access/token-specs.ts";
import type { Listening } from "../../server/listen.ts";
import { closeOnSignals } from "../../server/listening/signals.ts";
import { systemClock } from "../../std/clock.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { counted } from "../display/texts.ts";
import { exitCodes } from "../exit-codes.ts";
import { openOrSay } from "../open-page.ts";
import { findServer, tellOfServer } from "../place/server-file.ts";
import { version } from "../version.ts";
import { listenForCommand } from "../listening.ts";
import { serveAll } from "./served.ts";
import { addServeOptions, listenOptionsOf, runtimeOptionsOf, tokensOf } from "./options.ts";

export const command: CommandFile = {
  description:
    "Serves a runtime over HTTP, to other programs, machines and languages, and to agents at /mcp.",
  place: "none",
  declare: addServeOptions,
  examples: [
    "serve",
    "serve --open",
    "serve --data ./run-1 --port 0",
    "serve --host 0.0.0.0 --tls-key key.pem --tls-cert cert.pem --tokens tokens.json --data ./run-1",
  ],
  notes: `Where it is and its token are printed once. Other commands of the same user find it by themselves.
The dashboard is a page for browsers. --open gives its address, token included, to a browser as an argument, which other users of
this machine may see.
A token of --tokens: {"token": "…" or "sha256": "…", "scope": "read", "evaluate" or "admin", "tenant": "…", "expiresAt": "…",
"quotas": {…}}. SIGTERM lets requests finish, a second one ends at once; so does Ctrl-C.`,
  exits:
    "0 ended by SIGTERM, 1 it failed, 2 a mistake in the command line or the tokens, 130 ended by Ctrl-C",
  run: serve,
};

async function serve(context: CommandContext): Promise<number> {
  const { given, output, signal } = context;
  const tokens = tokensOf(given);
  const listening = listenOptionsOf(given);
  await using runtime = await createRuntime(runtimeOptionsOf(given));
  const served = serveAll(runtime, {
    tokens,
    version: version(),
    onError: (error) => output.note(`What agents asked for failed: ${String(error)}`),
  });
  const here = await listenForCommand(served, listening);
  const stop = closeOnSignals(here, {
    onSignal: (name) => output.note(`${name}: what is under way may finish; once more ends it at once.`),
  });
  // Ctrl-C may have come while it started, when the server did not listen for it yet.
  if (signal.aborted) {
    stop();
    await here.close({ drainMs: 0 });
    return exitCodes.interrupted;
  }
  const other = findServer();
  const takeBack = tellOfServer({
    url: here.url,
    token: here.token ?? plainAdmin(tokens),
    startedAt: systemClock.now(),
  });
  const dashboard = `${here.url}/${here.token === null ? "" : `#token=${encodeURIComponent(here.token)}`}`;
  tell(context, { ...here, dashboard }, runtime);
  if (given.flag("open")) await openOrSay(dashboard, (text) => output.note(text));
  if (other !== undefined)
    output.note(`Other commands find ${other.url}, which was here first: give them --url ${here.url}.`);
  try {
    const { aborted } = await here.drained;
    if (aborted > 0) output.note(`${counted(aborted, "request was", "requests were")} cut.`);
  } finally {
    takeBack();
    stop();
  }
  return signal.aborted ? exitCodes.interrupted : exitCodes.done;
}

interface Told extends Pick<Listening, "url" | "token"> {
  /** The address of its page, with the token behind the `#`, where no server and no log sees it. */
  readonly dashboard: string;
}

function tell({ json, output }: CommandContext, { url, token, dashboard }: Told, runtime: Runtime): void {
  const data = runtime.data?.path ?? null;
  if (json) return output.json({ url, token, dashboard, pid: process.pid, data });
  output.text(`Listening at ${url}`);
  if (token !== null) output.text(`Token: ${token}`);
  output.text(`Dashboard: ${dashboard}`);
  output.note(data === null ? "Nothing is kept when it ends: --data DIR keeps it." : `Data folder ${data}.`);
}

// A token with which this user's own commands may do everything, where the list has one that is not only known by its digest.
function plainAdmin(tokens: readonly TokenSpec[] | undefined): string | null {
  const own = tokens?.find(
    ({ token, scope, tenant }) => token !== undefined && scope === "admin" && tenant === undefined,
  );
  return own?.token ?? null;
}
