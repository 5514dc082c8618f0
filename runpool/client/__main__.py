import sys

from runpool.client.program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
