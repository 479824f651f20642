// Just as much of Markdown as our own documents need: tables, generated sections, code blocks, links.

export type Table = readonly (readonly string[])[];

/** A table as Markdown; the first row is the heading. */
export function toMarkdown([heading = [], ...rows]: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heading), line(heading.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The table in a piece of Markdown, however it is aligned. */
export function fromMarkdown(text: string): Table {
  return text
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^[|\s:-]+$/.test(line))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf("|"))
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|")),
    );
}

const section = /<!-- generated: (\S+) -->([^]*?)<!-- \/generated -->/g;

/** The generated sections of a document by name. */
export function sectionsIn(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(section)].map(([, name = "", body = ""]) => [name, body]));
}

/** The document with its generated sections made anew. */
export function withSections(text: string, make: (name: string) => string): string {
  return text.replaceAll(
    section,
    (_, name: string) => `<!-- generated: ${name} -->\n\n${make(name)}\n\n<!-- /generated -->`,
  );
}

export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** The line of its fence, from 1. */
  readonly line: number;
  /** It stands below `<!-- no-run -->`. */
  readonly isFragment: boolean;
}

export function codeBlocksIn(text: string): readonly CodeBlock[] {
  return [...text.matchAll(/^(<!-- no-run -->\n\n?)?```(\w+)\n([^]*?)^```$/gm)].map((match) => {
    const [, mark = "", language = "", code = ""] = match;
    const line = text.slice(0, match.index + mark.length).split("\n").length;
    return { language, code, line, isFragment: mark !== "" };
  });
}

/** Where the links and pictures of a document lead, without those in code. */
export function linksIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```[^]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g)].map(
    ([, target = "", picture = target]) => picture,
  );
}

/** The anchors that GitHub gives to the headings of a document. */
export function anchorsIn(text: string): ReadonlySet<string> {
  const headings = text.replaceAll(/^```[^]*?^```$/gm, "").matchAll(/^#+ +(.+)$/gm);
  return new Set([...headings].map(([, title = ""]) => toAnchor(title)));
}

function toAnchor(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
