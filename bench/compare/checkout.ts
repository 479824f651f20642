// Another commit of this repository, checked out and built in a folder that exists only as long as it is measured.
import { execFile, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const here = fileURLToPath(new URL("../..", import.meta.url));

export interface Checkout extends AsyncDisposable {
  readonly root: string;
  /** The commit's number, short, and the first line of its message. */
  readonly title: string;
}

/** Checks out a commit with this checkout's packages, and builds it. Whatever comes between, nothing of it is left behind. */
export async function checkOut(commit: string, signal: AbortSignal): Promise<Checkout> {
  const { stdout: title } = await git(["log", "-1", "--format=%h %s", commit, "--"], signal);
  const folder = mkdtempSync(join(tmpdir(), "vivarium-compare-"));
  const root = join(folder, "checkout");
  await using stack = new AsyncDisposableStack();
  stack.defer(() => remove(folder, root));
  // A cell runs as another user, who must be able to read what it runs.
  chmodSync(folder, 0o755);
  await git(["worktree", "add", "--detach", "--force", root, commit], signal);
  symlinkSync(join(here, "node_modules"), join(root, "node_modules"), "dir");
  await run(process.execPath, [join(root, "tools", "build.ts")], { cwd: root, signal });
  const kept = stack.move();
  return { root, title: title.trim(), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function git(args: readonly string[], signal: AbortSignal): Promise<{ stdout: string }> {
  return run("git", ["-C", here, ...args], { signal });
}

// In a group of its own, as Ctrl-C in a terminal ends all of this one.
async function remove(folder: string, root: string): Promise<void> {
  const child = spawn("git", ["-C", here, "worktree", "remove", "--force", "--force", root], {
    detached: true,
    stdio: "ignore",
  });
  await once(child, "exit").catch(() => {});
  rmSync(folder, { recursive: true, force: true });
  const prune = spawn("git", ["-C", here, "worktree", "prune"], { detached: true, stdio: "ignore" });
  await once(prune, "exit").catch(() => {});
}
