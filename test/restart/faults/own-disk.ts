// A disk of its own for a test file: small, so that it can be filled, and one that can become read-only. The file is started
// once more in a mount namespace where it has such a disk, as an ordinary user, and its tests are reported as if it had run here.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Folder } from "../../support/folders.ts";

/** What says to the program in the namespace where its disk is. */
const variable = "VIVARIUM_TEST_DISK";
/** Ways to a namespace in which a file system can be mounted: as root, as an ordinary user, and as one who may become root. */
const ways = [
  ["unshare", "--mount"],
  ["unshare", "--user", "--map-root-user", "--mount"],
  ["sudo", "-n", `--preserve-env=${variable},NODE_TEST_CONTEXT,NODE_COMPILE_CACHE`, "unshare", "--mount"],
] as const;

/**
 * Resolves in the namespace alone; here it ends with the process. Where no namespace can be had, the file fails and says so.
 * Nothing may be between the imports of a test file and this call.
 */
export async function ownDisk(file: string, bytes: number): Promise<Disk> {
  const path = process.env[variable];
  if (path !== undefined) return new Disk(path);
  const refusals: string[] = [];
  for (const way of ways) {
    const refusal = await refusalOf(way);
    if (refusal !== undefined) refusals.push(refusal);
    else process.exit(await runThere(way, [String(bytes), fileURLToPath(file)]));
  }
  throw new Error(
    `Cannot test faults of a disk as a file system must be mounted for them: ${refusals.join("; ")}`,
  );
}

async function refusalOf(way: readonly string[]): Promise<string | undefined> {
  const [command, ...args] = [...way, "mount", "-t", "tmpfs", "tmpfs", tmpdir()];
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  let words = "";
  child.stderr.on("data", (data: Buffer) => (words += String(data)));
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code === 0 ? undefined : `\`${way.join(" ")}\` ended with ${code}: ${words.trim()}`;
  } catch (error) {
    return String(error);
  }
}

async function runThere(way: readonly string[], args: readonly string[]): Promise<number> {
  using folder = new Folder();
  const program = fileURLToPath(new URL("disk-owner.ts", import.meta.url));
  const [command = "", ...rest] = [...way, process.execPath, program, folder.path, ...args];
  const child = spawn(command, rest, { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

/** The disk of the tests of a file. */
export class Disk {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  at(name: string): string {
    return join(this.path, name);
  }

  /** Takes all the room that is left. */
  fill(): void {
    const file = openSync(this.at("ballast"), "a");
    const block = Buffer.alloc(4_096);
    try {
      // A signal of the kernel's that there is no more comes as an error.
      for (;;) if (writeSync(file, block) === 0) break;
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
    } finally {
      closeSync(file);
    }
    assert.equal(statfsSync(this.path).bavail, 0);
  }

  /** Gives the room back. */
  free(): void {
    rmSync(this.at("ballast"), { force: true });
  }

  /** From now on every write fails with EROFS, or none does any longer. */
  async mount(how: "read-only" | "writable"): Promise<void> {
    const done = once(process, "message");
    process.send?.(how);
    const [answer] = (await done) as [string];
    assert.equal(answer, "done");
  }
}
