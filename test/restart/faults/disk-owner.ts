// Runs in a mount namespace of its own: mounts a small disk, starts a test file that uses it as an ordinary user, and makes the
// disk read-only or writable when that file asks for it. Its arguments are the place, the size and the file.
import { execFileSync, spawn } from "node:child_process";

const [place = "", bytes = "", file = ""] = process.argv.slice(2);
execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=755`, "tmpfs", place]);
// Whatever this one is, that one is a user without privileges, for whom permissions count.
const user = ["--user", "--map-user=1000", "--map-group=1000"];
const child = spawn("unshare", [...user, process.execPath, file], {
  stdio: ["ignore", "inherit", "inherit", "ipc"],
  env: { ...process.env, VIVARIUM_TEST_DISK: place },
});
child.on("message", (how) => {
  try {
    // With its kind and source, as otherwise options are looked up that are no valid ones in this namespace.
    const options = `remount,${how === "read-only" ? "ro" : "rw"}`;
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", place]);
    child.send("done");
  } catch (error) {
    child.send(String(error));
  }
});
child.on("exit", (code) => (process.exitCode = code ?? 1));
