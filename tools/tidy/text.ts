// What a file may not say, whatever it is about, and how long it may be.
import { linesOf, type SourceTree } from "./source-tree.ts";

const linesMax = 300;

interface Forbidden {
  readonly pattern: RegExp;
  readonly rule: string;
  readonly isFor: (path: string) => boolean;
}

const anywhere = (): boolean => true;
const inSources = (path: string): boolean => path.startsWith("src/");

// Where the machine's own clock and randomness may be used: std/ wraps them, and guests and cells have no one to pass them in.
const ownTime = ["src/std/", "src/guest/", "src/execution/cell-host/"];

const forbidden: readonly Forbidden[] = [
  { pattern: /\bthrow new Error\(/, rule: "throw a typed error, or assert", isFor: inSources },
  { pattern: /^export default /m, rule: "exports have names", isFor: inSources },
  { pattern: /^(?:export )?(?:const )?enum /m, rule: "no enums", isFor: anywhere },
  {
    pattern: /\bTODO\b(?! #\d)/,
    rule: "a TODO carries an issue number",
    isFor: (path) => path !== "tools/tidy/text.ts",
  },
  {
    pattern: /\b(?:test|it|describe)\.(?:skip|only|todo)\b/,
    rule: "no skipped or focused tests",
    isFor: anywhere,
  },
  {
    pattern: /\b(?:Date\.now|(?<!\bsocket\.)setTimeout|setInterval|Math\.random)\(/,
    rule: "time and randomness are passed in",
    isFor: (path) => inSources(path) && !ownTime.some((folder) => path.startsWith(folder)),
  },
];

export function findTextProblems(tree: SourceTree): readonly string[] {
  return tree.paths
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => {
      const text = tree.read(path);
      const lines = linesOf(text);
      return [
        ...(lines > linesMax ? [`${path}: ${lines} lines, more than ${linesMax}`] : []),
        ...(text.startsWith("//") ? [] : [`${path}: the first line says why the file exists`]),
        ...forbidden
          .filter(({ isFor, pattern }) => isFor(path) && pattern.test(text))
          .map(({ rule }) => `${path}: ${rule}`),
      ];
    });
}
