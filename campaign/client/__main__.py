import sys

from campaign.client.program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
