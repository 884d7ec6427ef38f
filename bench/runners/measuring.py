"""What every contestant says of its own run."""

import json
import time
from collections.abc import Callable


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
    }
    # Some packages print while they work: what is looked for is the last line.
    print(f"\n{json.dumps(said)}", flush=True)
