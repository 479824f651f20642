// A program that owns a data folder: its path and its task are the arguments.
import { capture, dataFolder, stored } from "./data-folders.ts";

const [path = "", task] = process.argv.slice(2);
const folder = dataFolder(path, { owner: "server.js" });
await folder.open();
if (task === "hold") {
  console.log("open");
  setInterval(() => {}, 1_000);
} else if (task === "idle") {
  await folder.save(stored("a"));
  void folder.save(stored("b"));
} else
  for (let number = 0; ; number++) {
    await Promise.all([
      folder.save(stored(`s${number}`)),
      folder.documents.write("log", new Map([["last", number]])),
    ]);
    await folder.saveState(`s${number}`, capture(String(number)));
    console.log(number);
  }
