"""Processes of the command that need not start Python and load numpy and polars anew: children of one that has done so.

Each has its own arguments, folder, standard streams and exit status, and ends as a program ends.
"""

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.places import REPOSITORY

PARENT = """
import json, os, runpy, socket, sys
import numpy, polars, evaluation.command.output, evaluation.command.scoring

control = socket.socket(fileno=int(sys.argv[1]))
while True:
    asked, streams, _, _ = socket.recv_fds(control, 1 << 16, 3)
    if not asked:
        sys.exit()
    child = os.fork()
    if not child:
        break
    for stream in streams:
        os.close(stream)
    control.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
control.close()
for number, stream in enumerate(streams):
    os.dup2(stream, number)
    os.close(stream)
folder, *words = json.loads(asked)
os.chdir(folder)
sys.argv = ["-m", *words]
runpy.run_module("evaluation", run_name="__main__", alter_sys=True)
"""


def environment() -> dict[str, str]:
    """Without Django's settings, of which the command knows nothing."""
    kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    return {**kept, "PYTHONPATH": str(REPOSITORY)}


@cache
def _parent() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-c", PARENT, str(theirs.fileno())]
    process = subprocess.Popen(command, env=environment(), pass_fds=[theirs.fileno()])
    theirs.close()
    ours.settimeout(60)

    def end() -> None:
        ours.close()
        process.wait(timeout=300)

    atexit.register(end)
    return ours


def run_command(words: list[str], folder: Path, stdin: bytes) -> "subprocess.CompletedProcess[bytes]":
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        reading, writing = os.pipe()
        asked = json.dumps([str(folder), *words]).encode()
        socket.send_fds(_parent(), [asked], [reading, out.fileno(), err.fileno()])
        os.close(reading)
        sender = threading.Thread(target=_send, args=(writing, stdin))
        sender.start()
        status = int(_parent().recv(100))
        sender.join()
        for stream in (out, err):
            stream.seek(0)
        return subprocess.CompletedProcess(words, status, out.read(), err.read())


def _send(stream: int, content: bytes) -> None:
    """A process may end before it has read everything."""
    with suppress(BrokenPipeError), os.fdopen(stream, "wb") as opened:
        opened.write(content)
