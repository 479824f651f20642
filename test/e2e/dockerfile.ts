// A Dockerfile as its instructions, and the mistakes in them that linters look for.

export interface Instruction {
  readonly name: string;
  readonly text: string;
  readonly line: number;
}

const known =
  "FROM ARG ENV RUN COPY WORKDIR USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD LABEL SHELL".split(
    " ",
  );

/** Its instructions; those that go on over several lines are one. */
export function instructionsOf(text: string): readonly Instruction[] {
  const found: Instruction[] = [];
  let begun: Instruction | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*#/.test(line) || line.trim() === "") continue;
    const isGoingOn = line.endsWith("\\");
    const part = line.replace(/\s*\\$/, "").trim();
    const [, name = "", rest = ""] = /^(\w+)\s*(.*)$/.exec(part) ?? [];
    begun =
      begun === undefined
        ? { name: name.toUpperCase(), text: rest, line: index + 1 }
        : { ...begun, text: `${begun.text} ${part}` };
    if (isGoingOn) continue;
    found.push(begun);
    begun = undefined;
  }
  return found;
}

/** What is wrong, by line. */
export function dockerfileProblems(instructions: readonly Instruction[]): readonly string[] {
  const stages = instructions.flatMap(({ name, text }) =>
    name === "FROM" ? [/ AS (\S+)$/i.exec(text)?.[1] ?? ""] : [],
  );
  return instructions.flatMap(({ name, text, line }, index) => {
    const said: string[] = [];
    if (!known.includes(name)) said.push(`no instruction: ${name}`);
    if (text === "") said.push("nothing follows the instruction");
    if (index === 0 && name !== "FROM" && name !== "ARG") said.push("it must begin with FROM");
    if (name === "FROM" && /^\S+(?::latest)?(?: AS \S+)?$/i.test(text) && !/:(?!latest)/.test(text))
      said.push("an image without a version");
    if (name === "COPY") {
      const [, from] = /^--from=(\S+)/.exec(text) ?? [];
      if (from !== undefined && !stages.includes(from)) said.push(`no stage: ${from}`);
      if (text.split(" ").filter((word) => !word.startsWith("--")).length < 2)
        said.push("a copy without a place");
    }
    if (name === "WORKDIR" && !text.startsWith("/")) said.push("a relative folder");
    if (name === "RUN" && /\bsudo\b|\bcurl\b.*\|\s*(?:ba)?sh|chmod 777/.test(text))
      said.push("a dangerous command");
    if ((name === "CMD" || name === "ENTRYPOINT") && !isList(text))
      said.push("a command that a shell would stand in front of");
    if (name === "EXPOSE" && !/^\d{1,5}(?:\/(?:tcp|udp))?$/.test(text)) said.push("no port");
    return said.map((what) => `Dockerfile:${line}: ${what}`);
  });
}

function isList(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((word) => typeof word === "string");
  } catch {
    return false;
  }
}
