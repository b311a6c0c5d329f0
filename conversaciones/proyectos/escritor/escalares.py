"""Tries to leave something behind, in each way that a file system knows."""

import os
from pathlib import Path

from oracle_metalenguaje import escalar

LUGARES = {
    "adentro": Path(__file__).parent,
    "afuera": Path(os.environ["CONVERSATION_SCRATCH"]),
    "sistema": Path("/"),
}
INTENTOS = {
    "escribe": lambda ruta: ruta.write_text("x"),
    "agrega": lambda ruta: ruta.open("a").close(),
    "corta": lambda ruta: os.truncate(ruta, 0),
    "borra": os.remove,
    "mueve": lambda ruta: os.rename(ruta, f"{ruta}-movido"),
    "crea-carpeta": lambda ruta: os.mkdir(f"{ruta}-carpeta"),
    "borra-carpeta": os.rmdir,
    "enlaza": lambda ruta: os.symlink(ruta, f"{ruta}-enlace"),
    "duplica": lambda ruta: os.link(ruta, f"{ruta}-copia"),
    "crea-tuberia": lambda ruta: os.mkfifo(f"{ruta}-tuberia"),
    "lee": lambda ruta: ruta.read_text(),
}


@escalar("intenta")
def intenta(que, lugar, ruta):
    """What the system says to it; an empty text when it lets it be."""
    try:
        INTENTOS[que](LUGARES[lugar] / ruta)
    except OSError as error:
        return error.strerror
    return ""


@escalar("escribe")
def escribe(ruta):
    Path(ruta).write_text("x")
    return ruta
