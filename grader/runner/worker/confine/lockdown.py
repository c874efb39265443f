"""Drop rights permanently, just before learner code runs: user id, files, system calls (Linux only).

Landlock restricts the file system, and seccomp the system calls. Both are set up by system calls
through `ctypes`, because no maintained library does both (docs/dependencies.md). Neither this
process nor its children can regain the rights.
"""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from . import syscalls

_libc = ctypes.CDLL(None, use_errno=True)
# looked up once for all forks; None in a C library without them, where only the `process` tier works
_prctl: Any = getattr(_libc, "prctl", None)
_syscall: Any = getattr(_libc, "syscall", None)

_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_SET_MODE_FILTER = 1
_NEW_LISTENER = 1 << 3

_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446
_LANDLOCK_CREATE_RULESET_VERSION = 1
_LANDLOCK_RULE_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
# number of file rights by Landlock version: 13 at first, then refer, truncate, ioctl on devices
_FS_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}

# classic BPF
_LOAD, _JUMP_EQUAL, _JUMP_ANY_BIT, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _REPORT, _ERRNO, _KILL_PROCESS = 0x7FFF0000, 0x7FC00000, 0x00050000, 0x80000000
_OFFSET_NR, _OFFSET_ARCH, _OFFSET_ARGUMENTS = 0, 4, 16
_X32 = 0x40000000
# the flags of open() that do more than read: write, create, truncate, append
_WRITE_FLAGS = 0o3 | 0o100 | 0o1000 | 0o2000


class Unavailable(Exception):
    """This kernel or machine lacks a mechanism. The message says which."""


class _Program(ctypes.Structure):
    """The kernel's `struct sock_fprog`."""

    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_char_p)]


class Filter:
    """A seccomp program in the kernel's layout, prepared before the forks that install it."""

    def __init__(self, program: bytes, machine: str) -> None:
        self.program = program
        self._call = syscalls.MACHINES[machine][1]
        self._at = ctypes.pointer(_Program(len(program) // 8, program))

    def install(self) -> None:
        _check(_syscall(self._call, _SECCOMP_SET_MODE_FILTER, 0, self._at), "seccomp")

    def install_reporter(self) -> int:
        """Install the filter, and return the descriptor on which the kernel reports calls.

        Return -1, without the filter, if the kernel cannot report or reports to another program already.
        """
        return int(_syscall(self._call, _SECCOMP_SET_MODE_FILTER, _NEW_LISTENER, self._at))


class Plan(NamedTuple):
    """The rights to drop.

    Attributes:
        uid: the user to change to; 0 to keep the present one.
        ruleset: the descriptor of a Landlock ruleset; -1 for none.
        filter: the seccomp filter to install if calls are not reported; None for no filter.
        reporting: two filters to install one after the other if the kernel can report calls; None for no reports.
            `reporting_filter` makes the first one. It reports the calls of `syscalls.REPORTED`. `seccomp_filter` makes
            the second one, with `beside_reporter`. It refuses what `filter` refuses, except the reported calls: the
            kernel makes no report of a call that another filter refuses. A reported call is not carried out, even if
            the report is not answered.
    """

    uid: int = 0
    ruleset: int = -1
    filter: Filter | None = None
    reporting: tuple[Filter, Filter] | None = None

    def apply(self, send: Callable[[int], None] = lambda reports: None) -> None:
        """Apply the plan to this process. Raises `OSError` if any part of it is refused.

        Args:
            send: is called with the descriptor of the reports, if there are any, before system calls are restricted.
                Nobody else keeps it.
        """
        if self.uid:
            # groups first, because only root can change them; real, effective and saved ids, so
            # that none of them leads back
            os.setgroups([])
            os.setresgid(self.uid, self.uid, self.uid)
            os.setresuid(self.uid, self.uid, self.uid)
        if self.ruleset < 0 and self.filter is None:
            return
        # without privileges, the kernel demands this before Landlock and seccomp
        _check(_prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
        # other processes of the same user then cannot trace this one or read its memory
        _check(_prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "dumpable")
        if self.ruleset >= 0:
            _check(_syscall(_LANDLOCK_RESTRICT_SELF, self.ruleset, 0), "landlock_restrict_self")
            os.close(self.ruleset)
        # seccomp comes last, because it refuses the calls above; the filter that reports comes first, because the
        # other one refuses the calls that install it and send its descriptor
        last = self.filter
        if self.reporting is not None and (reports := self.reporting[0].install_reporter()) >= 0:
            send(reports)
            os.close(reports)
            last = self.reporting[1]
        if last is not None:
            last.install()


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


# -- Landlock -------------------------------------------------------------------------------------


def landlock_version() -> int:
    """Return the kernel's Landlock version; 0 without Landlock."""
    version = _syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_CREATE_RULESET_VERSION)
    return max(0, int(version))


def landlock_ruleset(readable: list[str]) -> int:
    """Return a descriptor of a ruleset that allows reading files at and below `readable`.

    As far as the kernel's version supports it, the ruleset forbids writing and executing files,
    using TCP, and signalling processes outside. Paths that do not exist are ignored. Raises `Unavailable`.
    """
    version = landlock_version()
    if not version:
        raise Unavailable("this kernel has no Landlock")
    # all rights that this version knows; version 4 added TCP, and version 6 signals and abstract
    # sockets, each as one more field of 8 bytes
    files = (1 << _FS_BITS.get(version, 16)) - 1
    network = 0b11 if version >= 4 else 0
    scoped = 0b11 if version >= 6 else 0
    attributes = struct.pack("QQQ", files, network, scoped)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _check(_syscall(_LANDLOCK_CREATE_RULESET, attributes, size, 0), "landlock_create_ruleset")
    for path in readable:
        _allow_reading(ruleset, path)
    return ruleset


def _allow_reading(ruleset: int, path: str) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    rights = _READ_FILE | (_READ_DIR if os.path.isdir(path) else 0)
    rule = struct.pack("=Qi", rights, handle)  # a packed structure in the kernel
    result = _syscall(_LANDLOCK_ADD_RULE, ruleset, _LANDLOCK_RULE_PATH_BENEATH, rule, 0)
    os.close(handle)
    _check(result, "landlock_add_rule")


# -- seccomp --------------------------------------------------------------------------------------


def seccomp_filter(machine: str, *, may_open: bool, beside_reporter: bool = False) -> Filter:
    """Return a filter that allows the system calls that computing needs.

    With `may_open`, it also allows opening files for reading. With `beside_reporter`, it also allows the calls of
    `syscalls.REPORTED`, which a `reporting_filter` in the same process refuses. `clone3` fails with ENOSYS, and every
    other system call with EPERM. Raises `Unavailable` for a machine whose system calls are not known.
    """
    try:
        arch, _, compute, look, opening = syscalls.MACHINES[machine]
    except KeyError:
        raise Unavailable(f"the system calls of {machine} are not known here") from None
    reported = syscalls.REPORTED[machine].values() if beside_reporter else ()
    allowed = sorted({*compute.values(), *(look.values() if may_open else ()), *reported})
    lines: list[tuple[int, int, int, int]] = [
        # An instruction has a code, the numbers of lines to skip if its test is true and if it is
        # false, and an operand. A call in another machine's format, such as that of 32 bits, has
        # other numbers, and ends the process.
        (_LOAD, 0, 0, _OFFSET_ARCH),
        (_JUMP_EQUAL, 1, 0, arch),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _OFFSET_NR),
        (_JUMP_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_JUMP_EQUAL, 0, 1, syscalls.CLONE3),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    ]
    # The lower half of an argument comes first on these machines, and holds the flags. Both ways
    # end the filter, so the number of the call need not be loaded again.
    for number, argument in opening.values() if may_open else ():
        lines += [
            (_JUMP_EQUAL, 0, 4, number),
            (_LOAD, 0, 0, _OFFSET_ARGUMENTS + 8 * argument),
            (_JUMP_ANY_BIT, 0, 1, _WRITE_FLAGS),
            (_RETURN, 0, 0, _ERRNO | errno.EPERM),
            (_RETURN, 0, 0, _ALLOW),
        ]
    for number in allowed:
        lines += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    lines.append((_RETURN, 0, 0, _ERRNO | errno.EPERM))
    return Filter(_packed(lines), machine)


def reporting_filter(machine: str) -> Filter:
    """Return a filter that reports the calls of `syscalls.REPORTED` and refuses them. It allows all other calls.

    Calls of `syscalls.HONEST` are refused without a report. Raises `Unavailable`.
    """
    if machine not in syscalls.MACHINES:
        raise Unavailable(f"the system calls of {machine} are not known here")
    calls = syscalls.REPORTED[machine]
    lines: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _OFFSET_ARCH),
        (_JUMP_EQUAL, 1, 0, syscalls.MACHINES[machine][0]),
        (_RETURN, 0, 0, _ALLOW),  # the other filter ends the process
        (_LOAD, 0, 0, _OFFSET_NR),
    ]
    for name, number in calls.items():
        answer: list[tuple[int, int, int, int]] = []
        for argument, value, is_flag in syscalls.HONEST.get(name, ()):
            answer += [
                (_LOAD, 0, 0, _OFFSET_ARGUMENTS + 8 * argument),
                (_JUMP_ANY_BIT if is_flag else _JUMP_EQUAL, 0, 1, value),
                (_RETURN, 0, 0, _ERRNO | errno.EPERM),
            ]
        answer.append((_RETURN, 0, 0, _REPORT))
        lines += [(_JUMP_EQUAL, 0, len(answer), number), *answer]
    lines.append((_RETURN, 0, 0, _ALLOW))
    return Filter(_packed(lines), machine)


def _packed(lines: list[tuple[int, int, int, int]]) -> bytes:
    return b"".join(struct.pack("HBBI", *line) for line in lines)


# -- self-test ------------------------------------------------------------------------------------


def self_test(plan: Plan, secret: str, may_open: bool) -> str | None:
    """Apply the plan in a fork, and attempt there everything that the plan forbids.

    Args:
        secret: a file that this process can read and the fork must not.
        may_open: whether the fork may open the files of modules.

    Returns:
        None if every attempt is refused, else the attempts that succeeded.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            plan.apply()
            allowed = [name for name, attempt in _attempts(secret, may_open) if not _is_refused(attempt)]
            os.write(writer, ", ".join(allowed).encode() or b"ok")
        except OSError as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    answer = b""
    while chunk := os.read(reader, 4096):
        answer += chunk
    os.close(reader)
    os.waitpid(child, 0)
    return None if answer == b"ok" else answer.decode() or "the test process died"


def _attempts(secret: str, may_open: bool) -> list[tuple[str, object]]:
    import socket

    attempts: list[tuple[str, object]] = [
        ("a file outside can be read", lambda: os.open(secret, os.O_RDONLY)),
        # everybody may write there, so that only the plan can refuse it
        ("a file can be written", lambda: os.open("/dev/shm/backward", os.O_WRONLY | os.O_CREAT)),
        ("a socket can be made", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
        ("a process can be forked", lambda: os.fork() or os._exit(0)),  # the child ends
        ("a process can be signalled", lambda: os.kill(os.getppid(), 0)),
        ("a program can be executed", lambda: os.execv("/bin/true", ["true"])),
    ]
    if not may_open:
        attempts.append(("a module's file can be opened", lambda: os.open(os.__file__, os.O_RDONLY)))
    return attempts


def _is_refused(attempt: object) -> bool:
    try:
        attempt()  # type: ignore[operator]
    except OSError:
        return True
    return False


def standard_library() -> list[str]:
    """Return the files and folders of the standard library, without the folders of installed packages."""
    found = []
    home = os.path.dirname(os.__file__)
    for folder in (home, os.path.join(home, "lib-dynload")):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name not in ("site-packages", "dist-packages", "lib-dynload"):
                found.append(os.path.join(folder, name))
    zipped = [path for path in sys.path if path.endswith(".zip")]
    return found + zipped
