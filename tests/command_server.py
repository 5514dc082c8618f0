"""Runs programs of Python for a site, each in a process of its own that begins where Django is set up.

Such a process differs from one that is started anew only in this: what takes a second to import is there already.
usage, in the folder of the program: python -c TEXT_OF_THIS DESCRIPTOR_OF_A_LISTENING_SOCKET [MODULE_TO_IMPORT ...]
It ends when its standard input does.
"""

import gc
import importlib
import json
import os
import runpy
import select
import socket
import sys

import django


def serve(listener: socket.socket) -> None:
    sys.path[0] = os.getcwd()  # as for a program that lies there
    django.setup()
    for name in sys.argv[2:]:
        importlib.import_module(name)
    gc.freeze()  # what lies here is looked at by no process, which would copy it
    answering: set[int] = set()
    while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
        asking, _ = listener.accept()
        with asking:
            pid = os.fork()
            if pid == 0:
                listener.close()
                _answer(asking)
                return
        answering = {one for one in answering | {pid} if os.waitpid(one, os.WNOHANG) == (0, 0)}
    for one in answering:
        os.waitpid(one, 0)


def _answer(asking: socket.socket) -> None:
    """Run what is asked for with the streams of who asks, and tell how it ended."""
    text, streams, _, _ = socket.recv_fds(asking, 1 << 20, 3)
    asked = json.loads(text)
    pid = os.fork()
    if pid == 0:
        asking.close()
        return _run(streams, asked["folder"], asked["words"])
    _, status = os.waitpid(pid, 0)
    asking.sendall(b"%d" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _run(streams: list[int], folder: str, words: list[str]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # The streams of this process were made for other files, which could be sought in.
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", 1, closefd=False)
    os.chdir(folder)
    sys.argv = words
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
