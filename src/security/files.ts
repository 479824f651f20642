// The preset `files`: a read-only tree that exists only in memory. No path of the machine can be named by it.
import { isRecord, refuseOption } from "../model/schema.ts";
import { CapabilityRefusal, type Capability } from "./capability.ts";

/** A tree of files by their paths: texts, or bytes. */
export type VirtualFiles = Readonly<Record<string, string | Uint8Array>>;

/** Gives guests `files("read", path)`, `files("list", folder)` and `files("has", path)`. */
export function filesCapability(files: VirtualFiles): Capability {
  const tree = new Map<string, string | Uint8Array>();
  if (!isRecord(files)) throw refuseOption({ verb: "use", path: "files", rule: "an object", got: files });
  for (const [path, content] of Object.entries(files)) {
    if (typeof content !== "string" && !(content instanceof Uint8Array))
      throw refuseOption({ verb: "use", path: `files.${path}`, rule: "a text or bytes", got: content });
    tree.set(partsOf(path).join("/"), typeof content === "string" ? content : content.slice());
  }
  return {
    args: (args) => {
      const [verb, path, ...more] = args as readonly unknown[];
      const isGood = ["read", "list", "has"].includes(verb as string) && typeof path === "string";
      return (isGood && more.length === 0) || 'they are "read", "list" or "has", and a path';
    },
    run([verb, path]) {
      const name = partsOf(path as string).join("/");
      if (verb === "has") return tree.has(name);
      if (verb === "list") return list(tree, name);
      const content = tree.get(name);
      if (content === undefined)
        throw new CapabilityRefusal(`Cannot read ${JSON.stringify(name)} as there is no such file`);
      return content;
    },
  };
}

// Up is never out: there is nothing above the root.
function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split(/[/\\]/)) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts;
}

function list(tree: ReadonlyMap<string, unknown>, folder: string): string[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  const names = [...tree.keys()]
    .filter((path) => path.startsWith(prefix))
    .map((path) => {
      const [first = "", ...rest] = path.slice(prefix.length).split("/");
      return rest.length > 0 ? `${first}/` : first;
    });
  return [...new Set(names)].sort();
}
