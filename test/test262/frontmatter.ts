// What the header of a test262 file says about it: the part of YAML that these headers use.

export type Phase = "parse" | "resolution" | "runtime";

export interface Frontmatter {
  readonly flags: readonly string[];
  readonly includes: readonly string[];
  readonly features: readonly string[];
  /** The test passes when it fails in this phase with an error of this type. */
  readonly negative: { readonly phase: Phase; readonly type: string } | undefined;
}

/** Reads the header of a test; a file without one has no flags. */
export function readFrontmatter(source: string): Frontmatter {
  const text = /\/\*---([\s\S]*?)---\*\//.exec(source)?.[1]?.replace(/\r\n?/g, "\n") ?? "";
  const phase = /^negative:[\s\S]*?^\s+phase:\s*(\w+)/m.exec(text)?.[1];
  const type = /^negative:[\s\S]*?^\s+type:\s*(\w+)/m.exec(text)?.[1];
  return {
    flags: listOf(text, "flags"),
    includes: listOf(text, "includes"),
    features: listOf(text, "features"),
    negative: phase === undefined || type === undefined ? undefined : { phase: phase as Phase, type },
  };
}

// `key: [a, b]` or `key:` and one indented `- a` per line.
function listOf(text: string, key: string): readonly string[] {
  const inline = new RegExp(`^${key}:\\s*\\[([^\\]]*)\\]`, "m").exec(text)?.[1];
  const items =
    inline === undefined
      ? (new RegExp(`^${key}:[ \\t]*\\n((?:[ \\t]+-.*\\n?)+)`, "m").exec(text)?.[1] ?? "")
          .split("\n")
          .map((line) => line.replace(/^\s*-/, ""))
      : inline.split(",");
  return items.map((item) => item.trim()).filter((item) => item !== "");
}
