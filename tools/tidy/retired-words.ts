// Words that this repository used once and gave up for plainer ones. They may not come back in names, comments or
// documents, since two words for one idea make a reader look for a difference.
import type { SourceTree } from "./source-tree.ts";

export interface RetiredWord {
  /** The word in each of its forms, in lower case; one of several parts is written with spaces. */
  readonly forms: readonly string[];
  readonly use: string;
}

export interface AllowedWord {
  readonly file: string;
  readonly word: string;
  readonly reason: string;
}

const retiredWords: readonly RetiredWord[] = [
  { forms: ["crew", "crews"], use: "wiring" },
  { forms: ["desk", "desks"], use: "command handler" },
  { forms: ["homing", "homings"], use: "assignment" },
  { forms: ["house", "houses", "housed", "housing"], use: "assign" },
  { forms: ["vacate", "vacates", "vacated", "vacating"], use: "unassign" },
  { forms: ["homeless"], use: "unassigned" },
  { forms: ["errand", "errands"], use: "control operation" },
  { forms: ["pardon", "pardons", "pardoned", "pardoning"], use: "decision about a death" },
  { forms: ["accuse", "accuses", "accused", "accusing", "accusation"], use: "decision about a death" },
  { forms: ["kept order"], use: "barrier" },
  { forms: ["sacrifice", "sacrifices", "sacrificed", "sacrificing"], use: "oom score" },
  { forms: ["stillborn"], use: "load error" },
  { forms: ["bury", "buries", "buried", "burying", "burial"], use: "archive" },
  { forms: ["furnish", "furnishes", "furnished", "furnishing"], use: "install globals" },
  { forms: ["surround", "surrounds", "surrounded", "surrounding", "surroundings"], use: "launch settings" },
  { forms: ["resident", "residents"], use: "sandbox" },
  { forms: ["news"], use: "state changes" },
  { forms: ["sighting", "sightings"], use: "finding" },
  { forms: ["rehearse", "rehearses", "rehearsed", "rehearsal"], use: "dry run" },
  { forms: ["weave", "weaves", "weaving", "woven"], use: "insert" },
  { forms: ["convict", "convicts", "convicted"], use: "note a fault" },
  { forms: ["ward", "wards"], use: "child entry" },
];

/** Ordinary uses that cannot be avoided. */
const allowedWords: readonly AllowedWord[] = [
  { file: "docs/processes.md", word: "house", reason: "an example's supervisor of shelves" },
];

// Terms of the trade that happen to have a retired word in them: resident memory is what every profiler calls it.
const standingTerms = /resident[ _]memory/gi;

// The changelog names what was renamed, and this file the words themselves.
const exempt = ["CHANGELOG.md", "tools/tidy/retired-words.ts"];

export function findRetiredWords(
  tree: SourceTree,
  words: readonly RetiredWord[] = retiredWords,
  allowed: readonly AllowedWord[] = allowedWords,
): readonly string[] {
  const uses = new Map(words.flatMap(({ forms, use }) => forms.map((form) => [form, use] as const)));
  const problems = tree.paths
    .filter((path) => !exempt.includes(path) && path !== "package.json")
    .flatMap((path) => {
      const isAllowed = (word: string): boolean =>
        allowed.some((pair) => pair.file === path && pair.word === word);
      const texts = [path, ...tree.read(path).split("\n")];
      return texts.flatMap((text, line) =>
        retiredIn(text, uses)
          .filter((word) => !isAllowed(word))
          .map((word) => `${line === 0 ? path : `${path}:${line}`}: "${word}" is retired: ${uses.get(word)}`),
      );
    });
  return [...problems, ...needlessIn(tree, allowed)];
}

/** The retired words of one line, each once. An identifier is split at changes of case, underscores and hyphens. */
function retiredIn(text: string, uses: ReadonlyMap<string, string>): readonly string[] {
  const words = [...text.replaceAll(standingTerms, "").matchAll(/[A-Za-z][A-Za-z_-]*/g)].flatMap(([name]) => {
    const parts = partsOf(name);
    return [...parts, ...parts.slice(1).map((part, index) => `${parts[index]} ${part}`)];
  });
  return [...new Set(words)].filter((word) => uses.has(word));
}

function partsOf(name: string): readonly string[] {
  return name
    .split(/[_-]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter((part) => part !== "")
    .map((part) => part.toLowerCase());
}

/** An exception that nothing needs any more would let the word come back unseen. */
function needlessIn(tree: SourceTree, allowed: readonly AllowedWord[]): readonly string[] {
  return allowed
    .filter(({ file, word }) => !tree.paths.includes(file) || !tree.read(file).toLowerCase().includes(word))
    .map(
      ({ file, word }) => `tools/tidy/retired-words.ts: "${word}" need not be allowed in ${file} any more`,
    );
}
