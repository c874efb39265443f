"""The numbers of system calls are those of the kernel's headers."""

import re
from pathlib import Path

import pytest

from grader.runner.worker.confine import syscalls

HEADERS = {
    "x86_64": [Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm/unistd_64.h")],
    "aarch64": [Path("/usr/include/asm-generic/unistd.h")],
}
# what asm-generic calls by another name on machines with 64 bits
GENERIC = {"newfstatat": "3264_fstatat", "fstat": "3264_fstat", "lseek": "3264_lseek", "mmap": "3264_mmap"}


@pytest.mark.parametrize("machine", HEADERS)
def test_the_numbers_are_the_headers(machine: str) -> None:
    """Each name has the same number in the header of its machine."""
    path = next((path for path in HEADERS[machine] if path.exists()), None)
    assert path is not None, f"the kernel's headers for {machine} are needed (Debian: linux-libc-dev)"
    text = path.read_text(encoding="utf-8")
    found = {name: int(number) for name, number in re.findall(r"#define __NR(?:_|3264_)?(\w+)\s+(\d+)", text)}
    _, seccomp, compute, look, opening = syscalls.MACHINES[machine]
    ours = {**compute, **look, **{name: number for name, (number, _) in opening.items()}, "seccomp": seccomp}
    ours |= {"clone3": syscalls.CLONE3, **syscalls.REPORTED[machine]}
    renamed = {name: GENERIC.get(name, name).removeprefix("3264_") for name in ours} if machine == "aarch64" else {}

    assert {name: found.get(renamed.get(name, name)) for name in ours} == ours


def test_nothing_that_reaches_out_is_allowed() -> None:
    """No list allows a call that makes a process or a socket, sends a signal, or makes a file."""
    forbidden = {
        "fork",
        "vfork",
        "clone",
        "clone3",
        "execve",
        "execveat",
        "socket",
        "connect",
        "kill",
        "tkill",
        "tgkill",
    }
    forbidden |= {"ptrace", "creat", "unlink", "rename", "mkdir", "mount", "setuid", "prctl", "bpf", "io_uring_setup"}
    for _, _, compute, look, opening in syscalls.MACHINES.values():
        assert set() == forbidden & {*compute, *look, *opening}


@pytest.mark.parametrize("machine", syscalls.MACHINES)
def test_a_reported_call_is_allowed_by_no_list(machine: str) -> None:
    """The calls that are reported are other calls than those that are allowed."""
    _, _, compute, look, opening = syscalls.MACHINES[machine]
    assert set() == {*compute, *look, *opening} & set(syscalls.REPORTED[machine])
    assert set(syscalls.HONEST) <= set(syscalls.REPORTED[machine])
