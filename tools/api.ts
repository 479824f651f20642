// Writes the public API down, one document per entry, so that a change of it is seen in review: `npm run api`, which builds
// first. A test proves that none is stale. Afterwards it prints what users might miss, and what they might not need.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { reportsOf } from "./api/report.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = reportsOf(root);
rmSync(join(root, "docs/api"), { recursive: true, force: true });
mkdirSync(join(root, "docs/api"), { recursive: true });
for (const { path, text } of reports) writeFileSync(join(root, path), text);
for (const { path, surface, unused } of reports) {
  const hidden = surface.hidden.map(({ name }) => name);
  console.log(`${path}: ${surface.exports.length} exports`);
  console.log(`  used in signatures, but not exported: ${hidden.join(", ") || "none"}`);
  console.log(`  exported types that no public signature uses: ${unused.join(", ") || "none"}`);
}
