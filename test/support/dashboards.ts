// A folder as the dashboard is built into, with a few files, so that no test of the server needs the real one.
import { Folder } from "./folders.ts";

/** In a folder of its own, or in this one. */
export function builtDashboard(folder: Folder = new Folder()): Folder {
  folder.write({
    "index.html":
      '<!doctype html><html><head><meta name="vivarium-source" content="live"><script type="module" src="/assets/index-1a2b.js"></script></head></html>',
    "assets/index-1a2b.js": `console.log("${"page ".repeat(200)}");`,
    "assets/index-3c4d.css": "body { margin: 0 }",
    "assets/mono-5e6f.woff2": Buffer.from([1, 2, 3]),
    "assets/strange": "?",
    "assets/inner/deep.js": "no",
  });
  return folder;
}
