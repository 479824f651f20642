// A tool runner for code that a model writes: snippets that share their variables, a function of the host, one npm package,
// mistakes told with their lines so that the model can correct them, and results that arrive part by part.
import { createRuntime, type GuestFailure } from "vivarium";

const stock: Readonly<Record<string, number>> = { apples: 12, pears: 0, plums: 7 };

await using runtime = await createRuntime({
  npmImports: ["diff"], // the only package that snippets may import
  npmFolder: import.meta.dirname,
  capabilities: {
    lookup: {
      args: (args) => (args as unknown[]).length === 1 || "there is one, the name of a fruit",
      run: ([fruit]) => stock[String(fruit)] ?? null,
    },
  },
});
await using session = await runtime.session({
  capabilities: { lookup: { calls: 50 } },
  limits: { timeoutMs: 3_000, memoryBytes: 64 * 2 ** 20, outputBytes: 20_000 },
});

/** What the model is told: what went wrong, and where in its own lines. */
function problemOf({ kind, message, thrown, diagnostics }: GuestFailure): string {
  const place = diagnostics?.[0]?.frame ?? thrown?.stack.split("\n")[1];
  return [`${kind}: ${message}`, place].filter((part) => part !== undefined).join("\n");
}

// As a model writes them, one after the other.
const snippets = [
  `import { lookup } from "vivarium/capabilities";
const names = ["apples", "pears", "plums"];
const amounts = new Map();
for (const name of names) amounts.set(name, await lookup(name));
console.log("asked for", names.length);
amounts`,
  `const missing = names.filter((name) => amounts.get(name) === 0);\nmissng.length`,
  `missing`,
  `for (const name of names {\n  console.log(name);\n}`,
  `await lookup("apples", "pears")`,
  `import { readFileSync } from "node:fs";\nreadFileSync("/etc/passwd", "utf8")`,
  `import { diffWords } from "diff";\ndiffWords("red apples", "green apples").map(({ value }) => value.trim())`,
  `while (names.length > 0) {}`,
  `names.length`,
];
for (const snippet of snippets) {
  const outcome = await session.run(snippet);
  for (const { text } of outcome.output) console.log(`${outcome.script} prints ${text}`);
  if (outcome.ok) console.log(`${outcome.script} gives`, outcome.value);
  else console.log(`${outcome.script} fails ${problemOf(outcome.error)}`);
}

// A generator is streamed from a module, which a session can be given at any time. It sees what the snippets declared.
const report = `export async function* rows() { for (const [name, amount] of amounts) yield name + ": " + amount; }`;
await session.sandbox.hotReload({ report });
for await (const row of session.sandbox.stream<string>("report.rows")) console.log(`row ${row}`);
