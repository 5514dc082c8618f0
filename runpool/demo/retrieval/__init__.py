"""Small retrieval systems in numpy that make the demo campaign's runs."""

from runpool.demo.retrieval.runs import (
    EXAMPLE_TAG,
    SPOILT_TAG,
    DemoRun,
    demo_runs,
    example_upload,
    example_with_problems,
)

__all__ = ["EXAMPLE_TAG", "SPOILT_TAG", "DemoRun", "demo_runs", "example_upload", "example_with_problems"]
