// A commit that is checked out and built for a comparison.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkOut } from "../../../bench/compare/checkout.ts";

const writesResult = (text: string): string =>
  `import { writeFileSync } from "node:fs"; writeFileSync(new URL("../built", import.meta.url), "${text}");`;
const never = new AbortController().signal;

/** A repository with one commit for each of these build programs, and the last one in its folder. */
function repositoryOf(
  ...builds: readonly string[]
): { from: string; git: (...args: string[]) => string } & Disposable {
  const from = mkdtempSync(join(tmpdir(), "vivarium-test-"));
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", from, "-c", "user.name=t", "-c", "user.email=t@localhost", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  git("init", "-q");
  mkdirSync(join(from, "tools"));
  for (const [index, build] of builds.entries()) {
    writeFileSync(join(from, "tools", "build.ts"), build);
    git("add", "-A");
    git("commit", "-q", "-m", `commit ${index}`);
  }
  return { from, git, [Symbol.dispose]: () => rmSync(from, { recursive: true, force: true }) };
}

function assertNothingLeft({ from, git }: Pick<ReturnType<typeof repositoryOf>, "from" | "git">): void {
  assert.equal(existsSync(join(from, ".compare")), false);
  assert.equal(git("worktree", "list").trim().split("\n").length, 1);
}

test("checkOut builds an earlier commit beside the present one, and leaves nothing behind", async () => {
  using repository = repositoryOf(writesResult("old"), writesResult("new"));
  const { from } = repository;
  {
    await using other = await checkOut({ from, commit: "HEAD~1", signal: never });
    assert.match(other.title, /^[0-9a-f]+ commit 0$/);
    assert.equal(readFileSync(join(other.root, "built"), "utf8"), "old");
    assert.equal(existsSync(join(from, "built")), false);
  }
  assertNothingLeft(repository);
});

test("checkOut leaves nothing behind where the build fails or the commit does not exist", async () => {
  using repository = repositoryOf("throw new Error('no');");
  const { from } = repository;
  await assert.rejects(checkOut({ from, commit: "HEAD", signal: never }), /no/);
  assertNothingLeft(repository);
  await assert.rejects(checkOut({ from, commit: "nonsense", signal: never }), /nonsense/);
  assertNothingLeft(repository);
});

test("checkOut ends the build and leaves nothing behind when it is interrupted", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  using repository = repositoryOf(`import { connect } from "node:net"; connect(${port}, "127.0.0.1");`);
  const { from } = repository;
  const interruption = new AbortController();
  const building = checkOut({ from, commit: "HEAD", signal: interruption.signal });
  // The build waits for as long as it is connected.
  const [socket] = (await once(server, "connection")) as [Socket];
  const disconnected = once(socket, "close");
  socket.on("error", () => {}).resume();
  interruption.abort();
  await assert.rejects(building, { name: "AbortError" });
  await disconnected;
  assertNothingLeft(repository);
  server.close();
});
