// Which system calls no command in a sandbox needs, and what each is: x86-64's number, then arm64's. The numbers are those of
// the Linux headers (arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h); the kernel never gives one
// to another call.

/** Numbers of one architecture are in one place of each pair. */
export type CallNumbers = readonly [x64: number, arm64: number];

/** Answered with EPERM: that it is not permitted. */
export const REFUSED = {
  // Keys in the kernel are not part of any namespace: all sandboxes of a user share them.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Into other processes: the first of a sandbox, when stopped so, never tells that the command has ended.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  // Large parts of the kernel that ordinary programs do without, or that tell of the whole machine.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  syslog: [103, 116],
  lookup_dcookie: [212, 18],
  // A file by its number goes past every mount.
  open_by_handle_at: [304, 265],
  // Of the machine's administrator.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  // Out of the file system, or into another namespace.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  move_mount: [429, 429],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  mount_setattr: [442, 442],
  setns: [308, 268],
} as const satisfies Record<string, CallNumbers>;

/** Answered with ENOSYS, as by a kernel that does not know them: then programs take the older way. */
export const UNKNOWN = {
  // Its flags are in memory, where a filter cannot read them; `clone` has them in a register.
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
} as const satisfies Record<string, CallNumbers>;

/** Let through or not by what they are given. */
export const BY_ARGUMENT = {
  clone: [56, 220],
  unshare: [272, 97],
  ioctl: [16, 29],
  socket: [41, 198],
} as const satisfies Record<string, CallNumbers>;
