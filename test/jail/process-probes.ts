// Programs, processes, privileges and the kernel's doors, by bare system calls.
import type { JailLayer } from "../../src/jail/layers.ts";
import type { Probe, Tools } from "./probe.ts";

const sigchld = 17;
const sigkill = 9;
const nothing = 0;
const emptyPath = 0x1000;
const newUser = 0x1000_0000;
const newMounts = 0x2_0000;
const both: readonly JailLayer[] = ["filter", "seal"];
const outward: readonly JailLayer[] = ["user", "filter", "landlock", "seal"];

/** A call that must reach the kernel: only a refusal of its kind counts as stopped, not that the arguments are bad. */
const reaches = (result: number): number => ([-1, -13, -38].includes(result) ? result : 0);

function fork({ kernel }: Tools, make: () => number): number {
  const pid = make();
  if (pid === 0) kernel.call("exit_group", 0);
  if (pid > 0) kernel.call("wait4", pid, 0, 0, 0);
  return pid;
}

function iovec(address: bigint): Buffer {
  const vector = Buffer.alloc(16);
  vector.writeBigUInt64LE(address, 0);
  vector.writeBigUInt64LE(8n, 8);
  return vector;
}

function transfer(name: "process_vm_readv" | "process_vm_writev", { kernel, targets }: Tools): number {
  const ours = Buffer.alloc(8);
  return kernel.call(
    name,
    targets.parentPid,
    iovec(kernel.addressOf(ours)),
    1,
    iovec(BigInt(targets.parentAddress)),
    1,
    0,
  );
}

function setLimit({ kernel }: Tools, which: number, value: bigint): number {
  const limits = Buffer.alloc(16);
  limits.writeBigUInt64LE(value, 0);
  limits.writeBigUInt64LE(value, 8);
  return kernel.call("prlimit64", 0, which, limits, 0);
}

export const processProbes: readonly Probe[] = [
  { id: "fork", by: ["seal"], act: (tools) => fork(tools, () => tools.kernel.call("clone", sigchld)) },
  {
    id: "fork by clone3",
    by: ["seal"],
    act(tools) {
      const args = Buffer.alloc(88);
      args.writeBigUInt64LE(BigInt(sigchld), 32);
      return fork(tools, () => tools.kernel.call("clone3", args, args.length));
    },
  },
  {
    id: "start a program",
    by: ["landlock", "seal"],
    act: ({ start }) => start("/bin/true"),
  },
  {
    id: "start Node again",
    by: ["seal"],
    act: ({ start }) => start(process.execPath, "--version"),
  },
  {
    id: "start a program from memory",
    by: both,
    act({ kernel, text, start }) {
      const fd = kernel.call("memfd_create", text("probe"), 0);
      if (fd < 0) return fd;
      const script = Buffer.from("#!/bin/true\n");
      kernel.call("write", fd, script, script.length);
      return start(`/proc/self/fd/${fd}`);
    },
  },
  {
    id: "become another program",
    by: ["seal"],
    act: ({ kernel, text }) => reaches(kernel.call("execve", text("/no/such/program"), 0, 0)),
  },
  {
    id: "become a program without a name",
    by: both,
    act: ({ kernel, text }) => reaches(kernel.call("execveat", -1, text(""), 0, 0, emptyPath)),
  },
  {
    id: "memory with a descriptor",
    by: both,
    act: ({ kernel, text }) => kernel.call("memfd_create", text("probe"), 0),
  },
  {
    id: "signal the parent",
    by: ["user", "landlock", "seal"],
    act: ({ kernel, targets }) => kernel.call("kill", targets.parentPid, nothing),
  },
  {
    id: "signal a neighbour",
    by: ["user", "landlock", "seal"],
    act: ({ kernel, targets }) => kernel.call("kill", targets.siblingPid, nothing),
  },
  {
    id: "signal a thread of the parent",
    by: ["user", "landlock", "seal"],
    act: ({ kernel, targets }) => kernel.call("tkill", targets.parentPid, nothing),
  },
  {
    id: "signal the parent with a value",
    by: outward,
    act: ({ kernel, targets }) => {
      const info = Buffer.alloc(128);
      info.writeInt32LE(-1, 8);
      return kernel.call("rt_sigqueueinfo", targets.parentPid, nothing, info);
    },
  },
  {
    // The owner of a descriptor gets the signal of one's choice as soon as something can be read from it.
    id: "signal a neighbour through a descriptor",
    by: ["seal"],
    act({ kernel, targets }) {
      const pair = Buffer.alloc(8);
      const made = kernel.call("pipe2", pair, 0);
      if (made < 0) return made;
      const owned = kernel.call("fcntl", pair.readInt32LE(0), 8, targets.siblingPid);
      return owned < 0 ? owned : kernel.call("fcntl", pair.readInt32LE(0), 10, sigkill);
    },
  },
  {
    id: "trace the parent",
    by: outward,
    act({ kernel, targets }) {
      const seized = kernel.call("ptrace", 0x4206, targets.parentPid, 0, 0);
      if (seized >= 0) kernel.call("ptrace", 17, targets.parentPid, 0, 0);
      return seized;
    },
  },
  { id: "read the parent's memory", by: outward, act: (tools) => transfer("process_vm_readv", tools) },
  { id: "write the parent's memory", by: outward, act: (tools) => transfer("process_vm_writev", tools) },
  {
    id: "take a descriptor of the parent",
    by: outward,
    act({ kernel, targets }) {
      const fd = kernel.call("pidfd_open", targets.parentPid, 0);
      return fd < 0 ? fd : kernel.call("pidfd_getfd", fd, 0, 0);
    },
  },
  {
    id: "compare with the parent's descriptors",
    by: outward,
    act: ({ kernel, targets }) => kernel.call("kcmp", process.pid, targets.parentPid, 1, 0, 0),
  },
  {
    id: "read the parent's limits",
    by: ["user", "seal"],
    act: ({ kernel, targets }) => kernel.call("prlimit64", targets.parentPid, 7, 0, Buffer.alloc(16)),
  },
  {
    id: "slow the neighbour down",
    by: ["user", "seal"],
    act: ({ kernel, targets }) => kernel.call("setpriority", 0, targets.siblingPid, 0),
  },
  {
    id: "open an io_uring",
    by: both,
    act: ({ kernel }) => kernel.call("io_uring_setup", 8, Buffer.alloc(120)),
  },
  { id: "keys of the kernel", by: both, act: ({ kernel }) => kernel.call("keyctl", 0, -3, 1) },
  {
    id: "add a key",
    by: both,
    act: ({ kernel, text }) => kernel.call("add_key", text("user"), text("probe"), text("x"), 1, -2),
  },
  {
    id: "load a BPF program",
    by: both,
    isForRoot: true,
    act: ({ kernel }) => reaches(kernel.call("bpf", 0xff, Buffer.alloc(120), 72)),
  },
  {
    id: "count events of the processor",
    by: both,
    isForRoot: true,
    act({ kernel }) {
      const attributes = Buffer.alloc(112);
      attributes.writeUInt32LE(1, 0);
      attributes.writeUInt32LE(112, 4);
      return reaches(kernel.call("perf_event_open", attributes, 0, -1, -1, 0));
    },
  },
  { id: "handle page faults", by: both, act: ({ kernel }) => kernel.call("userfaultfd", 1) },
  {
    id: "a user namespace",
    by: both,
    // A process with threads reaches the kernel and gets an error, as it has too many.
    act: ({ kernel }) => reaches(kernel.call("unshare", newUser)),
  },
  {
    id: "a mount namespace",
    by: ["user", "filter", "seal"],
    isForRoot: true,
    act: ({ kernel }) => kernel.call("unshare", newMounts),
  },
  { id: "join a namespace", by: both, act: ({ kernel }) => reaches(kernel.call("setns", -1, 0)) },
  {
    id: "mount",
    by: ["user", "filter", "landlock", "seal"],
    isForRoot: true,
    act: ({ kernel, text, targets }) => {
      const folder = text(`${targets.folder}/open`);
      const mounted = kernel.call("mount", text("none"), folder, text("tmpfs"), 0, 0);
      if (mounted === 0) kernel.call("umount2", folder, 2);
      return mounted;
    },
  },
  {
    id: "change the root",
    by: ["user", "filter", "seal"],
    isForRoot: true,
    act: ({ kernel, text }) => kernel.call("chroot", text("/")),
  },
  {
    id: "become root",
    by: ["user", "seal"],
    isForRoot: true,
    act: ({ kernel }) => kernel.call("setuid", 0),
  },
  {
    id: "reboot",
    by: ["user", "filter", "seal"],
    isForRoot: true,
    // With a wrong magic number it reaches the kernel and does nothing.
    act: ({ kernel }) => reaches(kernel.call("reboot", 0, 0, 0, 0)),
  },
  {
    id: "load a module",
    by: ["user", "filter", "seal"],
    isForRoot: true,
    act: ({ kernel, text }) => reaches(kernel.call("init_module", 0, 0, text(""))),
  },
  { id: "shared memory by key", by: both, act: ({ kernel }) => kernel.call("shmget", 0, 4_096, 0o1600) },
  {
    id: "map shared memory",
    by: ["seal"],
    act: ({ kernel }) => kernel.call("mmap", 0, 4_096, 3, 0x21, -1, 0),
  },
  { id: "become traceable again", by: ["seal"], act: ({ kernel }) => kernel.call("prctl", 4, 1) },
  { id: "cut the tether", by: ["seal"], act: ({ kernel }) => kernel.call("prctl", 1, 0) },
  { id: "put on another filter", by: ["seal"], act: ({ kernel }) => reaches(kernel.call("prctl", 22, 2, 0)) },
  { id: "lower a limit", by: ["seal"], act: (tools) => setLimit(tools, 4, 0n) },
  {
    id: "raise the bound on files",
    by: ["resources", "seal"],
    act: (tools) => setLimit(tools, 1, 2n ** 20n),
  },
];
