"""What the measures of this project calculate with. `espera` holds an evaluation until a file is there."""

import os
import time
from pathlib import Path

from oracle_metalenguaje import escalar

SENALES = Path(os.environ["CONVERSATION_SCRATCH"])


@escalar("mitad", unidad="mm", unidades_argumentos=("mm",))
def mitad(largo):
    return largo / 2


@escalar("potencia")
def potencia(base, exponente=2):
    return base**exponente


@escalar("exige")
def exige(valor):
    if valor is None:
        raise ValueError("falta el valor")
    return valor


@escalar("anota")
def anota(texto):
    print(f"anotado: {texto}")
    return texto


@escalar("sale")
def sale(codigo):
    os._exit(codigo)


@escalar("espera")
def espera(senal):
    print(f"espera {senal}")
    while not (SENALES / senal).exists():
        time.sleep(0.002)
    return senal
