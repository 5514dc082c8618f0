"""Files of judgments: read for one assessor who records them, and imported by organisers with who judged what."""
