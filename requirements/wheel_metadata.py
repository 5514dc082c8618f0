"""What the wheel needs: the ranges of run.in, so that they stand in one place. The exact versions are in run.txt."""

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Dependencies(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = self._ranges("run")
        metadata["optional-dependencies"] = {"traces": self._ranges("traces")}

    def _ranges(self, name: str) -> list[str]:
        lines = (Path(self.root) / "requirements" / f"{name}.in").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line and not line.startswith(("#", "-"))]
