// Names a compiler by what it is made of, so that modules compiled by another one are recognized.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packagesFolder } from "../../jail/spawn/node-process.ts";
import type { BackendName } from "../compiler-host/backends/backend.ts";

const lengthMax = 16;

/** The same for the same program, backend and versions of its packages. */
export function compilerIdentity(program: URL, backend: BackendName): string {
  const hash = createHash("sha256").update(backend).update(readFileSync(program));
  for (const name of new Set(["rolldown", backend])) {
    const folder = packagesFolder(name, program) ?? "";
    hash.update(folder).update(textOf(join(folder, name, "package.json")));
  }
  return hash.digest("hex").slice(0, lengthMax);
}

// Some package managers have it elsewhere; the folder's path then has the version in it.
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
