// The two filters as a table: system calls and arguments, with what becomes of them on each processor.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { allow, killProcess, refuseWith } from "../../../src/jail/bpf.ts";
import { inheritedFilter, ownFilter } from "../../../src/jail/filters.ts";
import { numberOf, type Arch, type Syscall } from "../../../src/std/syscalls.ts";
import { runFilter } from "../../support/bpf.ts";

const auditArch = { arm64: 0xc000_00b7, x64: 0xc000_003e } as const;
const pid = 4_711;
const eperm = refuseWith(1);
const enotty = refuseWith(25);
const enosys = refuseWith(38);

type Row = readonly [call: Syscall, args: readonly (number | bigint)[], action: number];

const threadFlags = 0x3d_0f00;
const sigchld = 17;
const newUser = 0x1000_0000;
const newMounts = 0x2_0000;
const aPointer = 0x7fff_0000_1000n;

/** What only an escaped guest asks for: with a tripwire, its end. */
const tripping: readonly Row[] = [
  ["execve", [aPointer], eperm],
  ["execveat", [3, aPointer], eperm],
  ["fork", [], eperm],
  ["vfork", [], eperm],
  ["clone", [sigchld], eperm],
  ["clone", [newUser | sigchld], eperm],
  ["clone", [0x1_0000 | newMounts | 0x100], eperm],
  ["clone", [0x1_0000], eperm],
  ["socket", [2, 1, 0], eperm],
  ["connect", [3, aPointer, 16], eperm],
  ["bind", [3, aPointer, 16], eperm],
  ["sendto", [3, aPointer, 1, 0, aPointer, 16], eperm],
  ["kill", [1, 9], eperm],
  ["kill", [-1, 9], eperm],
  ["kill", [0, 9], eperm],
  ["kill", [-pid, 9], eperm],
  ["tgkill", [pid + 1, pid + 1, 9], eperm],
  ["rt_sigqueueinfo", [1, 9, aPointer], eperm],
  ["pidfd_open", [1, 0], eperm],
  ["pidfd_getfd", [3, 1, 0], eperm],
  ["pidfd_send_signal", [3, 9, 0, 0], eperm],
  ["ptrace", [0x4206, 1, 0, 0], eperm],
  ["process_vm_readv", [1, aPointer, 1, aPointer, 1, 0], eperm],
  ["process_vm_writev", [1, aPointer, 1, aPointer, 1, 0], eperm],
  ["bpf", [0, aPointer, 72], eperm],
  ["perf_event_open", [aPointer, 0, -1, -1, 0], eperm],
  ["userfaultfd", [1], eperm],
  ["keyctl", [0, -3, 0], eperm],
  ["unshare", [newUser], eperm],
  ["setns", [3, 0], eperm],
  ["mount", [aPointer, aPointer, aPointer, 0, 0], eperm],
  ["chroot", [aPointer], eperm],
  ["memfd_create", [aPointer, 0], eperm],
];

/** What is refused quietly, as libraries may try it. */
const refused: readonly Row[] = [
  ["openat", [-100, aPointer, 0], eperm],
  ["openat2", [-100, aPointer, aPointer, 24], eperm],
  ["open", [aPointer, 0], eperm],
  ["newfstatat", [-100, aPointer, aPointer, 0], eperm],
  ["statx", [-100, aPointer, 0, 0, aPointer], eperm],
  ["readlinkat", [-100, aPointer, aPointer, 64], eperm],
  ["unlinkat", [-100, aPointer, 0], eperm],
  ["getdents64", [3, aPointer, 1_024], eperm],
  ["ftruncate", [4, 1_000_000], eperm],
  ["pwrite64", [4, aPointer, 10, 0], eperm],
  ["socketpair", [1, 1, 0, aPointer], eperm],
  ["seccomp", [1, 0, aPointer], eperm],
  ["landlock_create_ruleset", [0, 0, 1], eperm],
  ["shmget", [1, 4_096, 0o1777], eperm],
  ["mq_open", [aPointer, 0], eperm],
  ["inotify_init1", [0], eperm],
  ["close_range", [0, 100, 0], eperm],
  ["io_uring_setup", [8, aPointer], enosys],
  ["io_uring_enter", [3, 1, 0, 0], enosys],
  ["io_uring_register", [3, 0, 0, 0], enosys],
  ["clone3", [aPointer, 88], enosys],
  ["mmap", [0, 4_096, 3, 0x21, -1, 0], eperm],
  ["mmap", [0, 4_096, 3, 0x01, 4, 0], eperm],
  ["mmap", [0, 4_096, 3, 0x03, 4, 0], eperm],
  ["mmap", [0, 4_096, 1, 0x02, 3, 0], eperm],
  ["prctl", [4, 1], eperm],
  ["prctl", [1, 0], eperm],
  ["prctl", [22, 2, aPointer], eperm],
  ["ioctl", [0, 0x5412, aPointer], enotty],
  ["ioctl", [3, 0x8902, aPointer], enotty],
  ["fcntl", [3, 8, 1], eperm],
  ["fcntl", [3, 10, 9], eperm],
  ["fcntl", [3, 15, aPointer], eperm],
  ["fcntl", [3, 1_024, 1], eperm],
  ["fcntl", [3, 1_031, 1 << 20], eperm],
  ["prlimit64", [0, 7, aPointer, 0], eperm],
  ["prlimit64", [0, 7, 2n ** 32n, 0], eperm],
  ["prlimit64", [1, 7, 0, aPointer], eperm],
];

const allowed: readonly Row[] = [
  ["read", [3, aPointer, 10], allow],
  ["write", [3, aPointer, 10], allow],
  ["futex", [aPointer, 0, 0], allow],
  ["epoll_pwait", [5, aPointer, 10, -1, 0, 0], allow],
  ["munmap", [aPointer, 4_096], allow],
  ["mprotect", [aPointer, 4_096, 7], allow],
  ["mmap", [0, 4_096, 3, 0x22, -1, 0], allow],
  ["mmap", [0, 4_096, 0, 0x4022, -1, 0], allow],
  ["clone", [threadFlags], allow],
  ["kill", [pid, 9], allow],
  ["tgkill", [pid, pid + 3, 6], allow],
  ["prctl", [15, aPointer], allow],
  ["prctl", [0x5356_4d41, 0], allow],
  ["ioctl", [3, 0x5421, aPointer], allow],
  ["fcntl", [3, 3, 0], allow],
  ["fcntl", [3, 4, 0o4000], allow],
  ["fcntl", [3, 1_030, 0], allow],
  ["prlimit64", [0, 7, 0, aPointer], allow],
  ["clock_gettime", [1, aPointer], allow],
  ["getrandom", [aPointer, 16, 0], allow],
  ["exit_group", [0], allow],
];

for (const arch of ["arm64", "x64"] as const satisfies readonly Arch[]) {
  const check = (filter: Buffer, rows: readonly Row[], override?: number): void => {
    for (const [call, args, action] of rows) {
      const number = numberOf(call, arch);
      if (number === undefined) continue;
      const got = runFilter(filter, { arch: auditArch[arch], number, args });
      assert.equal(got.toString(16), (override ?? action).toString(16), `${call}(${args.join(", ")})`);
    }
  };

  suite(`a cell's own filter on ${arch}`, () => {
    const plain = { pid, isTripwire: false, isJitless: false };

    test("allows what a running cell needs", () => check(ownFilter(arch, plain), allowed));
    test("refuses everything else", () => check(ownFilter(arch, plain), [...refused, ...tripping]));

    test("with a tripwire, kills at what only an escaped guest does, and at nothing else", () => {
      const filter = ownFilter(arch, { ...plain, isTripwire: true });
      check(filter, tripping, killProcess);
      check(filter, [...refused, ...allowed]);
    });

    test("without a compiler of machine code, lets no memory become executable", () => {
      const filter = ownFilter(arch, { ...plain, isJitless: true });
      check(filter, [
        ["mprotect", [aPointer, 4_096, 5], eperm],
        ["mprotect", [aPointer, 4_096, 3], allow],
        ["mmap", [0, 4_096, 7, 0x22, -1, 0], eperm],
        ["mmap", [0, 4_096, 3, 0x22, -1, 0], allow],
      ]);
    });

    test("allows at most 70 of all numbers without regard to arguments", () => {
      const filter = ownFilter(arch, plain);
      const count = Array.from({ length: 470 }, (_, number) => number).filter(
        (number) => runFilter(filter, { arch: auditArch[arch], number, args: [] }) === allow,
      ).length;
      assert.ok(count >= 50 && count <= 70, `${count} are allowed`);
    });
  });

  test(`the filter before the start on ${arch} forbids by name and lets Node come up`, () => {
    const filter = inheritedFilter(arch);
    const kept = new Set<Syscall>(["execve", "fork", "vfork", "clone", "kill", "tgkill", "sendto"]);
    check(
      filter,
      tripping.filter(([call]) => !kept.has(call)),
    );
    check(filter, [["io_uring_setup", [8, aPointer], enosys]]);
    check(
      filter,
      allowed.map(([call, args]) => [call, args, allow] as const),
    );
    check(filter, [
      ["openat", [-100, aPointer, 0], allow],
      ["execve", [aPointer], allow],
      ["clone", [threadFlags], allow],
      ["clone", [sigchld], allow],
      ["socketpair", [1, 1, 0, aPointer], allow],
      ["mmap", [0, 4_096, 5, 0x02, 3, 0], allow],
      ["seccomp", [1, 1, aPointer], allow],
    ]);
  });
}
