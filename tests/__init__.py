"""Whatever is set before a test or what it needs is imported."""

import os

# as bot/starting.py has it: matrices are small, and threads that wait for each other take time
os.environ["OPENBLAS_NUM_THREADS"] = "1"

# code is compiled beside its source, whoever solves first: all processes of the tests share it
os.environ["NUMBA_CACHE_DIR"] = ""
