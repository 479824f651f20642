// `vivarium completion`: a script that teaches a shell the commands and options.
import type { CommandContext, CommandFile } from "../command-file.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { exitCodes } from "../exit-codes.ts";
import { shells, type ShellName } from "./scripts.ts";
import { commandWords } from "./words.ts";

const names = Object.keys(shells) as readonly ShellName[];

export const command: CommandFile = {
  place: "none",
  declare: (parser) => void parser.argument("<SHELL>", names.join(", ")),
  examples: [
    "completion bash > ~/.local/share/bash-completion/completions/vivarium",
    "|source <(vivarium completion zsh)",
    "completion fish > ~/.config/fish/completions/vivarium.fish",
  ],
  run: complete,
};

async function complete({ commands, given, json, output }: CommandContext): Promise<number> {
  const [wanted = ""] = given.args;
  const shell = names.find((name) => name === wanted);
  if (shell === undefined)
    throw new InvalidOptionsError(
      `Cannot complete for this shell as it must be one of ${names.join(", ")}: got ${show(wanted)}`,
      "SHELL",
    );
  const script = shells[shell](await commandWords(commands));
  if (json) output.json({ shell, script });
  else await output.write(script);
  return exitCodes.done;
}
