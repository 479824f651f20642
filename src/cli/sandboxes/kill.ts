// `vivarium kill`: ends sandboxes.
import type { SandboxInfo } from "../../index.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { exitCodes } from "../exit-codes.ts";

export const command: CommandFile = {
  place: "living",
  declare: (parser) => void parser.argument("<ID...>", "the ids of the sandboxes"),
  examples: ["kill variant-1", "kill variant-1 variant-2"],
  notes: "A sandbox that is killed is removed from the store; inspect still says how it ended, for a while.",
  run: kill,
};

async function kill({ given, json, output, signal, open }: CommandContext): Promise<number> {
  await using opened = await open();
  const { runtime } = opened;
  const sandboxes: SandboxInfo[] = [];
  // One after the other, so that what is said of those before the first that cannot be killed is true.
  for (const id of given.args) {
    await runtime.destroy(id, { signal });
    if (json) sandboxes.push(await runtime.info(id));
    else output.text(`${id} is gone.`);
  }
  if (json) output.json({ sandboxes });
  return exitCodes.done;
}
