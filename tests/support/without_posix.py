"""A Python without what Windows lacks: forks, limits, terminals, POSIX signals, and what else is not there.

`PRELUDE` hides the modules and the names, and sets nothing else. It is the beginning of a program's text, because a
fork, and a process of the tests, would keep them.
"""

# `subprocess` keeps what it needs to start processes on this system, as it has its own means on Windows. `os.uname` and
# `os.getuid` stay, because numpy and platformdirs for Linux call them.
PRELUDE = """
import sys
import os, select, signal, socket, time
if "subprocess" in sys.modules or not sys.flags.no_site:
    import subprocess, types
    subprocess.signal = types.SimpleNamespace(**vars(signal))
    subprocess.os = types.SimpleNamespace(**vars(os))
for module in ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "posix_ipc", "readline", "syslog"):
    sys.modules[module] = None
windows = {"SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_IGN"}
for name in dir(signal):
    if name.startswith(("SIG", "ITIMER", "CLD", "sig", "pthread", "setitimer", "getitimer", "alarm", "pause")):
        if name not in windows and name not in ("signal", "siginterrupt"):
            delattr(signal, name)
delattr(signal, "siginterrupt")
for module, prefixes in {
    os: ("fork", "register_at_fork", "setsid", "getsid", "setpg", "getpg", "killpg", "geteuid", "getgid",
         "getegid", "getgroups", "getres", "setuid", "seteuid", "setgid", "setegid", "setre", "setgroups", "initgroups",
         "wait3", "wait4", "waitid", "WNOHANG", "WIF", "WEXIT", "WTERM", "sched_", "SCHED_", "pread", "pwrite",
         "preadv", "pwritev", "readv", "writev", "sendfile", "mkfifo", "mknod", "chown", "fchown", "lchown", "fchmod",
         "fchdir", "chroot", "statvfs", "fstatvfs", "getloadavg", "nice", "getpriority", "setpriority",
         "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_SYNC", "O_PATH", "O_TMPFILE",
         "set_blocking", "get_blocking", "posix_", "openpty", "ttyname", "ctermid", "tcget", "tcset", "memfd", "MFD_",
         "pidfd", "eventfd", "EFD_", "splice", "copy_file_range", "getrandom", "GRND_", "confstr", "sysconf",
         "pathconf", "fpathconf", "setxattr", "getxattr", "listxattr", "removexattr", "unshare", "setns", "CLONE_",
         "pipe2", "fdatasync", "sync", "lockf", "major", "minor", "makedev", "P_"),
    select: ("poll", "POLL", "epoll", "EPOLL", "PIPE_BUF"),
    socket: ("send_fds", "recv_fds", "AF_UNIX", "CMSG_", "SCM_", "MSG_CMSG"),
    time: ("clock_", "CLOCK_", "pthread_"),
}.items():
    for name in dir(module):
        if name.startswith(prefixes):
            delattr(module, name)
os.supports_dir_fd.clear()
"""
