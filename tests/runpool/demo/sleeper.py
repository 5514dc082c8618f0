"""A process that does nothing for a while; a stubborn one does not end when it is asked to."""

import signal
import sys
import time

if __name__ == "__main__":
    if "stubborn" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("sleeping", flush=True)
    time.sleep(60)
