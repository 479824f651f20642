// A user's program that holds secrets in every way a program does: environment, arguments, memory, descriptors. It starts
// a runtime and prints which of them can be found in the children: one line of JSON.
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { createRuntime } from "../../src/index.ts";
import { openKernel } from "../../src/std/kernel.ts";
import { childrenOf } from "../support/processes.ts";

export interface Kept {
  readonly pids: number;
  /** Where the secret was found, child by child. */
  readonly found: readonly string[];
  /** Whether the search finds what must be there: a text that the guest was given. */
  readonly isSearchSound: boolean;
  /** Whether memory could be searched, for which one must be root. */
  readonly isMemorySearched: boolean;
  /** Where the program itself, searched in the same way, has the secret. */
  readonly ownPlaces: readonly string[];
}

const chunkBytes = 2 ** 20;
const guestWord = ["guest", "word", "2718281828"].join("-");

if (process.argv[1] === import.meta.filename) {
  const [, , secret = "", secretFile = ""] = process.argv;
  const held = Buffer.from(`in memory: ${secret}`);
  const fd = openSync(secretFile, "r");
  // A descriptor without close-on-exec, as a library in native code may have left it.
  openKernel()?.call("fcntl", fd, 2, 0);
  const runtime = await createRuntime({ cells: { count: 1, spare: 0, warm: 0 } });
  const main = `const word: string = "${guestWord}"; export const f = () => word.length;`;
  const sandbox = await runtime.create({ modules: { main } });
  await sandbox.call("main.f");
  const pids = childrenOf(process.pid);
  const places = pids.map((pid) => placesOf(pid, [secret, secretFile], guestWord));
  const kept: Kept = {
    pids: pids.length,
    found: places.flatMap(({ found }, index) => found.map((place) => `child ${index}: ${place}`)),
    isSearchSound: places.some(({ hasWord }) => hasWord),
    isMemorySearched: places.every(({ isSearched }) => isSearched),
    ownPlaces: placesOf(process.pid, [secret, secretFile], guestWord).found,
  };
  await runtime.close();
  held.fill(0);
  process.stdout.write(`${JSON.stringify(kept)}\n`, () => process.exit(0));
}

function placesOf(
  pid: number,
  secrets: readonly string[],
  word: string,
): { found: string[]; hasWord: boolean; isSearched: boolean } {
  const found: string[] = [];
  const has = (bytes: Buffer): boolean => secrets.some((secret) => bytes.includes(secret));
  for (const name of ["environ", "cmdline"]) {
    const bytes = quietly(() => readFileSync(`/proc/${pid}/${name}`));
    if (bytes !== undefined && has(bytes)) found.push(name);
  }
  for (const fd of quietly(() => readdirSync(`/proc/${pid}/fd`)) ?? []) {
    const path = quietly(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? "";
    if (secrets.some((secret) => path.includes(secret))) found.push("descriptors");
  }
  const memory = searchMemory(pid, has, word);
  if (memory?.hasSecret === true) found.push("memory");
  return { found, hasWord: memory?.hasWord === true, isSearched: memory !== undefined };
}

function searchMemory(
  pid: number,
  has: (bytes: Buffer) => boolean,
  word: string,
): { hasSecret: boolean; hasWord: boolean } | undefined {
  const maps = quietly(() => readFileSync(`/proc/${pid}/maps`, "latin1"));
  const fd = quietly(() => openSync(`/proc/${pid}/mem`, "r"));
  if (maps === undefined || fd === undefined) return undefined;
  const answer = { hasSecret: false, hasWord: false };
  const chunk = Buffer.alloc(chunkBytes);
  // What is mapped from files is the program and its libraries.
  for (const [, from = "", to = ""] of maps.matchAll(/^(\w+)-(\w+) r\S+ \S+ \S+ 0 /gm)) {
    const end = BigInt(`0x${to}`);
    for (let at = BigInt(`0x${from}`); at < end; at += BigInt(chunkBytes)) {
      const bytes = Number(end - at < BigInt(chunkBytes) ? end - at : chunkBytes);
      const read = quietly(() => readSync(fd, chunk, 0, bytes, at)) ?? 0;
      if (read === 0) break;
      const part = chunk.subarray(0, read);
      answer.hasSecret ||= has(part);
      answer.hasWord ||= part.includes(word);
    }
  }
  closeSync(fd);
  return answer;
}

function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
