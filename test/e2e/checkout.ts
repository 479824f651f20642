// A checkout of this repository as a new clone has it: what git keeps, and nothing that was built.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { root } from "./program.ts";

/** Copies what is committed or would be into a folder, with the packages that are installed here; what is ignored stays. */
export function checkOut(folder: string): void {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0");
  for (const path of new Set(listed))
    if (path !== "" && existsSync(join(root, path))) cpSync(join(root, path), join(folder, path));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}
