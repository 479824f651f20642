// Runs tests on Node 24: `npm run test:node24` for the limits, or with words that choose the files.
import { fileURLToPath } from "node:url";
import { closingLine } from "./test/counts.ts";
import { bringNode24, testOnNode24 } from "./test/node-24.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
const brought = await bringNode24();
if (typeof brought === "string") {
  console.error(`Node 24 could not be had here: ${brought}`);
  process.exitCode = 1;
} else {
  using node24 = brought;
  const counts = await testOnNode24(node24, root, words.length > 0 ? words : ["test/limits/"]);
  console.log(closingLine(counts));
  process.exitCode = counts.failed > 0 ? 1 : 0;
}
