// How commands find the servers of the same user on this machine, and which files they do not believe.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import {
  findServer,
  lookForServers,
  serversFolder,
  tellOfServer,
} from "../../../../src/cli/place/server-file.ts";
import { Folder } from "../../../support/folders.ts";

const own = { url: "http://127.0.0.1:7420", token: "secret", startedAt: 5 };
const living = { ...own, pid: process.ppid, process: null };

function fileOf(folder: Folder, pid: number): string {
  return folder.at(`server-${pid}.json`);
}

function write(folder: Folder, pid: number, content: unknown): string {
  const path = fileOf(folder, pid);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
  return path;
}

test("a server is found from when it is told of until that is taken back, by a file for its owner alone", () => {
  using parent = new Folder();
  const folder = parent.at("deep/vivarium");
  assert.equal(findServer(folder), undefined);
  const takeBack = tellOfServer(own, folder);
  const found = findServer(folder);
  assert.deepEqual([found?.url, found?.token, found?.pid], [own.url, own.token, process.pid]);
  assert.deepEqual(
    readdirSync(folder).map((name) => statSync(`${folder}/${name}`).mode & 0o777),
    [0o600],
  );
  takeBack();
  assert.deepEqual(readdirSync(folder), []);
  takeBack();
});

test("of two servers the one that was started first is found, and then the other one", () => {
  using folder = new Folder();
  const path = write(folder, process.ppid, { ...living, url: "http://127.0.0.1:1", startedAt: 4 });
  const takeBack = tellOfServer(own, folder.path);
  assert.deepEqual(
    lookForServers(folder.path).running.map(({ url }) => url),
    ["http://127.0.0.1:1", own.url],
  );
  folder.remove(path.slice(folder.path.length + 1));
  assert.equal(findServer(folder.path)?.url, own.url);
  takeBack();
});

test("the file of a server that runs no more is removed, also where its number belongs to another process now", () => {
  using folder = new Folder();
  const { pid: ended } = spawnSync(process.execPath, ["-e", "0"]);
  write(folder, ended, { ...living, pid: ended });
  write(folder, process.ppid, { ...living, process: "another start" });
  assert.deepEqual(lookForServers(folder.path), { running: [], refused: [] });
  assert.deepEqual(readdirSync(folder.path), []);
});

for (const mode of [0o644, 0o640, 0o620, 0o604])
  test(`a file with the rights ${mode.toString(8)} is not used, and that is said`, () => {
    using folder = new Folder();
    const path = write(folder, process.ppid, living);
    chmodSync(path, mode);
    const why = "other users have rights to it";
    assert.deepEqual(lookForServers(folder.path), { running: [], refused: [{ path, why }] });
    assert.ok(existsSync(path));
  });

test("a file of another user is not used", () => {
  using folder = new Folder();
  const path = write(folder, process.ppid, living);
  // Only root may give files away; everybody else has none of another user's here but what is in /.
  if (process.getuid?.() !== 0) return;
  chownSync(path, 12_345, 12_345);
  assert.deepEqual(lookForServers(folder.path).refused, [{ path, why: "it is another user's" }]);
});

for (const content of [
  "",
  "null",
  "[]",
  "5",
  '{"url":',
  { ...living, url: "no address" },
  { ...living, url: 5 },
  { ...living, pid: -1 },
  { ...living, pid: 0 },
  { ...living, pid: 1.5 },
  { ...living, startedAt: "now" },
])
  test(`a file with ${JSON.stringify(content).slice(0, 60)} is not used`, () => {
    using folder = new Folder();
    const path = write(folder, process.ppid, content);
    const why = "it is not what vivarium serve writes";
    assert.deepEqual(lookForServers(folder.path), { running: [], refused: [{ path, why }] });
  });

test("the folder is that of the session, else among the states, and a relative name of either means nothing", () => {
  assert.equal(serversFolder({ XDG_RUNTIME_DIR: "/run/user/5", HOME: "/h" }), "/run/user/5/vivarium");
  assert.equal(serversFolder({ XDG_RUNTIME_DIR: "run", XDG_STATE_HOME: "/s", HOME: "/h" }), "/s/vivarium");
  assert.equal(serversFolder({ XDG_STATE_HOME: "s", HOME: "/h" }), "/h/.local/state/vivarium");
});
