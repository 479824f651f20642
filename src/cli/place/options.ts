// The options that say where the runtime of a command is.
import type { Command } from "commander";
import type { Place } from "../command-file.ts";
import { addOption, folder, text } from "../command/options.ts";

const group = "Where the sandboxes are:";

export function addPlaceOptions(command: Command, place: Exclude<Place, "none">): void {
  const usual = place === "any" ? "made for this command" : "a server that runs here (vivarium serve)";
  const ofData = `a data folder, which nobody else has open (default: ${usual})`;
  addOption(command, ["--data <DIR>", ofData, group], folder());
  addOption(command, ["--url <URL>", "a server; or VIVARIUM_URL", group], text());
  const ofToken = "the token for it; better VIVARIUM_TOKEN, as others see the arguments of a process";
  addOption(command, ["--token <TOKEN>", ofToken, group], text());
}
