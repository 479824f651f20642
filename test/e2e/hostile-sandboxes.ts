// Fills a data folder with sandboxes that write what terminals obey: labels, errors, mutations and console lines.
import { createRuntime } from "vivarium";

const bad = "\u001b[2J\u001b]0;OWNED\u0007\u202eOWNED";
const [, , data = ""] = process.argv;
await using runtime = await createRuntime({ data });
const sandbox = await runtime.create("hostile", {
  modules: {
    main: `export const f = () => { console.log(${JSON.stringify(bad)}); throw new Error(${JSON.stringify(bad)}); };`,
  },
  labels: { bad },
  ancestry: { mutation: { bad } },
});
await sandbox.call("main.f");
await runtime.batch.create([{ id: "broken", modules: { main: `throw new Error(${JSON.stringify(bad)});` } }]);
