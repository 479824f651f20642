// How an import inside a sandbox finds its module. Pure text: it never touches a file system. It runs in the host and in
// isolates, so it uses saved intrinsics only.
import { at, indexOf, lastIndexOf, slice } from "../wire/intrinsics.ts";

const extensions = [".ts", ".js", ".tsx", ".jsx", ".mts", ".mjs", ".json"];

/** The name of the module that a specifier refers to, or undefined where the sandbox has none of that name. */
export function resolveSpecifier(
  specifier: string,
  importer: string,
  has: (name: string) => boolean,
): string | undefined {
  const path = isRelative(specifier) ? joinPath(directoryOf(importer), specifier) : specifier;
  if (path === undefined) return undefined;
  if (has(path)) return path;
  for (let i = 0; i < extensions.length; i++) {
    const extension = at(extensions, i);
    const stem = slice(path, 0, -extension.length);
    if (slice(path, -extension.length) === extension && has(stem)) return stem;
    if (has(path + extension)) return path + extension;
  }
  return has(`${path}/index`) ? `${path}/index` : undefined;
}

function isRelative(specifier: string): boolean {
  return slice(specifier, 0, 2) === "./" || slice(specifier, 0, 3) === "../";
}

function directoryOf(name: string): string {
  const slash = lastIndexOf(name, "/");
  return slash < 0 ? "" : slice(name, 0, slash);
}

// Undefined where the path leads outside the sandbox's modules.
function joinPath(directory: string, relative: string): string | undefined {
  let base = directory;
  let rest = relative;
  while (rest !== "") {
    const slash = indexOf(rest, "/");
    const segment = slash < 0 ? rest : slice(rest, 0, slash);
    rest = slash < 0 ? "" : slice(rest, slash + 1);
    if (segment === "." || segment === "") continue;
    if (segment !== "..") base = base === "" ? segment : `${base}/${segment}`;
    else if (base === "") return undefined;
    else base = directoryOf(base);
  }
  return base;
}
