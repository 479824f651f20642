// Another commit of this repository, checked out and built in a folder that exists only as long as it is measured.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Inside the checkout, so that Node finds its packages there, by no link: a jailed process may not follow one. */
const folderName = ".compare";

export interface Checkout extends AsyncDisposable {
  readonly root: string;
  /** The commit's number, short, and the first line of its message. */
  readonly title: string;
}

export interface CheckoutOptions {
  /** The root of the checkout whose repository has the commit, and whose packages are used. */
  readonly from: string;
  readonly commit: string;
  readonly signal: AbortSignal;
}

/** Checks out a commit and builds it. Nothing of it is left behind when it is disposed of, fails or is interrupted. */
export async function checkOut({ from, commit, signal }: CheckoutOptions): Promise<Checkout> {
  const git = (...args: readonly string[]): Promise<{ stdout: string }> =>
    run("git", ["-C", from, ...args], { signal });
  const { stdout: title } = await git("log", "-1", "--format=%h %s", commit, "--");
  const parent = join(from, folderName);
  mkdirSync(parent, { recursive: true });
  const root = mkdtempSync(join(parent, "build-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => remove(from, parent, root));
  await git("worktree", "add", "--detach", "--force", root, commit);
  await run(process.execPath, [join(root, "tools", "build.ts")], { cwd: root, signal });
  const kept = stack.move();
  return { root, title: title.trim(), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function remove(from: string, parent: string, root: string): Promise<void> {
  rmSync(root, { recursive: true, force: true });
  try {
    rmdirSync(parent);
  } catch {
    // Another comparison uses it.
  }
  // In a group of its own, as Ctrl-C in a terminal ends all of this one.
  const options = { detached: true, stdio: "ignore" } as const;
  await once(spawn("git", ["-C", from, "worktree", "prune"], options), "exit");
}
