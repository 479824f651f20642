// Files, by bare system calls: to read what is not ours, to write anywhere, to fill the disk.
import type { JailLayer } from "../../src/jail/layers.ts";
import type { Act, Probe, Tools } from "./probe.ts";

const here = -100;
const readOnly = 0;
const writeCreate = 0o101;
const files: readonly JailLayer[] = ["landlock", "seal"];

function openAt({ kernel, text }: Tools, path: string, flags: number): number {
  return kernel.call("openat", here, text(path), flags, 0o644);
}

const reads =
  (pathOf: (tools: Tools) => string): Act =>
  (tools) => {
    const fd = openAt(tools, pathOf(tools), readOnly);
    if (fd < 0) return fd;
    const read = tools.kernel.call("read", fd, Buffer.alloc(64), 64);
    tools.kernel.call("close", fd);
    return read;
  };

const fillBytes = 2 ** 20;

export const fileProbes: readonly Probe[] = [
  { id: "read /etc/passwd", by: files, act: reads(() => "/etc/passwd") },
  { id: "read a file of the user", by: files, act: reads(({ targets }) => targets.secretFile) },
  { id: "read a private key", by: files, act: reads(({ targets }) => targets.keyFile) },
  { id: "read the project", by: files, act: reads(({ targets }) => targets.projectFile) },
  {
    id: "read /proc/PPID/environ",
    by: ["user", "landlock", "seal"],
    act: reads(({ targets }) => `/proc/${targets.parentPid}/environ`),
  },
  {
    id: "read /proc/PPID/mem",
    by: ["user", "landlock", "seal"],
    act: (tools) => openAt(tools, `/proc/${tools.targets.parentPid}/mem`, readOnly),
  },
  {
    id: "write /proc/PPID/mem",
    by: ["user", "landlock", "seal"],
    act: (tools) => openAt(tools, `/proc/${tools.targets.parentPid}/mem`, 2),
  },
  {
    id: "read /proc/PPID/maps",
    by: ["user", "landlock", "seal"],
    act: reads(({ targets }) => `/proc/${targets.parentPid}/maps`),
  },
  { id: "read /proc/self/maps", by: files, act: reads(() => "/proc/self/maps") },
  {
    id: "see whether a file is there",
    by: ["seal"],
    act: ({ kernel, text, targets }) =>
      kernel.call("newfstatat", here, text(targets.secretFile), Buffer.alloc(256), 0),
  },
  {
    id: "list a folder",
    by: files,
    act: (tools) => openAt(tools, tools.targets.folder, readOnly),
  },
  {
    id: "write a file",
    by: files,
    act: (tools) => openAt(tools, `${tools.targets.folder}/open/written`, writeCreate),
  },
  {
    id: "fill the disk",
    by: ["landlock", "resources", "seal"],
    act(tools) {
      const fd = openAt(tools, `${tools.targets.folder}/open/filled`, writeCreate);
      if (fd < 0) return fd;
      const written = tools.kernel.call("fallocate", fd, 0, 0, fillBytes);
      return written < 0 ? written : tools.kernel.call("ftruncate", fd, 0);
    },
  },
  {
    id: "make a folder",
    by: files,
    act: ({ kernel, text, targets }) =>
      kernel.call("mkdirat", here, text(`${targets.folder}/open/made`), 0o755),
  },
  {
    id: "make a link",
    by: files,
    act: ({ kernel, text, targets }) =>
      kernel.call("symlinkat", text("/etc/passwd"), here, text(`${targets.folder}/open/link`)),
  },
  {
    id: "remove a file",
    by: files,
    act: ({ kernel, text, targets }) =>
      kernel.call("unlinkat", here, text(`${targets.folder}/open/victim`), 0),
  },
  {
    id: "write into shared memory",
    by: files,
    act: (tools) => openAt(tools, "/dev/shm/vivarium-probe", writeCreate),
  },
  {
    id: "watch a folder",
    by: ["filter", "seal"],
    act: ({ kernel }) => kernel.call("inotify_init1", 0),
  },
  {
    id: "read a descriptor that leaked",
    by: ["descriptors"],
    act: ({ kernel, targets }) => kernel.call("read", targets.leakedFd, Buffer.alloc(8), 8),
  },
  {
    id: "map a file",
    by: files,
    act(tools) {
      const fd = openAt(tools, "/etc/passwd", readOnly);
      return fd < 0 ? fd : tools.kernel.call("mmap", 0, 4_096, 1, 2, fd, 0);
    },
  },
  {
    id: "open by handle",
    by: ["user", "filter", "seal"],
    isForRoot: true,
    act({ kernel, text }) {
      const handle = Buffer.alloc(136);
      handle.writeUInt32LE(128, 0);
      const got = kernel.call("name_to_handle_at", here, text("/etc"), handle, Buffer.alloc(4), 0);
      if (got < 0) return got;
      return kernel.call("open_by_handle_at", here, handle, readOnly);
    },
  },
];
