// The part of the package that reads files, loaded where a file is asked for: a browser has neither it nor files.
import type { WireModules } from "../../contract/run-bodies.ts";
import { notRemote } from "./not-remote.ts";

/** What reads files and packages of this machine. */
export interface Files {
  /** The sources of a file or folder and of all that they import, packages included, by the names of their modules. */
  readSources(path: string, signal?: AbortSignal): Promise<WireModules>;
  /** The same with the file's own name of each, which says its language, and the module that it is entered by. */
  readFolder(path: string, signal?: AbortSignal): Promise<ReadFolder>;
  /** One file as it is. */
  readFile(path: string): Promise<{ readonly name: string; readonly source: string }>;
}

export interface ReadFolder {
  readonly entry: string;
  readonly modules: readonly {
    readonly name: string;
    readonly fileName: string;
    readonly source: string;
  }[];
}

// A text that is put together is left alone by bundlers, which would otherwise bring all of Node's part into a browser.
const partOfNode = ["vivarium", "client", "files"].join("/");

/** Loads it; rejects with `NOT_REMOTE` on machines that have no files, or no Node. */
export async function loadFiles(what: string): Promise<Files> {
  const { process, Deno, Bun } = globalThis as {
    readonly process?: { readonly versions?: { readonly node?: string } };
    readonly Deno?: unknown;
    readonly Bun?: unknown;
  };
  const isNode = process?.versions?.node !== undefined && Deno === undefined && Bun === undefined;
  if (!isNode) throw notRemote(what, "run in Node.js: it does not; give the sources as modules");
  const loaded = (await import(partOfNode)) as { readonly files: Files };
  return loaded.files;
}
