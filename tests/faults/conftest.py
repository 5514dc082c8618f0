import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.faults import FAULTS, SEEN
from tests.faults.scene import Scene
from tests.faults.table import write_table


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One for each file: with `-n 4 --dist loadfile`, files are tried beside each other, since faults mostly wait."""
    scene = Scene(tmp_path_factory.mktemp("faults"), [*(fault.name for fault in FAULTS), "flipped"])
    try:
        yield scene
    finally:
        scene.close()
        if len(SEEN) == len(FAULTS) and (table := os.environ.get("FAULTS_TABLE")):
            write_table(Path(table), SEEN)
