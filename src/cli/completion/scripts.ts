// Scripts that teach a shell the commands and options of `vivarium`. What they do not know, the shell completes as a file.
import type { CommandWords } from "./words.ts";

export const shells = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
} as const satisfies Readonly<Record<string, (words: readonly CommandWords[]) => string>>;

export type ShellName = keyof typeof shells;

function bashScript(words: readonly CommandWords[]): string {
  const cases = words.map(({ name, actions, options }) => {
    const actionWords = actions.map((each) => each.name).join(" ");
    const optionWords = options.map((each) => each.name).join(" ");
    return `    ${name}) actions="${actionWords}"; options="${optionWords}" ;;`;
  });
  return `# Completion of vivarium for bash: source <(vivarium completion bash)
_vivarium() {
  local current="\${COMP_WORDS[COMP_CWORD]}" actions="" options=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words.map(({ name }) => name).join(" ")} help --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    help) [ "$COMP_CWORD" -eq 2 ] && actions="${words.map(({ name }) => name).join(" ")}" ;;
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$actions" ]; then
    COMPREPLY=($(compgen -W "$actions" -- "$current"))
  fi
}
complete -o default -F _vivarium vivarium
`;
}

function zshScript(words: readonly CommandWords[]): string {
  const entry = (name: string, about: string): string => quoted(`${name.replaceAll(":", "\\:")}:${about}`);
  const cases = words.map(({ name, actions, options }) => {
    const actionWords = actions.map((each) => entry(each.name, each.about)).join(" ");
    const optionWords = options.map((each) => entry(each.name, each.about)).join(" ");
    return `    ${name}) actions=(${actionWords}); options=(${optionWords}) ;;`;
  });
  return `#compdef vivarium
# Completion of vivarium for zsh: source <(vivarium completion zsh)
_vivarium() {
  local -a commands actions options
  commands=(${words.map(({ name, about }) => entry(name, about)).join(" ")})
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "$words[2]" in
${cases.join("\n")}
    help) (( CURRENT == 3 )) && actions=($commands) ;;
  esac
  if [[ "$words[CURRENT]" == -* ]]; then
    _describe -o 'option' options
  elif (( CURRENT == 3 && $#actions > 0 )); then
    _describe 'action' actions
  else
    _files
  fi
}
compdef _vivarium vivarium
`;
}

function fishScript(words: readonly CommandWords[]): string {
  const lines = words.flatMap(({ name, about, actions, options }) => {
    const within = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c vivarium -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`,
      ...actions.map((each) => `complete -c vivarium ${within} -a ${each.name} -d ${quoted(each.about)}`),
      ...options.map((each) => {
        const value = each.takesValue ? " -r" : "";
        return `complete -c vivarium ${within} -l ${each.name.slice(2)}${value} -d ${quoted(each.about)}`;
      }),
    ];
  });
  return `# Completion of vivarium for fish: vivarium completion fish | source\n${lines.join("\n")}\n`;
}

// For all three shells: nothing is special between single quotes but these.
function quoted(text: string): string {
  return `'${text.replaceAll("'", "’").replaceAll("\\", "/")}'`;
}
