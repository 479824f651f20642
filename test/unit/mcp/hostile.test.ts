// What no well-meaning client sends: each gets a clear answer, none gets a stack, and the server goes on.
import assert from "node:assert/strict";
import { once } from "node:events";
import { suite, test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { admin, call, handlerOf, mistake, overHttp, overStreams, textOf, use } from "../../support/mcp.ts";
import { startRuntime } from "../../support/runtimes.ts";

const source = "export const f = (x) => x;";
const runtime = await startRuntime();
const streams = await overStreams(runtime, "2025", {
  mcp: { messageBytes: 2 ** 20, sandboxes: 3, textChars: 2_000, tests: 5, candidates: 4 },
});
const clients: Record<string, Client> = {
  "over streams": streams.client,
  "over HTTP": await overHttp(
    handlerOf(runtime, { sandboxes: 3, textChars: 2_000, tests: 5, candidates: 4 }),
    "2026",
  ),
};

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

for (const [way, client] of Object.entries(clients))
  suite(`A hostile client ${way}`, () => {
    test("hears of wrong types, unknown names and names of prototypes", async () => {
      const wrong: [string, Record<string, unknown>, RegExp][] = [
        ["run_code", {}, /Cannot use source as it must be a text: got nothing/],
        ["run_code", { source: 7 }, /source as it must be a text: got 7/],
        ["run_code", { source: "1", args: "x" }, /args as it must be a list: got "x"/],
        [
          "run_code",
          { source: "1", timeoutMs: 1e9 },
          /timeoutMs as it must be at most 60000 here: got 1000000000/,
        ],
        ["run_code", { source: "1", timeoutMs: -1 }, /timeoutMs as it must be at least 1: got -1/],
        ["run_code", { source: "1", constructor: 1 }, /must be one of source, .*: got "constructor"/],
        [
          "create_sandbox",
          { source, limits: { memoryBytes: 2 ** 40 } },
          /limits\.memoryBytes as it must be at most/,
        ],
        ["create_sandbox", { source, limits: { sourceBytes: 1 } }, /got "limits\.sourceBytes"/],
        [
          "create_sandbox",
          { modules: JSON.parse('{"__proto__":"export {}"}') as unknown },
          /modules as each must have a name .*got "__proto__"/,
        ],
        ["create_sandbox", { modules: {} }, /modules must have at least one/],
        ["create_sandbox", { modules: { "../x": source } }, /INVALID_ID: .*without a \.\. segment/],
        ["create_sandbox", { modules: { vivarium: source } }, /INVALID_ID/],
        ["call", { id: "a", target: "main.f", args: { length: 3 } }, /args as it must be a list/],
        [
          "list_sandboxes",
          { cursor: "from-00" },
          /Cannot use cursor as it must be one that a page before ended with: got "from-00"/,
        ],
        ["evaluate", { candidates: [], tests: [] }, /candidates as it must be at least 1 items long/],
        [
          "evaluate",
          { candidates: [{}], tests: [{ call: "main.f", expected: 1 }] },
          /candidates\.0 as it must have either source or modules/,
        ],
        [
          "evaluate",
          {
            candidates: [{ source }],
            tests: Array.from({ length: 6 }, () => ({ call: "main.f", expected: 1 })),
          },
          /at most 5 tests at a time: got 6/,
        ],
        [
          "evaluate",
          {
            candidates: Array.from({ length: 5 }, () => ({ source })),
            tests: [{ call: "main.f", expected: 1 }],
          },
          /at most 4 candidates at a time: got 5/,
        ],
      ];
      for (const [name, args, message] of wrong) assert.match(await mistake(client, name, args), message);
    });

    test("hears that ids like paths, or of no form, are none", async () => {
      for (const id of ["../etc", "a/b", "a b", "é", "\u0000", "%2e%2e", "a".repeat(129)])
        assert.match(await mistake(client, "inspect", { id }), /INVALID_ID|at most 128/);
      for (const id of ["__proto__", "constructor", "toString", "..", "mcp-x:y"])
        assert.equal(
          await mistake(client, "inspect", { id }),
          `SANDBOX_NOT_FOUND: Cannot find sandbox "${id}"`,
        );
      assert.match(
        await mistake(client, "inspect", { id: "a".repeat(128) }),
        /at most \d+ characters, without the prefix/,
      );
    });

    test("hears which tools there are where it calls another", async () => {
      for (const name of ["nothing", "__proto__", "constructor", "toString", ""])
        await assert.rejects(
          async () => client.callTool({ name, arguments: {} }),
          /must be one of run_code, .*got /,
        );
    });

    test("hears that addresses of no resource are none", async () => {
      for (const uri of [
        "vivarium://sandboxes/",
        "vivarium://sandboxes/nobody",
        "vivarium://sandboxes/../../etc/passwd",
        "vivarium://sandboxes/%2e%2e%2fx/logs",
        "vivarium://elsewhere/x",
        "vivarium://sandboxes/x/source/main?version=-1",
        "vivarium://sandboxes/%zz",
        "file:///etc/passwd",
        "nothing at all",
        `vivarium://sandboxes/${"x".repeat(10_000)}`,
      ])
        await assert.rejects(async () => client.readResource({ uri }), /not found/i, uri);
    });

    test("hears that cursors of its own making are none", async () => {
      for (const cursor of ["x", "from-0", "from-1e9", "-1"])
        await assert.rejects(async () => client.listResources({ cursor }), /Cannot use cursor/);
      await assert.rejects(async () => client.listTools({ cursor: "x" }), /Cannot use cursor/);
      await assert.rejects(async () => client.listResourceTemplates({ cursor: "x" }), /Cannot use cursor/);
    });

    test("gets deep arguments through, or hears why not", async () => {
      await use(client, "create_sandbox", { id: "deep", source });
      for (const depth of [100, 3_000]) {
        const result = await call(client, "call", { id: "deep", target: "main.f", args: [nested(depth)] });
        assert.doesNotMatch(textOf(result), /INTERNAL|RangeError|node_modules|src\//);
      }
      await use(client, "destroy", { ids: ["deep"] });
    });

    test("gets the beginning of long values and output, without escapes, and pointers to the rest", async () => {
      await use(client, "create_sandbox", {
        id: "loud",
        source:
          "export const f = () => { for (let i = 0; i < 500; i++) console.log('\\u001b[31mline ' + i + '\\u202e'); return 'x'.repeat(100_000); };",
      });
      const result = await call(client, "call", { id: "loud", target: "main.f" });
      assert.ok(JSON.stringify(result).length < 20_000);
      const { output } = result.structuredContent as { output: { text: string }[] };
      const told = [textOf(result), ...output.map(({ text }) => text)].join("");
      assert.equal(told.includes("\u001b") || told.includes("\u202e"), false);
      assert.match(textOf(result), /the beginning of its JSON text, which has 100002 characters/);
      assert.match(textOf(result), /line 499\\u202e/);
      const link = result.content.find((block) => block.type === "resource_link");
      assert.match(link?.uri ?? "", /loud\/logs$/);
      const [whole] = (await client.readResource({ uri: link?.uri ?? "" })).contents;
      assert.match(whole !== undefined && "text" in whole ? whole.text : "", /log \\u001b\[31mline 0/);
      await use(client, "destroy", { ids: ["loud"] });
    });

    test("gets no more sandboxes than an agent may have", async () => {
      for (const id of ["a", "b", "c"]) await use(client, "create_sandbox", { id, source });
      assert.match(
        await mistake(client, "create_sandbox", { source }),
        /QUOTA_EXCEEDED: .* at most 3: 3 live; destroy some/,
      );
      const tests = [{ call: "main.f", args: [1], expected: 1 }];
      assert.match(
        await mistake(client, "evaluate", { candidates: [{ source }], tests, keep: 1 }),
        /QUOTA_EXCEEDED/,
      );
      assert.partialDeepStrictEqual(await use(client, "evaluate", { candidates: [{ source }], tests }), {
        scored: 1,
      });
      await use(client, "destroy", { ids: ["a", "b", "c"] });
    });
  });

test("lines that are no messages, or too long, are answered, and the connection goes on", async () => {
  const { toServer, fromServer, client } = streams;
  const answers: string[] = [];
  fromServer.on("data", (chunk: Buffer) => answers.push(chunk.toString()));
  const codes = (): readonly unknown[] =>
    answers
      .join("")
      .split("\n")
      .filter((line) => line.includes('"id":null'))
      .map((line) => (JSON.parse(line) as { error: { code: number } }).error.code);
  toServer.write("not json\n");
  toServer.write('[1,2]\n{"jsonrpc":"1.0"}\n"text"\n\n');
  toServer.write(Buffer.alloc(2 ** 20, "x"));
  toServer.write(`${"x".repeat(100)}\n`);
  while (codes().length < 5) await once(fromServer, "data");
  assert.deepEqual(codes(), [-32700, -32600, -32600, -32600, -32600]);
  assert.equal((await use(client, "run_code", { source: "40 + 2" })).value, 42);
});

test("requests over HTTP that are no messages are refused", async () => {
  const handler = handlerOf(runtime, { messageBytes: 10_000 });
  const ask = async (
    body: string | null,
    method = "POST",
    headers: Record<string, string> = {},
  ): Promise<number> => {
    const init = {
      method,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
    };
    const response = await handler(
      new Request("http://localhost/mcp", body === null ? init : { ...init, body }),
      admin,
    );
    const text = await response.text();
    assert.doesNotMatch(text, /node_modules|src\/| at /);
    return response.status;
  };
  assert.equal(await ask("{"), 400);
  assert.equal(await ask("[]"), 400);
  assert.equal(await ask("x".repeat(20_000)), 413);
  assert.equal(await ask("{}", "POST", { "content-type": "text/plain" }), 415);
  assert.equal(await ask('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'), 400);
  assert.equal(await ask(null, "GET"), 400);
  assert.equal(await ask(null, "DELETE"), 400);
  assert.equal(await ask("{}", "POST", { "vivarium-agent": "a b" }), 400);
});
