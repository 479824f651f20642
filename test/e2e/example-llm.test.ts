// The example with a language model, against a server of our own that answers well, badly, wickedly, late or not at all.
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { runNode, type Ended } from "./program.ts";

const key = "sk-secret-key-of-the-host";

interface Request {
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly messages: readonly { readonly content: string }[] };
}

type Reply = (response: ServerResponse) => void;

/** Answers each request with the next reply, and all further ones with the last. */
class FakeModel implements AsyncDisposable {
  readonly #server: Server;
  readonly requests: Request[] = [];

  constructor(...replies: readonly Reply[]) {
    this.#server = createServer((request, response) => {
      void (json(request) as Promise<Request["body"]>).then((body) => {
        this.requests.push({ headers: request.headers, body });
        replies[Math.min(this.requests.length, replies.length) - 1]?.(response);
      });
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The prompts, request by request. */
  get prompts(): readonly string[] {
    return this.requests.map(({ body }) => body.messages[0]?.content ?? "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const says =
  (content: unknown): Reply =>
  (response) =>
    void response.end(JSON.stringify({ choices: [{ message: { content } }] }));
const code = (source: string): Reply =>
  says(`Here it is:\n\`\`\`ts\n${source}\n\`\`\`\nIt should do better.`);
const status =
  (number: number, text = "", headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) =>
    void response.writeHead(number, headers).end(text);
const silence: Reply = () => {};
const text =
  (body: string): Reply =>
  (response) =>
    void response.end(body);

// Leaves no room that is too small for any item, unless next to none is left.
const better = `export function priority(item: number, room: number): number {
  const rest = room - item;
  return rest <= 9 ? 100 - rest : rest < 24 ? -100 - rest : -rest;
}`;
const same = `export const priority = (item: number, room: number): number => item - room;`;

const environmentFor = (baseUrl: string): NodeJS.ProcessEnv => ({
  ...process.env,
  OPENAI_BASE_URL: baseUrl,
  OPENAI_API_KEY: key,
  OPENAI_MODEL: "fake-1",
});

async function run(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Ended> {
  const ended = await runNode(["examples/llm/main.ts", "--backoff-ms", "1", ...args], { env });
  assert.ok(!`${ended.stdout}${ended.stderr}`.includes(key), "the key is told to nobody");
  return ended;
}

const failuresIn = ({ stdout }: Ended): string | undefined => /^Failed +(.*)$/m.exec(stdout)?.[1];

test("the example finds a better rule among answers of every kind, and counts each failure as one", async () => {
  await using model = new FakeModel(
    code(same),
    code("export const priority = ("),
    code("export function priority() { for (;;); }"),
    code(
      `export const priority = (item, room) => globalThis.constructor.constructor("return process")().env.OPENAI_API_KEY;`,
    ),
    code(`Array.prototype.map = function () { return Array.from(this, () => 0); };
export const priority = () => 1;`),
    says("I would rather not."),
    says({ role: "assistant" }),
    text("<html>not JSON</html>"),
    text(JSON.stringify({ choices: [] })),
    text("x".repeat(2 ** 20 + 1)),
    code(better),
    silence,
    status(500, "out of order"),
    status(429, "slow down", { "retry-after": "0" }),
    code(same),
    code(same),
  );
  const env = environmentFor(await model.listen());
  const ended = await run(env, "--parallel", "1", "--requests", "16", "--timeout-ms", "3000");
  assert.equal(ended.code, 0, ended.stderr);
  assert.ok(ended.stdout.includes(better), ended.stdout);
  assert.equal(
    failuresIn(ended),
    "PARSE_FAILED 1 · timeout 1 · crashed 1 · invalid-score 1 · no code 1 · no text 4",
  );
  assert.match(ended.stdout, /^Requests +16\nScored +4$/m);

  assert.equal(model.requests.length, 16);
  for (const { headers, body } of model.requests)
    assert.deepEqual([headers.authorization, body.model], [`Bearer ${key}`, "fake-1"]);
  const { prompts } = model;
  assert.match(prompts[2] ?? "", /These attempts failed:\n- PARSE_FAILED: /);
  assert.match(prompts[3] ?? "", /- timeout: Cannot finish within timeoutMs, 1000/);
  assert.ok(!prompts[10]?.includes(better));
  for (const prompt of prompts.slice(11)) assert.ok(prompt.indexOf(better) < prompt.indexOf("item - room"));
});

test("the example asks several times at once, and never more often than it may", async () => {
  await using model = new FakeModel(code(better));
  const ended = await run(environmentFor(await model.listen()), "--parallel", "3", "--requests", "7");
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(model.requests.length, 7);
  assert.match(ended.stdout, /^Requests +7\nScored +7\nFailed +none$/m);
});

for (const [what, reply] of [
  ["is always broken", status(503, "later")],
  ["never answers", silence],
  ["breaks off", ((response) => void response.socket?.destroy()) satisfies Reply],
] as const) {
  test(`the example ends with exit code 1 within its requests where the server ${what}`, async () => {
    await using model = new FakeModel(reply);
    const env = environmentFor(await model.listen());
    const ended = await run(env, "--requests", "6", "--parallel", "2", "--timeout-ms", "100");
    assert.equal(ended.code, 1, ended.stderr);
    assert.ok(model.requests.length <= 6, `${model.requests.length} requests`);
    assert.match(ended.stdout, /^Requests +6\nScored +0$/m);
  });
}

test("the example ends at once where the server refuses it, with the server's message", async () => {
  for (const [number, said] of [
    [401, "no such key"],
    [404, "no such model"],
    [302, "elsewhere"],
  ] as const) {
    await using model = new FakeModel(status(number, said));
    const { code, stderr } = await run(environmentFor(await model.listen()), "--parallel", "1");
    assert.equal(code, 1);
    assert.match(
      stderr,
      new RegExp(`^Cannot use the server as it must answer with 200: got ${number}: ${said}$`, "m"),
    );
    assert.equal(model.requests.length, 1);
  }
});

for (const name of ["OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"]) {
  test(`the example ends with exit code 2 where ${name} is missing`, async () => {
    const { code, stdout, stderr } = await run({ ...environmentFor("http://127.0.0.1:1/v1"), [name]: "" });
    assert.deepEqual([code, stdout], [2, ""]);
    assert.equal(
      stderr.split("\n")[0],
      `Cannot ask a model as ${name} must be set in the environment: it is not`,
    );
  });
}

for (const [args, message] of [
  [["--requests", "0"], "Cannot use --requests as it must be 1–1000: got 0"],
  [["--speed"], /^Cannot use this option as it must be one of --requests, .*: got "--speed"$/],
] as const) {
  test(`the example refuses ${args.join(" ")} with exit code 2 and the rule`, async () => {
    const { code, stderr } = await run(environmentFor("http://127.0.0.1:1/v1"), ...args);
    assert.equal(code, 2);
    assert.match(
      stderr.split("\n")[0] ?? "",
      typeof message === "string" ? new RegExp(`^${message}$`) : message,
    );
  });
}

test("the example refuses an address that is none, and shows its options for --help", async () => {
  const { code, stderr } = await run(environmentFor("file:///etc"));
  assert.equal(code, 2);
  assert.match(stderr, /^Cannot ask a model as OPENAI_BASE_URL must be an http or https address: got file:/);
  const { stdout } = await run({ ...process.env }, "--help");
  for (const option of ["--requests", "--timeout-ms", "OPENAI_MODEL"]) assert.ok(stdout.includes(option));
});
