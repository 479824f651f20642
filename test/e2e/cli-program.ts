// The command as users start it, with places of its own to find servers in, and its output held against the shapes it promises.
import assert from "node:assert/strict";
import { errorShape, jsonShapes } from "../../src/cli/json-shapes.ts";
import type { Problem } from "../../src/contract/problem.ts";
import type { Folder } from "../support/folders.ts";
import { root, runNode, type Ended, type ProgramOptions } from "./program.ts";

/** Runs it in a folder, where no server is found but those that were started for this folder. */
export class Cli {
  readonly folder: Folder;
  readonly env: NodeJS.ProcessEnv;

  constructor(folder: Folder) {
    this.folder = folder;
    const { VIVARIUM_URL: _, VIVARIUM_TOKEN: __, ...env } = process.env;
    this.env = { ...env, XDG_RUNTIME_DIR: folder.at("runtime"), NO_COLOR: "1" };
  }

  run(args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
    const { env = this.env, ...rest } = options;
    return runNode([`${root}dist/cli/main.js`, ...args], {
      cwd: this.folder.path,
      env,
      timeoutMs: 120_000,
      ...rest,
    });
  }

  /** What it prints on stdout, which must end with 0. */
  async text(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  /** Its JSON document, which must be all of what the schema of the command says. */
  async json<T>(args: readonly string[], options?: ProgramOptions & { readonly code?: number }): Promise<T> {
    const { code: expected = 0, ...rest } = options ?? {};
    const { code, stdout, stderr } = await this.run([...args, "--json"], rest);
    assert.equal(code, expected, `${stdout}${stderr}`);
    const document: unknown = JSON.parse(stdout);
    assertShape(args, document, "document");
    // The schema was met.
    return document as T;
  }

  /** The problem document of one that must fail with this exit code. */
  async problem(code: number, ...args: readonly string[]): Promise<Problem> {
    const ended = await this.run([...args, "--json"]);
    assert.equal(ended.code, code, `${ended.stdout}${ended.stderr}`);
    const problem = JSON.parse(ended.stdout) as Problem;
    assert.deepEqual(errorShape.parse(problem), problem);
    assert.equal(ended.stderr.startsWith(problem.detail.split("\n")[0] ?? ""), true, ended.stderr);
    return problem;
  }
}

/** That it is what the command promises, and has nothing besides. */
export function assertShape(args: readonly string[], value: unknown, form: "document" | "lines"): void {
  const [name = "", action = ""] = args;
  const schema = (jsonShapes[name] ?? jsonShapes[`${name} ${action}`])?.[form];
  assert.ok(schema !== undefined, `vivarium ${name} has a schema`);
  assert.deepEqual(JSON.parse(JSON.stringify(schema.parse(value))), value);
}

export function linesOf<T>(text: string): readonly T[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}
