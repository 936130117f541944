"""HDF5 serves one thread at a time."""

import threading

FILES = threading.RLock()
