// The orchestrator's side of the probes: lays out what is to be found, and starts cells that have been taken over.
import { spawn, type ChildProcess } from "node:child_process";
import { createSocket } from "node:dgram";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { cellFlags } from "../../src/execution/cell-flags.ts";
import { programUrl } from "../../src/execution/programs.ts";
import { slateBytes } from "../../src/execution/slate.ts";
import { cellPrograms, engineFile } from "../../src/execution/cell-launch.ts";
import type { Spawner } from "../../src/jail/spawn/child.ts";
import type { JailLayer } from "../../src/jail/layers.ts";
import { bareEnvironment, permissionFlags } from "../../src/jail/spawn/node-process.ts";
import { makePlainSpawner } from "../../src/jail/spawn/plain-spawner.ts";
import { nodePaths } from "../../src/jail/system.ts";
import { ThreadSpawner } from "../../src/jail/spawn/thread-spawner.ts";
import { systemClock } from "../../src/std/clock.ts";
import { FrameReader } from "../../src/std/frames.ts";
import { openKernel } from "../../src/std/kernel.ts";
import type { Finding, Targets } from "./probe.ts";

const secret = "the-orchestrators-secret";
const nobody = { uid: 65_534, gid: 65_534 };
const frameBytesMax = 2 ** 20;
/** What a probe writes where it can. */
const sharedFile = "/dev/shm/vivarium-probe";
const pageBytes = 4_096;
const startMsMax = 120_000;
const setDescriptorFlags = 2;

export interface Told {
  readonly layers: readonly JailLayer[];
  readonly findings: Readonly<Record<string, Finding>>;
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
}

export interface Cost {
  readonly startMs: number;
  readonly rssBytes: number;
}

interface StartOptions {
  readonly layers: readonly JailLayer[];
  readonly program: string;
  readonly awaited: string;
  readonly onMessage?: (pid: number) => void;
}

export class Setup implements AsyncDisposable {
  readonly #closers: (() => unknown)[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "vivarium-probes-"));
  readonly #memory = Buffer.from(secret);
  /** The path of the program; a cell that is to be probed may read it beside what cells may. */
  readonly programFolder = join(this.#folder, "program");
  #targets: Targets | undefined;

  static async set(): Promise<Setup> {
    const setup = new Setup();
    await setup.#layOut();
    await setup.#writeProgram();
    return setup;
  }

  get targets(): Targets {
    return this.#targets as Targets;
  }

  /** The program of a cell that has been taken over; it is started like the cell host. */
  programFor(name: string, more: object = {}): string {
    const path = join(this.programFolder, `${name}.js`);
    const args = [JSON.stringify({ ...this.targets, ...more }), programUrl("cell-host").href];
    const lines = args.map((arg, index) => `process.argv[${5 + index}] = ${JSON.stringify(arg)};\n`);
    writeFileSync(path, `${lines.join("")}await import("./prober.js");\n`);
    return path;
  }

  /** Runs all probes in a cell with just these layers. */
  async probe(layers: readonly JailLayer[]): Promise<Told> {
    this.#tidy();
    const program = this.programFor("probes");
    await using spawner = this.#spawnerFor(layers);
    return (await this.#start(spawner, { layers, program, awaited: "probed" })) as unknown as Told;
  }

  /** What it costs to start a cell with these layers, once the starter thread is ready. */
  async cost(layers: readonly JailLayer[]): Promise<Cost> {
    await using spawner = this.#spawnerFor(layers);
    const program = fileURLToPath(programUrl("cell-host"));
    await this.#start(spawner, { layers, program, awaited: "ready" });
    const startedMs = performance.now();
    let cost: Cost | undefined;
    const onMessage = (pid: number): void => {
      const [, pages] = readFileSync(`/proc/${pid}/statm`, "latin1").split(" ");
      cost = { startMs: performance.now() - startedMs, rssBytes: Number(pages) * pageBytes };
    };
    await this.#start(spawner, { layers, program, awaited: "ready", onMessage });
    return cost as Cost;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closers.toReversed()) await close();
    rmSync(this.#folder, { recursive: true, force: true });
    rmSync(sharedFile, { force: true });
  }

  #spawnerFor(layers: readonly JailLayer[]): Spawner & AsyncDisposable {
    const spawner = this.#makeSpawner(layers);
    return Object.assign(spawner, { [Symbol.asyncDispose]: () => spawner.close() });
  }

  #makeSpawner(layers: readonly JailLayer[]): Spawner {
    const kernel = openKernel();
    const user = layers.includes("user") ? nobody : undefined;
    if (kernel === undefined || !(layers.includes("filter") || layers.includes("landlock")))
      return makePlainSpawner(systemClock, user);
    const paths = nodePaths();
    const data = { layers, user, paths: { ...paths, execute: [...paths.execute, ...this.#programs()] } };
    return new ThreadSpawner({ clock: systemClock, kernel, programUrl: programUrl("starter"), data });
  }

  #programs(): string[] {
    return [...cellPrograms(), this.programFolder];
  }

  // Starts a program as a cell, and ends it at the message that is waited for.
  async #start(
    spawner: Spawner,
    { layers, program, awaited, onMessage }: StartOptions,
  ): Promise<Record<string, unknown>> {
    const flags = layers.includes("permissions")
      ? permissionFlags({ read: this.#programs(), mayStartPrograms: false })
      : [];
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    const slate = openSync(join(this.#folder, "slate"), "w+");
    writeSync(slate, Buffer.alloc(slateBytes));
    const heard: Record<string, unknown> = {};
    const order = {
      command: process.execPath,
      args: [...cellFlags, ...flags, program, String(process.pid), layers.join(","), engineFile()],
      env: bareEnvironment(),
      sharedFd: slate,
    };
    const reader = new FrameReader(frameBytesMax);
    const child = spawner.spawn(order, {
      onBytes: (bytes) => reader.push(bytes, hear),
      onFailure: (message) => reject(new RangeError(message)),
      onEnd: (how, said) => reject(new RangeError(`the probing cell ended with ${how}: ${said}`)),
    });
    const timer = systemClock.after(startMsMax, () =>
      reject(new RangeError("the cell said nothing in time")),
    );
    function hear(message: unknown): void {
      const { t, ...more } = message as { t: string };
      Object.assign(heard, more);
      if (t !== awaited) return;
      onMessage?.(child.pid as number);
      resolve(heard);
    }
    try {
      return await promise;
    } finally {
      timer.cancel();
      child.kill();
      closeSync(slate);
    }
  }

  async #layOut(): Promise<void> {
    const home = join(this.#folder, "home");
    for (const path of [this.#folder, home, join(home, ".ssh"), this.programFolder]) {
      mkdirSync(path, { recursive: true });
      chmodSync(path, 0o755);
    }
    const write = (name: string): string => {
      const path = join(home, name);
      writeFileSync(path, secret, { mode: 0o644 });
      return path;
    };
    const tcp = createHttpServer((_, response) => response.end("reached"));
    await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
    const udp = createSocket("udp4");
    await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
    const unixPath = join(home, "socket");
    const abstractName = `vivarium-probes-${process.pid}`;
    for (const path of [unixPath, `\0${abstractName}`]) {
      const server = createServer((socket) => socket.on("error", () => {}));
      await new Promise<void>((resolve) => server.listen(path, resolve));
      this.#closers.push(() => server.close());
    }
    chmodSync(unixPath, 0o777);
    const sibling = spawn("sleep", ["600"], { stdio: "ignore" });
    this.#closers.push(
      () => tcp.close(),
      () => udp.close(),
      () => ended(sibling),
    );
    const leakedFd = openSync(write("leaked"), "r");
    const kernel = openKernel();
    // A descriptor without close-on-exec, as a user's own program may have some.
    kernel?.call("fcntl", leakedFd, setDescriptorFlags, 0);
    this.#targets = {
      secretFile: write("secret"),
      keyFile: write(".ssh/id_ed25519"),
      projectFile: fileURLToPath(new URL("../../package.json", import.meta.url)),
      folder: home,
      tcpPort: (tcp.address() as AddressInfo).port,
      udpPort: udp.address().port,
      unixPath,
      abstractName,
      parentPid: process.pid,
      parentAddress: String(kernel?.addressOf(this.#memory) ?? 0),
      siblingPid: sibling.pid as number,
      leakedFd,
    };
  }

  #tidy(): void {
    const open = join(this.targets.folder, "open");
    rmSync(open, { recursive: true, force: true });
    rmSync(sharedFile, { force: true });
    mkdirSync(open);
    chmodSync(open, 0o777);
    writeFileSync(join(open, "victim"), "");
  }

  async #writeProgram(): Promise<void> {
    const input = fileURLToPath(new URL("prober.ts", import.meta.url));
    const bundle = await rolldown({ input, platform: "node" });
    await bundle.write({ file: join(this.programFolder, "prober.js"), format: "esm" });
    await bundle.close();
    writeFileSync(join(this.programFolder, "package.json"), '{ "type": "module" }\n');
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const end = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await end;
}
