// What the file system says of a path, in plain words. It loads nothing, as every start of the command needs it.

const words: Readonly<Record<string, string>> = {
  ENOENT: "there is none",
  ENOTDIR: "a folder of its path is a file",
  EEXIST: "there is a file in its place",
  EISDIR: "it is a folder",
  EACCES: "this user has no right to it",
  EPERM: "this user has no right to it",
  ENOSPC: "the disk is full",
  ELOOP: "it is a link to itself",
  ENXIO: "it is a socket, or a pipe of nobody",
};

/** Why a path cannot be used, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  const { code = "" } = error as { readonly code?: string };
  return words[code] ?? String(error).split("\n", 1)[0] ?? "";
}
