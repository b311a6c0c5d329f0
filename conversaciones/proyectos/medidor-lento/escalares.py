"""Holds whoever evaluates until a file is there."""

import os
import time
from pathlib import Path

from oracle_metalenguaje import escalar

SENALES = Path(os.environ["CONVERSATION_SCRATCH"])


@escalar("espera")
def espera(senal):
    print(f"espera {senal}")
    while not (SENALES / senal).exists():
        time.sleep(0.002)
    return senal
