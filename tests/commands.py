"""Commands of a site, as an operator gives them, without the second that each would take to import what it needs."""

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from tests.places import REPOSITORY

SERVER = REPOSITORY / "tests" / "command_server.py"
"""By its text: another program, of an older version, has none."""
ASK = '''#!{python} -SE
"""Stands for Python where a script calls it: asks the server for the process."""
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    asked = json.dumps({{"folder": os.getcwd(), "words": sys.argv[1:]}})
    socket.send_fds(server, [asked.encode()], [0, 1, 2])
    sys.exit(int(server.recv(16)) % 256)
'''


class Commands:
    """Those of one environment. Their server starts with the first command and ends with this object.

    `imports`: modules that most of the commands load.
    """

    interpreter: tuple[str, ...] = (sys.executable,)

    def __init__(
        self, environment: Mapping[str, str], program: Path = REPOSITORY, imports: tuple[str, ...] = ()
    ) -> None:
        self.environment, self.program, self.imports = dict(environment), program, imports
        self._address = ""

    def run(self, *words: str, stdin: str | None = None, timeout: float = 300) -> "subprocess.CompletedProcess[str]":
        """Of a program in the repository, such as manage.py, what it printed and how it ended."""
        with ExitStack() as files, socket.socket(socket.AF_UNIX) as server:
            given, out, err = (files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            given.write((stdin or "").encode())
            given.seek(0)
            server.settimeout(timeout)
            server.connect(self.address())
            asked = json.dumps({"folder": str(self.program), "words": words}).encode()
            socket.send_fds(server, [asked], [given.fileno(), out.fileno(), err.fileno()])
            status = int(server.recv(16))
            for file in (out, err):
                file.seek(0)
            return subprocess.CompletedProcess(words, status, out.read().decode(), err.read().decode())

    def python(self) -> str:
        """The path of a program that scripts call in place of Python."""
        program = Path(self.address()).with_name("python")
        program.write_text(ASK.format(python=sys.executable, address=self.address()), encoding="utf-8")
        program.chmod(0o700)
        return str(program)

    def address(self) -> str:
        if not self._address:
            folder = tempfile.mkdtemp(prefix="runpool-")
            self._address = f"{folder}/socket"
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(self._address)
                listener.listen(50)
                server = subprocess.Popen(
                    [
                        *self.interpreter,
                        "-c",
                        SERVER.read_text(encoding="utf-8"),
                        str(listener.fileno()),
                        *self.imports,
                    ],
                    cwd=self.program,
                    env=self.environment,
                    stdin=subprocess.PIPE,
                    pass_fds=[listener.fileno()],
                    start_new_session=True,
                )
            weakref.finalize(self, _end, server, folder)
        return self._address


def _end(server: "subprocess.Popen[bytes]", folder: str) -> None:
    server.communicate()
    shutil.rmtree(folder)
