// A judge: submissions of students, scripts and modules alike, against tests that they do not see.
import { isDeepStrictEqual } from "node:util";
import { createRuntime, type GuestFailure } from "vivarium";

const tests = [
  { name: "a palindrome", args: ["level"], expected: true, points: 1 },
  { name: "another word", args: ["lever"], expected: false, points: 1 },
  { name: "with a capital", args: ["Level"], expected: true, points: 2 },
];
const submissions: Readonly<Record<string, string>> = {
  ada: `export const isPalindrome = (text: string): boolean =>
    text.toLowerCase() === [...text.toLowerCase()].reverse().join("");`,
  ben: `function isPalindrome(text) {\n  console.log("got", text);\n  return text === [...text].reverse().join("");\n}`,
  cem: `function isPalindrome(text) {\n  let i = 0;\n  while (text[i] === text.at(-1 - i)) continue;\n  return false;\n}`,
  dora: `function isPalindrome(text) {\n  for (let i = 0; i < text.length; i++ {\n    if (text[i] !== text.at(-1 - i)) return false;\n  }\n}`,
  eve: `const isPalindrome = (text) =>\n  text === text.reverse();`,
  finn: `const isPalindrome = (text) => {\n  for (const all = []; ; ) all.push(new Array(1e6).fill(text));\n};`,
  gil: `const palindrome = (text) => true;`,
};

function explain({ kind, message, thrown, diagnostics }: GuestFailure): string {
  if (kind === "timeout") return "it did not end: is there a loop that goes on forever?";
  if (kind === "memory") return "it needed too much memory: does a list grow without end?";
  if (kind === "output-limit") return "it printed or returned too much";
  const [problem] = diagnostics ?? [];
  if (problem !== undefined) return `${problem.message}\n${problem.frame ?? `line ${problem.line}`}`;
  const line = /script-1:(\d+)/.exec(thrown?.stack ?? "")?.[1]; // script-1 is the submission
  return line === undefined ? message : `${message}, in line ${line}`;
}

await using runtime = await createRuntime({
  profile: "classroom", // no packages, no capabilities
  limits: { timeoutMs: 8_000, memoryBytes: 32 * 2 ** 20, outputBytes: 10_000 },
});

/** Each test has a session of its own, so it finds nothing that another one left behind. */
async function judge(source: string, { name, args, expected, points }: (typeof tests)[number]) {
  await using session = await runtime.session();
  const read = await session.run(source);
  if (!read.ok && read.error.kind !== "unserializable") return { earned: 0, notes: [explain(read.error)] };
  const found = await session.run("typeof isPalindrome");
  if (!found.ok || found.value !== "function")
    return { earned: 0, notes: ["there is no function isPalindrome"] };
  const answer = await session.run("isPalindrome(...args)", { args });
  const notes = answer.output.length === 0 ? [] : ["it prints: only what it returns counts"];
  if (answer.ok && isDeepStrictEqual(answer.value, expected)) return { earned: points, notes };
  const problem = answer.ok ? `it answers ${String(answer.value)}` : explain(answer.error);
  return { earned: 0, notes: [...notes, `${name}: ${problem}`] };
}

for (const [student, source] of Object.entries(submissions)) {
  const verdicts = await Promise.all(tests.map((test) => judge(source, test)));
  console.log(`${student}: ${verdicts.reduce((sum, { earned }) => sum + earned, 0)} of 4 points`);
  for (const note of new Set(verdicts.flatMap(({ notes }) => notes)))
    console.log(`  ${note.replaceAll("\n", "\n  ")}`);
}
