// Node's own modules as the reference: every graph is written to a folder and imported by a plain Node process.
import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Folder } from "../../support/folders.ts";
import { logName, logSource } from "./graph.ts";
import type { Observation } from "./observation.ts";

export interface Question {
  readonly folder: string;
  /** The number of modules. */
  readonly count: number;
  /** Modules whose variables are changed before it is looked at what the modules see, in this order. */
  readonly bumps: readonly number[];
}

const answerMs = 60_000;

export class NodeReference implements AsyncDisposable {
  readonly #folder = new Folder({ "package.json": { type: "module" } });
  readonly #child: ChildProcess = fork(fileURLToPath(new URL("node-process.ts", import.meta.url)));
  #graphs = 0;

  async observe(sources: Readonly<Record<string, string>>, bumps: readonly number[]): Promise<Observation> {
    const graph = `g${++this.#graphs}`;
    const names = [logName, ...Object.keys(sources)];
    const files = {
      ...sources,
      [logName]: logSource,
      "all.js": names.map((name) => `import "./${name}";`).join("\n"),
    };
    this.#folder.write(
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`${graph}/${name}`, text])),
    );
    const { promise, resolve, reject } = Promise.withResolvers<Observation>();
    const fail = (): void => reject(new Error("Cannot compare as Node did not answer"));
    const timer = setTimeout(fail, answerMs);
    this.#child.once("message", resolve).once("exit", fail);
    const question: Question = { folder: this.#folder.at(graph), count: names.length - 1, bumps };
    this.#child.send(question);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#child.off("message", resolve).off("exit", fail);
      this.#folder.remove(graph);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    if (this.#child.exitCode === null && this.#child.kill("SIGKILL")) await gone;
    this.#folder[Symbol.dispose]();
  }
}
