"""The parts of the report, a module for each question: plain data without NaN, or `PartMissing` with the reason."""
