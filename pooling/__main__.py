"""`python -m pooling`: pools for the command line, without Django."""

import sys

from campaign.command.streams_and_signals import end_quietly

if __name__ == "__main__":
    end_quietly()
    from pooling.command.main import main

    sys.exit(main(sys.argv[1:]))
