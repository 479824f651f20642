// A server that is killed and started again on its folder and its port: its clients go on.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { connect, type EventGap } from "../../../src/client/index.ts";
import { Folder } from "../../support/folders.ts";
import { errorOf } from "../../support/errors.ts";
import { valueOf } from "../../support/outcomes.ts";
import { until } from "../../support/waiting.ts";

const program = fileURLToPath(new URL("serving.ts", import.meta.url));
const token = "a-token-of-the-restarted-server";
const folder = new Folder();
after(() => folder[Symbol.dispose]());

const children = new Set<ChildProcess>();
after(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** Starts the server; resolves when it listens. */
async function start(data: string, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, data, String(port), token], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  child.on("exit", () => children.delete(child));
  const ended = once(child, "exit").then(() => assert.fail("the server ended instead of listening"));
  ended.catch(() => {});
  await Promise.race([once(child.stdout, "data"), ended]);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

suite("a server that is killed and started again", () => {
  test("its clients go on: the next request works, sandboxes have their revision, and events tell of the gap", async () => {
    const [data, port] = [`${folder.path}/data`, await freePort()];
    const first = await start(data, port);
    const gaps: EventGap[] = [];
    const heard: string[] = [];
    const connections: boolean[] = [];
    await using runtime = await connect(`http://127.0.0.1:${port}`, {
      token,
      retry: { attempts: 100, pauseMs: 250 },
      onMissed: (gap) => gaps.push(gap),
      onConnection: ({ open }) => connections.push(open),
    });
    assert.equal(runtime.about.stored, true);
    runtime.events.on("sandbox.create.stop", ({ sandboxId }) => heard.push(sandboxId));
    const sandbox = await runtime.create("lives", { modules: { main: "export const f = () => 1;" } });
    await sandbox.hotReload({ main: "export const f = () => 2;" });
    await until("the creation is heard", () => heard.includes("lives"));
    const session = await runtime.session();

    const running = sandbox.run("for (;;);");
    const broken = errorOf(() => running, "CONNECTION_FAILED");
    const batch = errorOf(
      () =>
        runtime.batch.run(["lives"], () => {
          for (;;);
        }),
      "CONNECTION_FAILED",
    );
    await until("they run", async () => (await runtime.metrics()).runsUnderway > 0);
    await kill(first);
    const failure = await broken;
    assert.match(
      failure.message,
      /^Cannot call sandbox "lives" as the server must be there until it has answered: /,
    );
    assert.ok(failure.cause instanceof Error);
    await batch;

    // Asked for while nobody is there: what harms nobody is asked for again until somebody is.
    const info = runtime.info("lives");
    const second = await start(data, port);
    assert.deepEqual([(await info).status, (await info).revision], ["running", 2]);
    assert.equal(valueOf(await sandbox.call("main.f")), 2);
    assert.equal(await runtime.has(session.id), false);
    await errorOf(() => session.run("1"), "HANDLE_NOT_FOUND");

    await until("the gap is told", () => gaps.length > 0);
    assert.deepEqual(gaps, [{ missed: null, error: null }]);
    await runtime.create("later", { modules: { main: "export const g = 1;" } });
    await until("events are heard again", () => heard.includes("later"));
    assert.equal(connections[0], true);
    assert.ok(connections.includes(false), "that the stream broke is told");
    assert.equal(connections.at(-1), true);

    await kill(second);
    await errorOf(() => connect(`http://127.0.0.1:${port}`, { token }), "CONNECTION_FAILED");
  });
});
