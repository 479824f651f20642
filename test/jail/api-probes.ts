// The same through Node's own functions: what a guest would try that got hold of the cell's realm and no more.
import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { open as openInspector } from "node:inspector";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import type { JailLayer } from "../../src/jail/layers.ts";
import type { Probe } from "./probe.ts";

const permissions: readonly JailLayer[] = ["permissions"];

// A module that Node was started without.
function builtin<T>(name: string): T {
  const found: unknown = process.getBuiltinModule(name as "node:fs");
  if (found === undefined) throw Object.assign(new RangeError(`no ${name}`), { code: "NO_SUCH_MODULE" });
  return found as T;
}

interface Sqlite {
  readonly DatabaseSync: new (path: string) => { exec(statement: string): void };
}

export const apiProbes: readonly Probe[] = [
  { id: "node: read", by: permissions, act: ({ targets }) => readFileSync(targets.secretFile) },
  { id: "node: list", by: permissions, act: ({ targets }) => readdirSync(targets.folder) },
  {
    id: "node: write",
    by: permissions,
    act: ({ targets }) => writeFileSync(`${targets.folder}/open/by-node`, "x"),
  },
  {
    id: "node: connect",
    by: permissions,
    act: ({ targets }) =>
      new Promise((resolve, reject) => {
        const socket = connect(targets.tcpPort, "127.0.0.1");
        socket.once("connect", resolve);
        socket.once("error", reject);
      }),
  },
  {
    id: "node: fetch",
    by: permissions,
    act: async ({ targets }) => {
      const answer = await fetch(`http://127.0.0.1:${targets.tcpPort}/`).catch((error: Error) => {
        throw error.cause ?? error;
      });
      return answer.text();
    },
  },
  {
    id: "node: send",
    by: permissions,
    act: ({ targets }) =>
      new Promise<void>((resolve, reject) => {
        const socket = createSocket("udp4");
        socket.once("error", reject);
        socket.send("x", targets.udpPort, "127.0.0.1", (error) =>
          error === null ? resolve() : reject(error),
        );
      }),
  },
  {
    id: "node: start a program",
    by: permissions,
    act() {
      const { error } = spawnSync("/bin/true");
      if (error !== undefined) throw error;
    },
  },
  {
    id: "node: start a thread",
    by: permissions,
    act: () =>
      new Promise((resolve, reject) => {
        const worker = new Worker("", { eval: true });
        worker.once("exit", resolve);
        worker.once("error", reject);
      }),
  },
  {
    id: "node: load native code",
    by: permissions,
    act() {
      const { DynamicLibrary } = builtin<{ DynamicLibrary: new (path: null) => unknown }>("node:ffi");
      return new DynamicLibrary(null);
    },
  },
  {
    id: "node: write by SQLite",
    by: permissions,
    act({ targets }) {
      const { DatabaseSync } = builtin<Sqlite>("node:sqlite");
      new DatabaseSync(`${targets.folder}/open/base`).exec("create table probe (a)");
    },
  },
  {
    id: "node: signal the parent",
    by: ["user", "landlock", "seal"],
    act: ({ targets }) => process.kill(targets.parentPid, 0),
  },
  {
    id: "node: open the inspector",
    by: permissions,
    act: () => openInspector(0),
  },
];
