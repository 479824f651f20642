// The examples with sessions print what their documents promise: points and sentences for students, values and mistakes for a model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runNode } from "./program.ts";

const expected: Readonly<Record<string, string>> = {
  judge: `ada: 4 of 4 points
ben: 2 of 4 points
  it prints: only what it returns counts
  with a capital: it answers false
cem: 1 of 4 points
  a palindrome: it did not end: is there a loop that goes on forever?
  with a capital: it answers false
dora: 0 of 4 points
  Expected \`)\` but found \`{\`
    1 | function isPalindrome(text) {
  > 2 |   for (let i = 0; i < text.length; i++ {
      |                                        ^
    3 |     if (text[i] !== text.at(-1 - i)) return false;
    4 |   }
eve: 0 of 4 points
  a palindrome: TypeError: text.reverse is not a function, in line 2
  another word: TypeError: text.reverse is not a function, in line 2
  with a capital: TypeError: text.reverse is not a function, in line 2
finn: 0 of 4 points
  a palindrome: it needed too much memory: does a list grow without end?
  another word: it needed too much memory: does a list grow without end?
  with a capital: it needed too much memory: does a list grow without end?
gil: 0 of 4 points
  there is no function isPalindrome
`,
  "tool-runner": `script-1 prints asked for 3
script-1 gives Map(3) { 'apples' => 12, 'pears' => 0, 'plums' => 7 }
script-2 fails crashed: ReferenceError: missng is not defined
    at script-2:2:1
script-3 gives [ 'pears' ]
script-4 fails compile: Cannot compile script-4 as it must be a program: Expected \`)\` but found \`{\` (script-4:1:26)
> 1 | for (const name of names {
    |                          ^
  2 |   console.log(name);
  3 | }
script-5 fails crashed: CapabilityError: Cannot use lookup as its arguments must fit: there is one, the name of a fruit
    at script-5:1:7
script-6 fails rejected: Cannot load module "script-6" as profile "medium" must admit it: "node:fs" imports a module of the host: a builtin of Node, or a file, address or path (import-builtin) at script-6:1:30
> 1 | import { readFileSync } from "node:fs";
    |                              ^
  2 | readFileSync("/etc/passwd", "utf8")
script-7 gives [ 'red', 'green', 'apples' ]
script-8 fails timeout: Cannot finish within timeoutMs, 3000: it was still running
script-9 gives 3
row apples: 12
row pears: 0
row plums: 7
`,
};

for (const [name, text] of Object.entries(expected))
  test(`${name} prints the outcome of every snippet`, async () => {
    const { code, stdout, stderr } = await runNode([`examples/${name}/main.ts`]);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, text);
  });
