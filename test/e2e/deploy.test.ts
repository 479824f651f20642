// What is needed to run the server elsewhere: the image and the unit. They are built and checked by the tools themselves where
// these are there, and by rules of our own in any case; the output says which was done.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { commands } from "../../src/cli/commands.ts";
import { helpOf } from "../../src/cli/command/help.ts";
import { createServer } from "../../src/server/index.ts";
import { createRuntime } from "../../src/index.ts";
import { root, runProgram } from "./program.ts";
import { dockerfileProblems, instructionsOf, type Instruction } from "./dockerfile.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const answers = (file: string, ...args: readonly string[]): boolean =>
  spawnSync(file, args, { timeout: 20_000 }).status === 0;

async function serveHelp(): Promise<string> {
  const serve = commands["serve"];
  assert.ok(serve !== undefined);
  return helpOf(["serve"], serve.about, await serve.load());
}

suite("the image", () => {
  const instructions = instructionsOf(read("Dockerfile"));
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));
  const one = (name: string): Instruction => {
    const found = last.filter((each) => each.name === name);
    assert.equal(found.length, 1, name);
    return found[0] as Instruction;
  };

  test("is described without mistakes that a linter would find", () => {
    assert.deepEqual(dockerfileProblems(instructions), []);
  });

  test("has none but a user without rights, a health check, SIGTERM, and no secret", () => {
    assert.equal(one("USER").text, "node");
    assert.equal(one("STOPSIGNAL").text, "SIGTERM");
    assert.match(one("HEALTHCHECK").text, /\/healthz/);
    const named = instructions.filter(({ name }) => name === "ENV" || name === "ARG");
    for (const { text } of named) assert.doesNotMatch(text, /token|secret|password|key/i);
    assert.ok(read(".dockerignore").split("\n").includes(".git"));
  });

  test("starts the server with options that it has", async () => {
    const words = JSON.parse(one("CMD").text) as readonly string[];
    assert.deepEqual(JSON.parse(one("ENTRYPOINT").text), ["vivarium"]);
    assert.equal(words[0], "serve");
    const help = await serveHelp();
    for (const word of words.filter((each) => each.startsWith("--")))
      assert.ok(help.includes(`${word} `), `serve has no ${word}`);
  });

  test("copies and links only what is there", () => {
    const copied = instructions.filter(({ name, text }) => name === "COPY" && !text.startsWith("--from"));
    for (const { text } of copied)
      for (const path of text.split(" ").slice(0, -1)) assert.ok(existsSync(join(root, path)), path);
    assert.match(one("RUN").text, /\/opt\/vivarium\/dist\/cli\/main\.js/);
    const { bin } = JSON.parse(read("package.json")) as { bin: { vivarium: string } };
    assert.equal(bin.vivarium, "dist/cli/main.js");
  });

  test("is built and serves, where a docker daemon can build it", async (context) => {
    if (!answers("docker", "info")) {
      context.diagnostic("no docker daemon answers: the Dockerfile was checked by rules alone, not built");
      return;
    }
    const tag = `vivarium-test-${process.pid}`;
    const built = await runProgram("docker", ["build", "--tag", tag, root], { timeoutMs: 900_000 });
    if (/failed to resolve source metadata|pull access denied|no such host|i\/o timeout/.test(built.stderr)) {
      context.diagnostic(
        "the base image cannot be had: the Dockerfile was checked by rules alone, not built",
      );
      return;
    }
    assert.equal(built.code, 0, built.stderr);
    context.diagnostic("the image was built and run");
    await tryImage(tag);
  });
});

async function tryImage(tag: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vivarium-image-"));
  const token = "a-token-of-this-test-alone";
  const file = join(folder, "tokens.json");
  writeFileSync(file, JSON.stringify([{ token, scope: "admin" }]), { mode: 0o644 });
  const docker = async (...args: readonly string[]): Promise<string> => {
    const ended = await runProgram("docker", args);
    assert.equal(ended.code, 0, ended.stderr);
    return ended.stdout.trim();
  };
  try {
    const mounted = `${file}:/run/secrets/tokens.json:ro`;
    const id = await docker("run", "--detach", "--publish", "127.0.0.1::7420", "--volume", mounted, tag);
    const address = await docker("port", id, "7420/tcp");
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ source: "6 * 7" });
    const request = { method: "POST", headers, body };
    const answer = await untilAnswered(`http://${address}/v1/once`, request);
    assert.equal(((await answer.json()) as { value: number }).value, 42);
    await docker("stop", "--time", "45", id);
    assert.equal(await docker("inspect", "--format", "{{.State.ExitCode}}", id), "0");
    await docker("rm", id);
  } finally {
    await runProgram("docker", ["rmi", "--force", tag]);
    rmSync(folder, { recursive: true });
  }
}

// The container needs a moment until it listens.
async function untilAnswered(url: string, request: RequestInit): Promise<Response> {
  const late = AbortSignal.timeout(30_000);
  for (;;) {
    try {
      return await fetch(url, { ...request, signal: late });
    } catch (error) {
      if (late.aborted) throw error;
    }
  }
}

suite("the unit of systemd", () => {
  const unit = read("deploy/vivarium.service");
  const settings = [...unit.matchAll(/^(\w+)=(.*)$/gm)].map(
    ([, name = "", value = ""]) => [name, value] as const,
  );
  const valuesOf = (name: string): readonly string[] =>
    settings.filter(([each]) => each === name).map(([, value]) => value);
  const seconds = (name: string): number => Number(valuesOf(name)[0]);

  test("starts the server with options that it has", async () => {
    const [, ...words] = valuesOf("ExecStart")[0]?.split(" ") ?? [];
    assert.equal(words[0], "serve");
    const help = await serveHelp();
    for (const word of words.filter((each) => each.startsWith("--")))
      assert.ok(help.includes(`${word} `), `serve has no ${word}`);
  });

  test("waits longer than the server drains", async () => {
    const [, drainMs = ""] = /--drain-ms\s[^]*?\(default:\s*(\d+)\)/.exec(await serveHelp()) ?? [];
    assert.ok(
      seconds("TimeoutStopSec") * 1_000 > Number(drainMs),
      `${seconds("TimeoutStopSec")} s, ${drainMs} ms`,
    );
  });

  test("leaves cells what they need: to start, to jail themselves, to compile, to be measured, and to die alone", () => {
    const expected = {
      NoNewPrivileges: ["yes"],
      KillMode: ["mixed"],
      OOMPolicy: ["continue"],
      MemoryDenyWriteExecute: [],
      ProtectProc: [],
      ProcSubset: [],
      User: ["vivarium"],
      CapabilityBoundingSet: [""],
    };
    for (const [name, values] of Object.entries(expected)) assert.deepEqual(valuesOf(name), values, name);
  });

  test("is accepted by systemd-analyze, where that is there", async (context) => {
    if (!answers("systemd-analyze", "--version")) {
      context.diagnostic("there is no systemd-analyze: the unit was checked by rules alone");
      return;
    }
    const folder = mkdtempSync(join(tmpdir(), "vivarium-unit-"));
    try {
      // It looks for the program and for the documents.
      const text = unit.replaceAll("/opt/vivarium/node_modules/.bin/vivarium", process.execPath);
      writeFileSync(join(folder, "vivarium.service"), text);
      const { code, stdout, stderr } = await runProgram("systemd-analyze", [
        "verify",
        join(folder, "vivarium.service"),
      ]);
      assert.deepEqual(
        [code, stdout, stderr.replaceAll(/^.*(?:Failed to|Cannot) (?:open|connect|get).*\n/gm, "")],
        [0, "", ""],
      );
      context.diagnostic("systemd-analyze verify accepts the unit");
      const level = exposureOf(
        await runProgram("systemd-analyze", ["security", "--offline=yes", join(folder, "vivarium.service")]),
      );
      if (level === undefined)
        context.diagnostic("this systemd-analyze cannot judge a file: its level of exposure is unknown");
      else {
        assert.ok(level < 3, `the level of exposure is ${level}`);
        context.diagnostic(`systemd-analyze security: exposure ${level}`);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("allows every system call that a runtime was seen to make, where the groups of calls can be asked for", (context) => {
    const listed = spawnSync("systemd-analyze", ["syscall-filter"], { encoding: "utf8" });
    if (listed.status !== 0) {
      context.diagnostic("there is no systemd-analyze: the filter of system calls was not compared");
      return;
    }
    const groups = groupsOf(listed.stdout);
    const allowed = new Set<string>();
    for (const line of valuesOf("SystemCallFilter")) {
      const isDenied = line.startsWith("~");
      for (const name of line
        .replace("~", "")
        .split(" ")
        .flatMap((each) => callsOf(groups, each)))
        if (isDenied) allowed.delete(name);
        else allowed.add(name);
    }
    assert.deepEqual(
      seen.filter((name) => !allowed.has(name)),
      [],
    );
    context.diagnostic(`all of ${seen.length} system calls are allowed`);
  });
});

function exposureOf({ stdout }: { readonly stdout: string }): number | undefined {
  const [, level] = /exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
  return level === undefined ? undefined : Number(level);
}

function groupsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  let members: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("@")) groups.set(line.trim(), (members = []));
    else if (line.startsWith("    ") && !line.includes("#")) members.push(line.trim());
  }
  return groups;
}

function callsOf(groups: ReadonlyMap<string, readonly string[]>, name: string): readonly string[] {
  if (!name.startsWith("@")) return [name];
  return (groups.get(name) ?? []).flatMap((each) => callsOf(groups, each));
}

/** By the server's own process and its cells while they start, serve, run, are cut and end, as strace tells on both processors. */
const seen: readonly string[] =
  "accept4 bind brk capget capset clock_nanosleep clone clone3 close close_range connect dup3 epoll_create1 epoll_ctl epoll_pwait eventfd2 execve exit exit_group fcntl fstat fsync ftruncate futex getcwd getdents64 getegid geteuid getgid getpid getppid getrandom getresgid getresuid getrusage getsockname getsockopt gettid getuid ioctl kill landlock_add_rule landlock_create_ruleset landlock_restrict_self listen lseek madvise mmap mprotect munmap newfstatat openat pipe2 ppoll prctl pread64 prlimit64 pwrite64 read renameat2 restart_syscall rseq rt_sigaction rt_sigprocmask rt_sigreturn sched_getaffinity sched_getparam sched_getscheduler sched_setscheduler sched_yield seccomp set_robust_list set_tid_address setgroups setresgid setresuid setsid setsockopt shutdown sigaltstack socket socketpair statx sysinfo uname unlinkat wait4 write writev pkey_alloc".split(
    " ",
  );

test("the example of a file of tokens is one that the server takes", async () => {
  const tokens = JSON.parse(read("deploy/tokens.example.json")) as never;
  await using runtime = await createRuntime();
  await using server = createServer(runtime, { access: { tokens } });
  assert.equal(server.token, null);
});
