"""Runs the escalares.py of a project for one call, and answers what is asked of the functions it declares.

The first line of the input says where the file lies and how many bytes of it follow. Every later line asks for one
function. Each of them gets one line back. Neither stream is within reach of the file: what it prints goes to stderr,
and what it reads is empty.
"""

import inspect
import json
import os
import queue
import re
import sys
import threading
import types

questions = os.fdopen(os.dup(0), "rb")
answers = os.fdopen(os.dup(1), "wb")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)
# A line at a time, as stderr does it: whoever is killed has said what it printed.
sys.stdout.reconfigure(line_buffering=True)


class ErrorDeAlgebra(ValueError):
    """What a function may raise to say that it was asked for something that makes no sense."""


class RegistroEscalares(dict):
    """Functions by name."""


declared = RegistroEscalares()


def one_line(text):
    return isinstance(text, str) and "\n" not in text and "\r" not in text


def arity(function):
    """Fewest and most positional arguments; no most when it takes any number."""
    fewest, most = 0, 0
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            most += 1
            fewest += parameter.default is parameter.empty
        elif parameter.kind is parameter.VAR_POSITIONAL:
            most = None
        elif parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
            raise ErrorDeAlgebra(f"el argumento «{parameter.name}» sólo se puede dar por nombre, y nadie lo daría")
    return fewest, most


def escalar(nombre, unidad="", *, unidades_argumentos=(), registro=None):
    """Declares the function it decorates under `nombre`, with the units of its result and of its arguments."""
    if not isinstance(nombre, str) or not re.fullmatch("[a-z][a-z0-9_]*", nombre):
        raise ErrorDeAlgebra(f"«{nombre}» no es un nombre de escalar: minúsculas ASCII, dígitos y «_»")
    if not one_line(unidad):
        raise ErrorDeAlgebra(f"la unidad de «{nombre}» tiene que ser un texto de una línea")
    if not isinstance(unidades_argumentos, tuple) or not all(one_line(u) and u.strip() for u in unidades_argumentos):
        raise ErrorDeAlgebra(f"las unidades de los argumentos de «{nombre}» van en una tupla de textos de una línea")

    def declare(function):
        registry = declared if registro is None else registro
        if nombre in registry:
            raise ErrorDeAlgebra(f"«{nombre}» se declara dos veces")
        _fewest, most = arity(function)
        if unidades_argumentos and len(unidades_argumentos) != most:
            takes = "cualquier cantidad de" if most is None else most
            raise ErrorDeAlgebra(
                f"«{nombre}» declara {len(unidades_argumentos)} unidades y recibe {takes} argumentos"
            )
        registry[nombre] = function
        return function

    return declare


def stand_in(name, **members):
    """Lets the file import what it declares its functions with, whether that package is installed or not."""
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
    return module


public = {"escalar": escalar, "ErrorDeAlgebra": ErrorDeAlgebra, "RegistroEscalares": RegistroEscalares}
stand_in("oracle_metalenguaje", **public)
stand_in("nucleo", algebra=stand_in("nucleo.algebra", **public))

# What no function of a measure has to do. This is no wall: code that means harm gets around it, and the file runs
# because somebody trusts it. That nothing is written is for the system to hold; it has no right over the first five.
REFUSED = {
    "os.chmod", "os.chown", "os.utime", "os.setxattr", "os.removexattr",
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn", "subprocess.Popen",
    "os.kill", "os.killpg", "socket.__new__", "socket.bind", "socket.connect", "ctypes",
}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def watch(folder):
    """Refuses other processes, the network, and reading outside of `folder` and of Python itself."""
    roots = [folder, sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *sys.path]
    roots = [os.path.join(os.path.realpath(root), "") for root in roots]

    def is_inside(path):
        whole = os.path.join(os.path.realpath(os.fsdecode(path)), "")
        return any(whole.startswith(root) for root in roots)

    def audit(event, arguments):
        used = arguments[0] if event == "import" else event
        if used in REFUSED:
            raise PermissionError(f"escalares.py no puede usar {used}")
        reads = event in ("os.listdir", "os.scandir") or (event == "open" and not arguments[2] & WRITES)
        if reads and isinstance(arguments[0], (str, bytes)) and not is_inside(arguments[0]):
            raise PermissionError(f"escalares.py no lee fuera del proyecto: {arguments[0]}")

    sys.addaudithook(audit)


def answer(**members):
    line = json.dumps(members, ensure_ascii=False, allow_nan=False).encode()
    answers.write(line + b"\n")
    answers.flush()


def fail(error):
    answer(error=f"{type(error).__name__}: {error}".encode(errors="replace").decode())


pending = queue.SimpleQueue()


def listen():
    """Takes questions as they come, so that the end of the input ends a function that never does."""
    for question in questions:
        pending.put(question)
    os._exit(0)


def main():
    head = json.loads(questions.readline())
    source = questions.read(head["bytes"])
    threading.Thread(target=listen, daemon=True).start()
    watch(head["carpeta"])
    path = os.path.join(head["carpeta"], "escalares.py")
    module = stand_in("escalares", __file__=path)
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
        answer(escalares=[[name, *arity(function)] for name, function in declared.items()])
    except BaseException as error:
        fail(error)
    while True:
        line = pending.get()
        try:
            question = json.loads(line)
            answer(valor=declared[question["nombre"]](*question["argumentos"]))
        except BaseException as error:
            fail(error)


main()
