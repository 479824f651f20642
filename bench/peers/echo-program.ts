// A bare program at the end of a pipe: answers a byte with a byte, at once or after making an isolate.
import ivm from "isolated-vm";

const memoryLimit = 128;
const source = "((n) => n * 2)";

process.stdin.on("data", (bytes: Buffer) => {
  for (const byte of bytes) {
    if (byte === "i".charCodeAt(0)) makeIsolate();
    process.stdout.write(".");
  }
});
process.stdin.on("end", () => process.exit());

function makeIsolate(): void {
  const isolate = new ivm.Isolate({ memoryLimit });
  isolate.createContextSync().evalSync(source, { reference: true });
  isolate.dispose();
}
