// What a browser loads, as it is and as it travels.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const folder = new URL("../../dist/dashboard/", import.meta.url);
const kB = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;

/** One line for each file. What the page begins with is named in its index; the others it loads when they are needed. */
export function sizes(): readonly string[] {
  const index = readFileSync(new URL("index.html", folder), "utf8");
  const names = readdirSync(new URL("assets/", folder));
  const files = [
    { name: "index.html", bytes: Buffer.from(index), isFirst: true },
    ...names.map((name) => ({
      name,
      bytes: readFileSync(new URL(`assets/${name}`, folder)),
      isFirst: index.includes(name),
    })),
  ];
  const gzip = (bytes: Buffer): number => gzipSync(bytes, { level: 9 }).length;
  const first = files.filter(({ isFirst }) => isFirst).reduce((sum, { bytes }) => sum + gzip(bytes), 0);
  return [
    ...files.map(({ name, bytes, isFirst }) => {
      const when = isFirst ? "at first" : "when it is needed";
      return `  ${name}: ${kB(bytes.length)}, gzip ${kB(gzip(bytes))}, ${when}`;
    }),
    `what is loaded at first: gzip ${kB(first)}`,
  ];
}
