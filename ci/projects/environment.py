"""Installations: the reference's own, and copies of it with libraries of policies, in form and out of it."""
from __future__ import annotations

import base64
import hashlib
import json
import random
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = "oracle_metalenguaje"


def installed() -> Path:
    """Where the distribution that runs this script is installed."""
    site = Path(sysconfig.get_paths()["purelib"]).resolve()
    if not (site / PACKAGE).is_dir():
        sys.exit(f"{site} holds no {PACKAGE}: run this with the reference's own python")
    return site


class Reference:
    """The reference, asked over what is installed at `site`."""

    def __init__(self, site: Path) -> None:
        self.process = subprocess.Popen([sys.executable, "-I", "-S", str(HERE / "reference.py"), str(site)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, op: str, project: Path, arguments: dict) -> dict:
        self.process.stdin.write(json.dumps({"op": op, "project": str(project), "arguments": arguments}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=20)


def measure(r: random.Random, mid: str, relations: list[str]) -> list:
    """A measure of a library or of a project, in its canonical form."""
    relation = r.choice(relations)
    steps = ["desde", ["de", relation, "a"]]
    if r.random() < 0.85:
        op, field, value = r.choice([("<", "n", 0), (">", "n", 2), ("==", "nombre", "x"), ("==", "activo", False)])
        steps.append(["donde", [op, ["campo", "a", field], value]])
    if r.random() < 0.2:
        steps.append(["sin", ["de", r.choice(relations), "s"], ["==", ["campo", "a", "n"], ["campo", "s", "n"]]])
    data = ["medida", mid, steps, ["resumen", *r.choice([("contar", 1), ("max", ["campo", "a", "n"])])],
            ["umbral", "<=", r.choice([0, 0, 1, 3]), r.choice(["", "lo acordado"]), r.choice(["contrato", "tanteo"])]]
    if r.random() < 0.3:
        data.append(["requiere", relation])
    if r.random() < 0.9:
        data.append(["ambito", r.choice(["universal", "universal", "del_origen"])])
    return [*data, ["alcance", "no ve lo que nadie midió"]]


def macro(name: str, limit: int) -> list:
    """A macro with a guard, over whatever relation it is given."""
    hole = lambda parameter: ["$", parameter]  # noqa: E731
    parameters = ["id", "relacion", "alias", "predicado", "tope", "porque", "segun", "ambito", "alcance"]
    body = ["medida", hole("id"), ["desde", ["de", hole("relacion"), hole("alias")], ["donde", hole("predicado")]],
            ["resumen", "contar", 1], ["umbral", "<=", hole("tope"), hole("porque"), hole("segun")],
            ["ambito", hole("ambito")], ["alcance", hole("alcance")]]
    return ["defmacro", name, parameters, [["guarda", ["<=", hole("tope"), limit], f"el tope pasa de {limit}"]], body]


def relation(name: str) -> list:
    fields = [["campo", "n", "entero", "sin_unidad"], ["campo", "nombre", "texto", "sin_unidad"],
              ["campo", "activo", "booleano", "sin_unidad"]]
    return ["relacion", name, ["campos", *fields], ["alcance", "no ve más"]]


MANIFEST = """esquema = "{esquema}"
id = "{id}"
version = "{version}"
algebra = "{algebra}"
sintaxis = "1.0"
datos_solamente = {datos_solamente}

[contenido]
catalogos = {catalogos}
corpus = ["corpus"]
relaciones = {relaciones}
macros = {macros}

[requiere]
relaciones = {requiere}

[certificacion]
mutantes = {mutantes}
"""

# What may be wrong with a library. The first group is the reference's own rules; the second, decisions of ours.
BREAKS = ["version", "esquema", "algebra", "datos_solamente", "mutantes", "de_mas", "id", "sin-catalogos", "carpeta-ausente",
          "afuera", "absoluta", "codigo-en-registro", "codigo-en-disco", "enlace", "enlace-a-carpeta", "id-repetido",
          "nombre", "sin-nombre", "sin-registro", "fuera-de-registro", "no-toml", "requiere", "medida-rota", "medida-repetida",
          "medida-de-la-base", "macro-repetida", "macro-rota", "relacion-repetida", "carpeta-dos-veces", "relacion-rota"]
DECIDED = ["registro-huella", "registro-sin-huella", "registro-de-mas", "registro-de-menos", "registro-roto",
           "manifiesto-sin-utf8", "enlace-al-paquete"]


class Library:
    """One library: its files by path from where distributions are installed, its metadata and its list."""

    def __init__(self, r: random.Random, number: int, site: Path, broken: str | None) -> None:
        self.id = f"vecina{number}.reglas"
        self.name = f"{r.choice(['Oracle-Biblioteca', 'vecina', 'V.E__C'])}-{number}"
        self.folder = "oracle_bibliotecas/" + "_".join(p for p in self.name.lower().replace("-", "_").replace(".", "_").split("_") if p)
        self.broken, self.site = broken, site
        self.relation, self.macro = f"vecina{number}_pieza", f"vecina{number}-pocos"
        relations = [self.relation, "item"]
        self.files: dict[str, str] = {}
        self.ids = [f"vecina{number}.m{i}" for i in range(r.randint(1, 3))]
        for mid in self.ids:
            self.put(f"catalogos/{r.choice(['', 'a/', 'b-c/'])}{mid}.json", json.dumps(measure(r, mid, relations)))
        self.put("corpus/001.json", "{}")
        has_relation, has_macro = r.random() < 0.7, r.random() < 0.6
        if has_relation:
            self.put(f"relaciones/{self.relation}.json", json.dumps(relation(self.relation)))
        if has_macro:
            self.put(f"macros/{self.macro}.json", json.dumps(macro(self.macro, 5)))
        self.has_macro = has_macro
        self.manifest = {
            "esquema": "oracle.biblioteca/v1", "id": self.id, "version": "1.2.3", "algebra": "1.0",
            "datos_solamente": "true", "catalogos": '["catalogos"]', "mutantes": "3", "requiere": '["item"]',
            "relaciones": '["relaciones"]' if has_relation else "[]", "macros": '["./macros/"]' if has_macro else "[]"}
        self.version, self.extra, self.listed, self.metadata_name = "1.2.3", "", {}, f"Name: {self.name}\n"
        self.spoil(number)

    def put(self, path: str, text: str) -> None:
        self.files[f"{self.folder}/{path}"] = text

    def spoil(self, number: int) -> None:
        """Breaks what is to be broken before it is installed."""
        values = {"version": ("version", "1.2.4"), "esquema": ("esquema", "oracle.biblioteca/v2"), "algebra": ("algebra", "7.0"),
                  "datos_solamente": ("datos_solamente", "false"), "mutantes": ("mutantes", "0"), "id": ("id", "Vecina"),
                  "sin-catalogos": ("catalogos", "[]"), "carpeta-ausente": ("macros", '["no-esta"]'),
                  "afuera": ("relaciones", '["../.."]'), "absoluta": ("relaciones", '["/tmp"]'),
                  "id-repetido": ("id", f"vecina{number - 1}.reglas"), "requiere": ("requiere", '[" item"]'),
                  "carpeta-dos-veces": ("catalogos", '["catalogos", "./catalogos"]')}
        if self.broken in values:
            key, value = values[self.broken]
            self.manifest[key] = value
        texts = {"medida-rota": ("catalogos/rota.json", '["medida"]'), "macro-rota": ("macros/rota.json", '["defmacro"]'),
                 "medida-repetida": (f"catalogos/otra/{self.ids[0]}.json", None),
                 "medida-de-la-base": ("catalogos/b.json", json.dumps(
                     ["medida", "proceso.verificacion_vigente", ["desde", ["de", "item", "a"]], ["resumen", "contar", 1],
                      ["umbral", "<=", 0, "", "contrato"], ["alcance", "x"]])),
                 "macro-repetida": ("macros/m.json", json.dumps(macro("ninguno", 3))),
                 "relacion-repetida": ("relaciones/r.json", json.dumps(relation("afirmacion"))),
                 "relacion-rota": ("relaciones/r.relacion", "relacion x:\n")}
        if self.broken in texts:
            path, text = texts[self.broken]
            first = next(t for p, t in self.files.items() if p.endswith(f"{self.ids[0]}.json"))
            self.put(path, first if text is None else text)
            kind = path.split("/")[0]
            if kind != "catalogos":
                self.manifest[kind] = json.dumps([kind])
        self.extra = {"de_mas": '\n[otra]\nx = 1\n', "no-toml": "\nesto no es\n"}.get(self.broken, "")
        self.metadata_name = {"nombre": "Name: la vecina\n", "sin-nombre": ""}.get(self.broken, self.metadata_name)

    def install(self, r: random.Random) -> None:
        self.put("oracle-biblioteca.toml", MANIFEST.format(**self.manifest) + self.extra)
        for path, text in self.files.items():
            write(self.site / path, text)
        rows = {path: digest(text.encode()) for path, text in self.files.items()}
        root, some = self.site / self.folder, sorted(p for p in self.files if "/catalogos/" in p)[0]
        if self.broken == "codigo-en-registro":
            rows["vecina/gancho.PY"] = ""
        elif self.broken == "codigo-en-disco":
            write(root / "catalogos/gancho.py", "raise SystemExit")
        elif self.broken == "enlace":
            (root / "LEEME").symlink_to("oracle-biblioteca.toml")
        elif self.broken == "enlace-a-carpeta":
            (root / "otra").symlink_to("corpus")
        elif self.broken == "fuera-de-registro":
            del rows[f"{self.folder}/oracle-biblioteca.toml"]
        elif self.broken == "registro-huella":
            (self.site / some).write_text(self.files[some] + " ", encoding="utf-8")
        elif self.broken == "registro-sin-huella":
            rows[some] = ""
        elif self.broken == "registro-de-mas":
            del rows[some]
        elif self.broken == "registro-de-menos":
            rows[f"{self.folder}/catalogos/ida.json"] = digest(b"")
        elif self.broken == "manifiesto-sin-utf8":
            raw = (root / "oracle-biblioteca.toml").read_bytes() + b"\n# \xff\n"
            (root / "oracle-biblioteca.toml").write_bytes(raw)
            rows[f"{self.folder}/oracle-biblioteca.toml"] = digest(raw)
        info = self.site / f"{self.folder.split('/')[1]}-{self.version}.dist-info"
        fields = f"Metadata-Version: 2.1\n{self.metadata_name}Version: {self.version}\n\nNo se lee.\n"
        write(info / "METADATA", fields)
        listed = "".join(f"{path},{d},\n" for path, d in sorted(rows.items()))
        if self.broken == "registro-roto":
            listed += r.choice(["\na,,\n", "a,b,c,d\n", "a,,x\n"])
        if self.broken != "sin-registro":
            write(info / "RECORD", f"{listed}{info.name}/RECORD,,\n")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class Installation:
    """An environment with a copy of the reference and some libraries, at most one thing wrong with it."""

    def __init__(self, r: random.Random, original: Path, root: Path, broken: str | None) -> None:
        self.root = root
        self.site = root / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
        self.site.mkdir(parents=True)
        for path in [original / PACKAGE, *original.glob(f"{PACKAGE}-*.dist-info")]:
            shutil.copytree(path, self.site / path.name)
        self.kinds = {broken} if broken else set()
        count = r.randint(2, 3)
        # The last one, so that there is another whose id it may take.
        guilty = count - 1
        self.libraries = []
        for number in range(count):
            library = Library(r, number, self.site, broken if number == guilty else None)
            library.install(r)
            self.libraries.append(library)
        if broken == "enlace-al-paquete":
            away = root / "afuera"
            (self.site / "oracle_bibliotecas").rename(away)
            (self.site / "oracle_bibliotecas").symlink_to(away)
