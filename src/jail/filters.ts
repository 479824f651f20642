// The two system-call filters of a cell. Children inherit the first from the thread that starts them: Node must be able to
// start under it, so it lists what is forbidden. A cell applies the second to itself once all is loaded: it lists what is allowed.
import type { Arch, Syscall } from "../std/syscalls.ts";
import { allow, assemble, killProcess, refuseWith, type Action, type Rule } from "./bpf.ts";

const eperm = 1;
const enotty = 25;
const enosys = 38;
const forbid: Action = refuseWith(eperm);
const missing: Action = refuseWith(enosys);

const ioUring = ["io_uring_setup", "io_uring_enter", "io_uring_register"] as const;
const sockets = ["socket", "connect", "bind", "listen", "accept", "accept4"] as const;
const otherProcesses = [
  "ptrace",
  "process_vm_readv",
  "process_vm_writev",
  "pidfd_open",
  "pidfd_getfd",
  "pidfd_send_signal",
  "kcmp",
  "rt_sigqueueinfo",
  "rt_tgsigqueueinfo",
] as const;
const kernelDoors = [
  "bpf",
  "perf_event_open",
  "userfaultfd",
  "keyctl",
  "add_key",
  "request_key",
  "init_module",
  "finit_module",
  "delete_module",
  "kexec_load",
  "kexec_file_load",
  "personality",
  "syslog",
  "vmsplice",
] as const;
const namespacesAndMounts = [
  "unshare",
  "setns",
  "mount",
  "umount2",
  "pivot_root",
  "chroot",
  "fsopen",
  "fsmount",
  "fspick",
  "open_tree",
  "move_mount",
  "mount_setattr",
  "name_to_handle_at",
  "open_by_handle_at",
] as const;
const machine = [
  "reboot",
  "swapon",
  "swapoff",
  "quotactl",
  "acct",
  "settimeofday",
  "clock_settime",
  "clock_adjtime",
  "adjtimex",
  "sethostname",
  "setdomainname",
] as const;
const sharedObjects = [
  "memfd_create",
  "mq_open",
  "shmget",
  "semget",
  "msgget",
  "inotify_init1",
  "fanotify_init",
] as const;
const programs = ["execve", "execveat", "fork", "vfork"] as const;

/**
 * What a thread applies to itself before it starts children. An open io_uring bypasses every later filter, and libuv opens
 * some as soon as Node starts: so they are refused before that.
 */
export function inheritedFilter(arch: Arch): Buffer {
  const forbidden: readonly Syscall[] = [
    ...sockets,
    ...otherProcesses,
    ...kernelDoors,
    ...namespacesAndMounts,
    ...machine,
    ...sharedObjects,
    "execveat",
  ];
  return assemble(
    arch,
    [
      { calls: ["io_uring_setup"], do: missing },
      { calls: forbidden, do: forbid },
    ],
    allow,
  );
}

const often = [
  "futex",
  "epoll_pwait",
  "epoll_wait",
  "read",
  "write",
  "munmap",
  "madvise",
  "mprotect",
] as const;
const memory = [
  "brk",
  "mremap",
  "mincore",
  "membarrier",
  "pkey_alloc",
  "pkey_free",
  "pkey_mprotect",
] as const;
const identity = [
  "getpid",
  "gettid",
  "getppid",
  "getuid",
  "geteuid",
  "getgid",
  "getegid",
  "capget",
  "uname",
] as const;
const signals = ["rt_sigprocmask", "rt_sigaction", "rt_sigreturn", "sigaltstack", "restart_syscall"] as const;
const threads = [
  "exit",
  "exit_group",
  "set_robust_list",
  "rseq",
  "sched_getaffinity",
  "sched_yield",
  "sched_getscheduler",
  "sched_getparam",
] as const;
const time = [
  "clock_gettime",
  "clock_getres",
  "clock_nanosleep",
  "nanosleep",
  "gettimeofday",
  "times",
  "getrusage",
  "sysinfo",
  "getrandom",
] as const;
const openDescriptors = [
  "readv",
  "writev",
  "recvmsg",
  "sendmsg",
  "shutdown",
  "close",
  "fstat",
  "dup",
  "dup3",
  "poll",
  "ppoll",
  "epoll_ctl",
  "epoll_create1",
  "eventfd2",
  "pipe2",
] as const;

const privateAnonymous = { argument: 3, mask: 0x23, equals: 0x22 };
const withoutExecution = { argument: 2, mask: 4, equals: 0 };
/** A thread that shares our memory, in none of its own namespaces. */
const asThread = { argument: 0, mask: 0x7e03_0100, equals: 0x0001_0100 };
const ourselves = 0;
/** Copies and flags of a descriptor. Not its owner, through which signals can be sent to any process of the user. */
const fcntlHarmless = [0, 1, 2, 3, 4, 1_030];
const prctlName = [15, 16, 0x5356_4d41];
const ioctlNonBlocking = [0x5421, 0x5451, 0x5450];

export interface OwnFilterOptions {
  readonly pid: number;
  /** End the process at a call that only an escaped guest makes. */
  readonly isTripwire: boolean;
  /** Without a just-in-time compiler no memory need be executable. */
  readonly isJitless: boolean;
}

/** What a cell applies to all its threads: no file, no socket, no program, no other process. */
export function ownFilter(arch: Arch, { pid, isTripwire, isJitless }: OwnFilterOptions): Buffer {
  const trap: Action = isTripwire ? killProcess : forbid;
  const traps: readonly Syscall[] = [
    ...programs,
    ...sockets,
    "sendto",
    ...otherProcesses,
    ...kernelDoors,
    ...namespacesAndMounts,
    "memfd_create",
  ];
  const execution = isJitless ? [withoutExecution] : [];
  const rules: Rule[] = [
    ...(isJitless
      ? [{ calls: ["mprotect"], when: execution, do: allow, otherwise: forbid } satisfies Rule]
      : []),
    { calls: often, do: allow },
    { calls: ["mmap"], when: [privateAnonymous, ...execution], do: allow, otherwise: forbid },
    { calls: [...memory, ...identity, ...signals, ...threads, ...time, ...openDescriptors], do: allow },
    // The flags of clone3 are in memory, which a filter cannot read. Without it threads are made by clone.
    { calls: ["clone3", ...ioUring], do: missing },
    { calls: ["clone"], when: [asThread], do: allow, otherwise: trap },
    { calls: ["tgkill", "kill"], when: [{ argument: 0, equals: pid }], do: allow, otherwise: trap },
    ...prctlName.map((equals): Rule => ({ calls: ["prctl"], when: [{ argument: 0, equals }], do: allow })),
    ...ioctlNonBlocking.map((equals): Rule => ({
      calls: ["ioctl"],
      when: [{ argument: 1, equals }],
      do: allow,
    })),
    { calls: ["ioctl"], do: refuseWith(enotty) },
    ...fcntlHarmless.map((equals): Rule => ({
      calls: ["fcntl"],
      when: [{ argument: 1, equals }],
      do: allow,
    })),
    // Our own limits may be read, not set.
    {
      calls: ["prlimit64"],
      when: [
        { argument: 0, equals: ourselves },
        { argument: 2, equals: 0, isWide: true },
      ],
      do: allow,
    },
    { calls: traps, do: trap },
  ];
  return assemble(arch, rules, forbid);
}
