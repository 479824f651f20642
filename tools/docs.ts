// Writes the generated sections of README.md and docs/ anew, docs/options.md and docs/commands.md: `node tools/docs.ts`. Tests
// prove that none is stale.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { commandsDocument, commandsPath } from "./docs/commands.ts";
import { documents, root } from "./docs/documents.ts";
import { toMarkdown, withSections } from "./docs/markdown.ts";
import { optionsDocument, optionsPath } from "./docs/options/document.ts";
import { tables, type TableName } from "./docs/tables.ts";

for (const path of documents()) {
  const text = readFileSync(`${root}${path}`, "utf8");
  const fresh = withSections(text, (name) => {
    if (!Object.hasOwn(tables, name))
      throw new Error(`Cannot write ${path} as there must be a table named ${name}: got none`);
    return toMarkdown(tables[name as TableName]());
  });
  if (fresh !== text) writeFileSync(`${root}${path}`, fresh);
}
execFileSync("oxfmt", [...documents()], { cwd: root, stdio: "inherit" });
writeFileSync(`${root}${optionsPath}`, optionsDocument());
writeFileSync(`${root}${commandsPath}`, await commandsDocument());
