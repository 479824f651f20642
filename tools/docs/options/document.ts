// docs/options.md: every option of every method, made of the types and their comments.
import { execFileSync } from "node:child_process";
import { root } from "../documents.ts";
import { toMarkdown } from "../markdown.ts";
import { ofDeclaration, type Option } from "./members.ts";
import { functionsOf, methodsOf, type Method } from "./methods.ts";
import { sourceFile, type Declared } from "./sources.ts";

export const optionsPath = "docs/options.md";

const source = (path: string): URL => new URL(`../../../src/${path}`, import.meta.url);
const entry = sourceFile(source("index.ts"));
/** What users hold of the package's main entry, by the name that the documents give it. */
const holders = { runtime: "Runtime", sandbox: "Sandbox" } as const;
const otherEntries = {
  "vivarium/evolution": "evolution/index.ts",
  "vivarium/telemetry": "telemetry/index.ts",
};
/** Objects that are given to methods beside their options. */
const objects = {
  TestSuite: "A fitness of tests, for `batch.evaluate`.",
  TestCase: "One of its `tests`.",
  GuestScorer: "A fitness with a scorer in a sandbox of its own.",
  Cascade: "A fitness of stages, cheap ones first.",
  Stage: "One of its `stages`.",
  Capability: "A function of yours that guests may call, in `capabilities` of `createRuntime`.",
  CapabilityQuota: "How much of a capability one sandbox may use, in `capabilities` of `create`.",
} as const;

const introduction = `<!-- Written by node tools/docs.ts from the types; do not edit. -->

# Options

Every option of every method, from the types. The options of \`createRuntime\` itself are in [Configuration](configuration.md), the names inside \`limits\` in [Limits](limits.md), and the whole API as declarations in \`docs/api\` of the repository. An option without a default is off, or bounded only by what stands above it, when it is left out.`;

/** The whole document. */
export function optionsDocument(): string {
  const held = Object.entries(holders).flatMap(([holder, name]) => methodsOf(declared(name), holder));
  const others = Object.entries(otherEntries).flatMap(([name, path]) => {
    const file = sourceFile(source(path));
    const methods = file.exportedNames.flatMap((exported) => {
      const found = file.find(exported);
      return found === undefined ? [] : functionsOf(found, exported);
    });
    return methods.length === 0 ? [] : [`## ${name}`, ...methodSections(methods)];
  });
  const text = [
    introduction,
    ...["runtime", "batch", "sandbox"].flatMap((name) => groupSections(name, held)),
    "## Objects",
    ...Object.entries(objects).flatMap(([name, about]) => objectSection(name, about)),
    ...others,
  ].join("\n\n");
  return formatted(`${text}\n`);
}

/** Options whose comment is missing, as `method: option`. */
export function undescribed(): readonly string[] {
  return optionsDocument()
    .split("\n### ")
    .flatMap((section) => {
      const [title = ""] = section.split("\n");
      return [...section.matchAll(/^\| `([^`]+)` .*\|\s*\|$/gm)].map(([, name = ""]) => `${title}: ${name}`);
    });
}

function declared(name: string): Declared {
  const found = entry.find(name);
  if (found === undefined) throw new Error(`Cannot describe ${name} as src/index.ts must export it`);
  return found;
}

const groupTitles = {
  runtime: "## The runtime",
  batch: "## Batches",
  sandbox: "## A sandbox",
} as const;

function groupSections(group: string, methods: readonly Method[]): readonly string[] {
  const isOf = ({ name }: Method): boolean =>
    name.startsWith("runtime.batch.") ? group === "batch" : name.startsWith(`${group}.`);
  return [groupTitles[group as keyof typeof groupTitles], ...methodSections(methods.filter(isOf))];
}

/** Methods with the same options have one table. */
function methodSections(methods: readonly Method[]): readonly string[] {
  const groups = Map.groupBy(methods, ({ options }) => JSON.stringify(options));
  return [...groups.values()].flatMap((same) => {
    const title = `### ${same.map(({ name }) => name).join(", ")}`;
    const about = same.map(({ calls, doc }) => `${calls.map((call) => `\`${call}\``).join(" or ")}: ${doc}`);
    return [
      title,
      same.length === 1 ? (about[0] ?? "") : about.map((line) => `- ${line}`).join("\n"),
      table(same[0]?.options ?? []),
    ];
  });
}

function objectSection(name: string, about: string): readonly string[] {
  const found = declared(name);
  const doc = found.file.commentBefore(found.node.start);
  return [`### ${name}`, `${about} ${doc}`.trim(), table(ofDeclaration(found))];
}

function table(options: readonly Option[]): string {
  return toMarkdown([["option", "type", "default", "what it does"], ...rows(options, "")]);
}

function rows(options: readonly Option[], above: string): readonly (readonly string[])[] {
  return options.flatMap(({ name, type, doc, isRequired, inner }) => {
    const [about = "", told] = doc.split(/ ?Default: /);
    const usual = told?.replace(/\.$/, "") ?? (isRequired ? "required" : "–");
    return [[`\`${above}${name}\``, `\`${type}\``, usual, about], ...rows(inner, `${above}${name}.`)];
  });
}

/** As \`npm run format\` leaves it, so that the text can be compared. */
function formatted(text: string): string {
  return execFileSync("oxfmt", [`--stdin-filepath=${optionsPath}`], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
}
