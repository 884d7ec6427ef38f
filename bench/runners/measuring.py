"""What every contestant says of its own run."""

import json
import re
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

MB = 1_000_000


def report(work: Callable[[], int]) -> None:
    """Do the work and print what it took, apart from the imports before it.

    Args:
        work: Returns how many verdicts it has.
    """
    cpu_s, begin = time.process_time(), time.perf_counter()
    verdicts = work()
    said = {
        "wall_s": time.perf_counter() - begin,
        "work_cpu_s": time.process_time() - cpu_s,
        "verdicts": verdicts,
        "peak_mb": peak_mb(),
    }
    # Some packages print while they work: what is looked for is the last line.
    print(f"\n{json.dumps(said)}", flush=True)


def peak_mb() -> float:
    """Give this process's own peak of resident memory.

    What the system tells a parent of its child begins with the parent's own memory,
    from which the child was forked; Linux counts anew from where the program begins.
    """
    status = Path("/proc/self/status")
    found = (
        re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    )
    if found:
        return int(found[1]) * 1024 / MB
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MB
