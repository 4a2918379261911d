"""Runs a provider until it is told to end, and ensures that it never outlives the process that started it.

usage: supervise.py --parent PID --ready URL --log FILE --announce JSON [--setup COMMAND] [--remove FOLDER] -- COMMAND…

Starts COMMAND, waits until it answers at URL, runs the set-up command, and prints the announcement with both process
ids as one line of JSON. Then it waits. The provider ends when this process gets SIGTERM or SIGINT, when the process
PID is no longer its parent (it ended, in whatever way), and by the kernel's hand when this process is killed.
"""
import argparse
import ctypes
import json
import os
import shlex
import shutil
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request

START_SECONDS = 100
PR_SET_PDEATHSIG = 1


class Failure(Exception):
    """The provider could not be started, or ended by itself."""


def die_with_parent():
    """Runs in the child: the kernel kills it when its parent is gone."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def is_ready(url):
    """Whether the provider answers; its certificate is its own business here."""
    try:
        with urllib.request.urlopen(url, timeout=2, context=ssl._create_unverified_context()) as reply:
            return reply.status == 200
    except (urllib.error.URLError, OSError):
        return False


def require_alive(child, parent):
    if child.poll() is not None:
        raise Failure(f"the provider ended with status {child.returncode}")
    if os.getppid() != parent:
        raise SystemExit(0)


def start(arguments, child):
    """Waits for the provider, sets it up, and says that it is there."""
    deadline = time.monotonic() + START_SECONDS
    while not is_ready(arguments.ready):
        require_alive(child, arguments.parent)
        if time.monotonic() > deadline:
            raise Failure(f"no answer from {arguments.ready} within {START_SECONDS} s")
        time.sleep(0.05)
    # Another process's server may answer on the port when ours could not bind it.
    require_alive(child, arguments.parent)
    if arguments.setup:
        left = max(1, deadline - time.monotonic())
        setup = subprocess.run(shlex.split(arguments.setup), stdout=sys.stderr, timeout=left)
        if setup.returncode != 0:
            raise Failure(f"the set-up failed with status {setup.returncode}")
    announcement = json.loads(arguments.announce) | {"pid": os.getpid(), "provider_pid": child.pid}
    print(json.dumps(announcement), flush=True)


def stop(child):
    child.terminate()
    try:
        child.wait(timeout=2)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--parent", type=int, required=True)
    parser.add_argument("--ready", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--announce", required=True)
    parser.add_argument("--setup")
    parser.add_argument("--remove")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))
    child = None
    try:
        with open(arguments.log, "ab") as log:
            child = subprocess.Popen(
                arguments.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=die_with_parent)
        start(arguments, child)
        while True:
            require_alive(child, arguments.parent)
            time.sleep(0.2)
    except (Failure, OSError, subprocess.TimeoutExpired) as failure:
        print(f"{arguments.command[0]}: {failure}", file=sys.stderr)
        with open(arguments.log, errors="replace") as log:
            sys.stderr.writelines(log.readlines()[-20:])
        return 1
    finally:
        if child is not None:
            stop(child)
        if arguments.remove:
            shutil.rmtree(arguments.remove, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
