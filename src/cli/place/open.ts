// Opens the runtime that a command uses: one of its own, one with a data folder, or one on a server.
import type { RuntimeOptions } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import type { OpenedRuntime, Place } from "../command-file.ts";
import type { Given } from "../command/given.ts";
import { lookForServers, type ServersHere } from "./server-file.ts";

export interface Opening {
  /** Of the command. */
  readonly name: string;
  readonly place: Place;
  readonly given: Given;
  /** For a runtime that is made here. */
  readonly options: RuntimeOptions | undefined;
  readonly signal: AbortSignal;
}

/** Where it is. Which one is decided before anything is opened. */
type Target =
  | { readonly kind: "new" }
  | { readonly kind: "data"; readonly path: string }
  | { readonly kind: "server"; readonly url: string; readonly token: string | undefined };

export async function openRuntime({
  name,
  place,
  given,
  options = {},
  signal,
}: Opening): Promise<OpenedRuntime> {
  const target = targetOf(given, { name, place });
  if (target.kind === "server")
    return (await import("./there.ts")).openThere(target.url, target.token, signal);
  const { openHere } = await import("./here.ts");
  return openHere(target.kind === "data" ? { ...options, data: target.path } : options);
}

/** The token for a server: the one that is given, or of a server of this user's at that address. */
export function tokenFor(given: Given, url: string): string | undefined {
  return (
    givenToken(given) ?? lookForServers().running.find((server) => server.url === url)?.token ?? undefined
  );
}

function givenToken(given: Given): string | undefined {
  return given.text("token") ?? (process.env["VIVARIUM_TOKEN"] || undefined);
}

const noServers: ServersHere = { running: [], refused: [] };

function targetOf(given: Given, { name, place }: Pick<Opening, "name" | "place">): Target {
  const [data, named] = [given.text("data"), given.text("url")];
  const token = givenToken(given);
  if (data !== undefined && named !== undefined)
    throw new InvalidOptionsError("Cannot use --url as it must be without --data: got both", "url");
  if (data !== undefined) return { kind: "data", path: data };
  const url = named ?? (process.env["VIVARIUM_URL"] || undefined);
  if (url === undefined && place === "any") return { kind: "new" };
  const here = token === undefined || url === undefined ? lookForServers() : noServers;
  // The own server's token is for its address alone.
  const known = url === undefined ? here.running[0] : here.running.find((server) => server.url === url);
  const address = url ?? known?.url;
  if (address !== undefined)
    return { kind: "server", url: address, token: token ?? known?.token ?? undefined };
  const [unused] = here.refused;
  const but = unused === undefined ? "" : ` (${unused.path} is not used: ${unused.why})`;
  const rule = `there must be a place with sandboxes, and no server of yours runs here${but}`;
  throw new InvalidOptionsError(
    `Cannot run ${name} as ${rule}: give --data DIR or --url URL, or start one with vivarium serve`,
    "url",
  );
}
