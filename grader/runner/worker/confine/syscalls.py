"""The system calls that learner code may make, by machine. All others are refused.

The numbers are those of the kernel's headers (asm/unistd_64.h, asm-generic/unistd.h); a test
compares them. Only x86_64 has been run; aarch64 is untested.
"""


def _numbers(table: str) -> dict[str, int]:
    """Return the numbers of system calls by name, from a table with a number after each name."""
    words = table.split()
    return {name: int(number) for name, number in zip(words[::2], words[1::2], strict=True)}


# calls that Python needs to compute, to read clocks, and to write to open descriptors
_COMPUTE_X86_64 = _numbers("""
    read 0  write 1  close 3  fstat 5  poll 7  lseek 8  mmap 9  mprotect 10  munmap 11  brk 12
    rt_sigaction 13  rt_sigprocmask 14  rt_sigreturn 15  pread64 17  readv 19  writev 20  select 23
    sched_yield 24  mremap 25  madvise 28  dup 32  dup2 33  nanosleep 35  getitimer 36  setitimer 38
    getpid 39  exit 60  uname 63  gettimeofday 96  getrusage 98  times 100  getuid 102  getgid 104
    geteuid 107  getegid 108  getppid 110  sigaltstack 131  gettid 186  time 201  futex 202
    restart_syscall 219  clock_gettime 228  clock_getres 229  clock_nanosleep 230  exit_group 231
    pselect6 270  ppoll 271  dup3 292  getrandom 318  close_range 436
""")
# calls that an import needs, for tiers that restrict the file system by other means
_LOOK_X86_64 = _numbers("""
    stat 4  lstat 6  access 21  getcwd 79  readlink 89  getdents64 217  newfstatat 262  readlinkat 267
    faccessat 269  statx 332  faccessat2 439
""")
# calls that open a file, allowed for reading only: the number, and the index of the argument with the flags
_OPEN_X86_64 = {"open": (2, 1), "openat": (257, 2)}

_COMPUTE_AARCH64 = _numbers("""
    dup 23  dup3 24  close 57  lseek 62  read 63  write 64  readv 65  writev 66  pread64 67  pselect6 72
    ppoll 73  fstat 80  exit 93  exit_group 94  futex 98  nanosleep 101  getitimer 102  setitimer 103
    clock_gettime 113  clock_getres 114  clock_nanosleep 115  sched_yield 124  restart_syscall 128
    sigaltstack 132  rt_sigaction 134  rt_sigprocmask 135  rt_sigreturn 139  times 153  uname 160
    getrusage 165  gettimeofday 169  getpid 172  getppid 173  getuid 174  geteuid 175  getgid 176
    getegid 177  gettid 178  brk 214  munmap 215  mremap 216  mmap 222  mprotect 226  madvise 233
    getrandom 278  close_range 436
""")
_LOOK_AARCH64 = _numbers("""
    getcwd 17  faccessat 48  getdents64 61  readlinkat 78  newfstatat 79  statx 291  faccessat2 439
""")
_OPEN_AARCH64 = {"openat": (56, 2)}

# Calls by which code reaches out. Each attempt is reported to the trusted side and refused there. Neither Python nor an
# allowed module makes these calls unless the learner's code asks for a process, the network, a signal or another name
# for a file. `open` and `mkdir` are refused without a report: they also occur in honest files, to discard or keep
# output, and the names of files are in the memory of the process. With `pipe` or `pipe2`, Python's `subprocess` begins
# to start a program.
REPORTED = {
    "x86_64": _numbers("""
    pipe 22  socket 41  clone 56  fork 57  vfork 58  execve 59  kill 62  rename 82  link 86  unlink 87
    symlink 88  ptrace 101  unlinkat 263  renameat 264  linkat 265  symlinkat 266  pipe2 293
    process_vm_readv 310  process_vm_writev 311  renameat2 316  execveat 322  pidfd_send_signal 424
    pidfd_open 434
"""),
    "aarch64": _numbers("""
    unlinkat 35  symlinkat 36  linkat 37  renameat 38  pipe2 59  ptrace 117  kill 129  socket 198  clone 220
    execve 221  process_vm_readv 270  process_vm_writev 271  renameat2 276  execveat 281
    pidfd_send_signal 424  pidfd_open 434
"""),
}
# reported calls that libraries make by themselves, which are refused without a report: the index of an argument, its
# value, and whether the value is a flag
HONEST = {
    "clone": [(0, 0x10000, True)],  # CLONE_THREAD: a thread
    # AF_UNIX: the C library looks up a user; SOCK_DGRAM without SOCK_CLOEXEC: `uuid.uuid1` looks for a network card
    "socket": [(0, 1, False), (1, 2, False)],
}

CLONE3 = 435  # on every machine; fails with ENOSYS, so that the C library falls back to a call that fails with EPERM

# machine -> (AUDIT_ARCH, seccomp's own number, compute, look, open)
MACHINES = {
    "x86_64": (0xC000003E, 317, _COMPUTE_X86_64, _LOOK_X86_64, _OPEN_X86_64),
    "aarch64": (0xC00000B7, 277, _COMPUTE_AARCH64, _LOOK_AARCH64, _OPEN_AARCH64),
}
