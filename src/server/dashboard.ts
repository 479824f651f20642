// The files of the dashboard, as browsers get them. They say nothing of a server, so that they need no token. Which there are is read
// from their folder, and only those names are answered: no path of a request ever leads to a file.
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { VivariumError } from "../model/errors.ts";
import { either, fields, type Shape } from "../model/schema.ts";
import { RequestRefusedError } from "./access/refusals.ts";
import { answerHeaders } from "./guard/guard.ts";

/** Where the page has its data from: the server that it came from, or a recorded document. */
export type DashboardSource = "live" | "dump";

export interface DashboardOptions {
  /** Default: `live`. */
  readonly source?: DashboardSource;
}

/** One file, with its path as browsers ask for it. */
export interface DashboardFile {
  readonly path: string;
  /** Its content type. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The paths that begin so have names that change with their contents. */
const assetsPath = "/assets/";
const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const packedForm = /^(?:text\/|application\/json|image\/svg)/;
/** The page loads its own files, asks its own server, and does nothing else. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const sourceForm = /(<meta\s+name="vivarium-source"\s+content=")[^"]*"/;

const options = fields({ source: either(["live", "dump"], "live") } satisfies Shape<DashboardOptions>);
// It holds for the sources as well as for the built package, as both lie two folders below the root.
const builtFolder = new URL("../../dist/dashboard/", import.meta.url);
const pack = promisify(gzip);

/** The dashboard as it was built with this package, for a page that has its data from `source`. */
export function dashboardFiles(given: DashboardOptions = {}): DashboardFiles {
  return new DashboardFiles(options.read(given, "options").source, fileURLToPath(builtFolder));
}

/** The files of the dashboard, read once and kept. */
export class DashboardFiles {
  readonly #source: DashboardSource;
  readonly #folder: string;
  readonly #packed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  #files: Promise<ReadonlyMap<string, DashboardFile>> | undefined;

  /** @internal `dashboardFiles` makes it. */
  constructor(source: DashboardSource, folder: string) {
    this.#source = source;
    this.#folder = folder;
  }

  /** All of them, the page first. Rejects with `REQUEST_REFUSED`, status 404, where the dashboard was not built. */
  async all(): Promise<readonly DashboardFile[]> {
    return [...(await this.#read()).values()];
  }

  /** Answers a GET of one of its paths. Rejects with `REQUEST_REFUSED`, status 404, where there is no such file. */
  async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const file = (await this.#read()).get(pathname);
    if (file === undefined)
      throw new RequestRefusedError(
        "Cannot answer as the path must be that of a file of the page: it is none",
        404,
      );
    const isPacked = packedForm.test(file.type) && takesGzip(request.headers.get("accept-encoding") ?? "");
    const body = isPacked ? await this.#pack(file) : file.bytes;
    return new Response(body, {
      headers: {
        ...answerHeaders,
        ...(pathname.startsWith(assetsPath) && { "cache-control": "public, max-age=31536000, immutable" }),
        ...(isPacked && { "content-encoding": "gzip" }),
        "content-security-policy": pagePolicy,
        "content-type": file.type,
        "content-length": String(body.length),
        // The guard says who may read it by the origin of who asks.
        vary: "accept-encoding, origin",
      },
    });
  }

  // A folder that is not there may be when it is asked for again.
  #read(): Promise<ReadonlyMap<string, DashboardFile>> {
    if (this.#files === undefined) {
      this.#files = readFiles(this.#folder, this.#source);
      this.#files.catch(() => (this.#files = undefined));
    }
    return this.#files;
  }

  #pack(file: DashboardFile): Promise<Uint8Array<ArrayBuffer>> {
    const known = this.#packed.get(file.path);
    if (known !== undefined) return known;
    const packed = pack(file.bytes);
    this.#packed.set(file.path, packed);
    return packed;
  }
}

async function readFiles(
  folder: string,
  source: DashboardSource,
): Promise<ReadonlyMap<string, DashboardFile>> {
  const files = new Map<string, DashboardFile>();
  try {
    const page = pageOf(await readFile(join(folder, "index.html"), "utf8"), source);
    files.set("/", { path: "/", type: typeOf("index.html"), bytes: new TextEncoder().encode(page) });
    const assets = join(folder, "assets");
    for (const entry of await readdir(assets, { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = `${assetsPath}${entry.name}`;
      files.set(path, { path, type: typeOf(entry.name), bytes: await readFile(join(assets, entry.name)) });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new RequestRefusedError(
      "Cannot answer with the dashboard as it must be built: run `npm run build` in the sources of vivarium",
      404,
    );
  }
  return files;
}

function pageOf(text: string, source: DashboardSource): string {
  if (sourceForm.test(text)) return text.replace(sourceForm, `$1${source}"`);
  throw new VivariumError(
    "INTERNAL",
    "Cannot use the page of the dashboard as it must say where its data is from: it has no vivarium-source",
  );
}

function typeOf(name: string): string {
  return types[extname(name)] ?? "application/octet-stream";
}

// Who names `gzip` and does not refuse it; `*` alone may be a program that takes what it gets, and cannot unpack it.
function takesGzip(accepted: string): boolean {
  const refused = /;\s*q=0(?:\.0*)?\s*$/i;
  return accepted.split(",").some((one) => /^\s*gzip\b/i.test(one) && !refused.test(one));
}
