"""Inputs made from a seed for `ci/golden-reference`: macros with a use of one, canonical forms, files of projects.

Knows nothing of what any implementation makes of them. Every generator is a function of its random numbers alone.
"""
from __future__ import annotations

import json
import random


def compact(value) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def hole(name: str) -> list:
    return ["$", name]


ARGUMENTS = {
    "id": ["a.b", "demo.uno"], "rel": ["caja", "lote"], "al": ["x", "y2"], "bl": ["x", "z"],
    "cond": [["<", ["campo", "x", "n"], 0], ["y", ["==", ["campo", "x", "t"], "a"], ["no", ["campo", "x", "b"]]], True],
    "expr": [["campo", "x", "n"], ["mas", ["campo", "x", "n"], 1], 1, ["f", ["col", "k"]]], "lim": [0, 1.5, -2, True, "a", 10**20],
    "agg": ["max", "contar", "suma"], "porque": ["", "p", "con \"comillas\"", "$lim"], "segun": ["tanteo", "medicion", "sin_declarar", "ojo"],
    "ambito": ["universal", "del_origen", "sin_declarar"], "alcance": ["q", "línea\nrota"],
}


def template(r: random.Random, parameters: list[str], earlier: list[tuple[str, list[str]]]) -> list:
    def slot(name: str, otherwise):
        return hole(name) if name in parameters and r.random() < 0.97 else otherwise
    if earlier and r.random() < 0.4:
        name, wanted = r.choice(earlier)
        arguments = [slot(p, r.choice(ARGUMENTS.get(p, ["x"]))) for p in wanted]
        if r.random() < 0.1:
            arguments = arguments[:-1]
        return [name, *arguments]
    source = ["de", slot("rel", "caja"), slot("al", "x")]
    if "bl" in parameters:
        source = ["unir", source, ["de", slot("rel", "caja"), slot("bl", "y")]]
    steps = []
    if "cond" in parameters or r.random() < 0.5:
        steps.append(["donde", slot("cond", [">", ["campo", "x", "n"], 0])])
    if "expr" in parameters and r.random() < 0.3:
        steps.append(["donde", [">", slot("expr", 1), slot("lim", 0)]])
    threshold = ["umbral", r.choice(["<=", ">"]), slot("lim", 0), slot("porque", "p")]
    if "segun" in parameters or r.random() < 0.6:
        threshold.append(slot("segun", "contrato"))
    out = ["medida", slot("id", "a.c"), ["desde", source, *steps], ["resumen", slot("agg", "max"), slot("expr", 1)], threshold]
    if r.random() < 0.3:
        out.append(["requiere", slot("rel", "caja")])
    if "ambito" in parameters or r.random() < 0.3:
        out.append(["ambito", slot("ambito", "universal")])
    return [*out, ["alcance", slot("alcance", "q")]]


def guard(r: random.Random, parameters: list[str]) -> list:
    a, b = hole(r.choice(parameters)), hole(r.choice(parameters))
    condition = r.choice([["!=", a, b], ["==", a, b], [">", a, 0], ["y", ["!=", a, ""], ["!=", b, ""]], ["no", a], a, True, False, "",
                          ["contiene", a, "a"], ["<", ["col", "k"], 1], ["hecho", "x"]])
    return r.choice([["guarda", condition, "no va"], ["guarda", condition, "no va"], ["guarda", condition, " "], ["guarda", condition]]
                    if r.random() < 0.1 else [["guarda", condition, "no va"]])


def declaration(r: random.Random, earlier: list[tuple[str, list[str]]]) -> tuple[list, list[str]]:
    optional = ["rel", "al", "bl", "cond", "expr", "lim", "agg", "porque", "segun", "ambito"]
    parameters = ["id", *sorted(r.sample(optional, r.randint(0, 5)), key=optional.index)]
    if r.random() < 0.8:
        parameters.append("alcance")
    if r.random() < 0.08:
        parameters = r.choice([[], [*parameters, "id"], [*parameters, "sobra"], [*parameters, ""], ["id", 1], "id"])
    name = r.choice(["uno", "dos", "tres-x", "cuatro_4"])
    if r.random() < 0.1:
        name = r.choice(["ninguno", "Mal", "medida", "contar", "1x", "", 3, "promedio", "sin", "requiere", "-a", "f"])
    usable = parameters if isinstance(parameters, list) and all(isinstance(p, str) for p in parameters) else ["id"]
    guards = [guard(r, usable) for _ in range(r.choice([0, 0, 0, 1, 2]))] if usable else []
    body = template(r, usable, earlier)
    roll = r.random()
    if roll < 0.03:
        body = r.choice([[], "x", ["$", "id"], ["medida", ["$"]], ["medida", ["$", "id", 1]], ["$", "nadie"]])
    if parameters == usable and r.random() < 0.9:
        used = compact([guards, body])
        parameters = usable = [p for p in usable if compact(hole(p)) in used] or usable
    return ["defmacro", name, parameters, guards, body], usable


def macro_inputs(r: random.Random):
    for _ in range(400):
        declared, earlier = [], [("ninguno", ["id", "rel", "al", "cond", "porque", "segun", "ambito", "alcance"]),
                                 ("peor", ["id", "rel", "al", "expr", "lim", "porque", "segun", "ambito", "alcance"])]
        for _ in range(r.choice([1, 1, 2, 3])):
            tree, parameters = declaration(r, earlier)
            declared.append(tree)
            if isinstance(tree[1], str):
                earlier.append((tree[1], parameters))
        if r.random() < 0.05:
            declared.append(["defmacro", "bucle", ["id"], [], [r.choice(["bucle", "uno"]), hole("id")]])
            earlier.append(("bucle", ["id"]))
        name, wanted = r.choice(earlier[-2:])
        arguments = [r.choice(ARGUMENTS.get(p, ["x"])) for p in wanted]
        roll = r.random()
        if roll < 0.25 and len(arguments) > 1:
            # As an invocation that is older than the parameters before the last.
            arguments = [*arguments[:-1 - r.randint(1, 3)], arguments[-1]]
        elif roll < 0.3:
            arguments.append(1)
        yield {"macros": declared, "uso": [name, *arguments]}


# ---- forms ----

def relation_tree(r: random.Random):
    def field(name=None):
        kind = r.choice(["texto", "entero", "flotante", "booleano"])
        unit = "sin_unidad" if kind in ("texto", "booleano") else r.choice(["sin_unidad", "cm", "°C", "kg/m2"])
        out = ["campo", name or r.choice(["n", "m", "peso", "a1"]), kind, unit]
        if r.random() < 0.04:
            out[r.randrange(4)] = r.choice(["", " ", "N", "dos palabras", "[cm]", 1, None, "ñ"])
        return out
    common = [["campo", "clase", "texto", "sin_unidad"], *[field() for _ in range(r.choice([0, 1, 1, 2]))]]
    if r.random() < 0.1:
        common = common[1:]
    tree = ["relacion", r.choice(["caja", "lote_2"]), ["campos", *common]]
    if r.random() < 0.4:
        kinds = r.sample(["x", "dos palabras", "ñ", "y1"], r.randint(1, 3))
        if r.random() < 0.1:
            kinds.append(kinds[0])
        entries = [["variante", kind, *[field(r.choice(["largo", "ancho", "n"])) for _ in range(r.choice([1, 1, 1, 1, 2, 2, 0]))]] for kind in kinds]
        tree.append(["variantes", r.choice(["clase"] * 12 + ["n", "nadie"]), *entries])
    tree.append(["alcance", r.choice(["no ve más", " con blancos ", "línea\nrota", "", " ", 1] if r.random() < 0.2 else ["no ve más"])])
    roll = r.random()
    if roll < 0.05:
        tree = r.choice([tree[:-1], tree[1:], [*tree, 1], {}, "x", [], [tree[0], "Mal", *tree[2:]], [tree[0], "", *tree[2:]]])
    return tree


def case_tree(r: random.Random):
    rows = [{"n": r.choice([1, 2.5, "a", True, None, [1], {"k": 1}]), "t": r.choice(["a", "ñ", ""])} for _ in range(r.randint(0, 2))]
    if rows and r.random() < 0.3:
        rows[0].pop("t")
    if r.random() < 0.3:
        rows.insert(0, ["clave", r.choice([["n"], ["n", "t"], []])])
    tree = {
        "id": r.choice(["1", "01-a", "a-1-b"]), "fecha": "2026-01-02",
        "origen": {"tipo": "prueba", **({r.choice(["repo", "zeta", "plan"]): r.choice(["x", 1, None])} if r.random() < 0.5 else {})},
        **({"procedencia": r.choice(["observada", "construida", "generada"])} if r.random() < 0.5 else {}),
        "titulo": "t", "etiqueta": r.choice(["falso_verde", "falso_rojo", "verde_correcto", "deuda_de_diseño", "medida_correcta_conclusion_errada"]),
        **({"espera": "sin_evidencia"} if r.random() < 0.2 else {}),
        "sintoma": r.choice(["s", "dos\nlíneas", "a\n  b"]), "como_se_detecto": r.choice(["mutacion", "persona", "accidente"]),
        "medida": r.choice(["a.b", None]), "evidencia": {"caja": rows, **({"vacia": []} if r.random() < 0.3 else {})}, "leccion": "l",
    }
    roll = r.random()
    if roll < 0.35:
        member = r.choice(list(tree))
        change = r.choice(["drop", "null", "number", "text", "more", "hash"])
        if change == "drop":
            tree.pop(member)
        elif change == "more":
            tree["otro"] = 1
        else:
            tree[member] = {"null": None, "number": 7, "text": r.choice(["", "X", "ñ", "a b"]), "hash": "# no"}[change]
    return r.choice([[], "x", 1, None]) if roll > 0.98 else tree


def requirement(r: random.Random, depth: int = 0):
    """A condition, many of them of a kind that `requiere` does not take."""
    roll = r.random()
    if depth < 2 and roll < 0.3:
        return [r.choice(["y", "o"]), *(requirement(r, depth + 1) for _ in range(r.choice([2, 2, 3, 1])))]
    if depth < 2 and roll < 0.45:
        return ["no", requirement(r, depth + 1)]
    field = ["campo", r.choice(["x"] * 9 + ["z"]), "n"]
    return r.choice([["==", field, 1], ["<", field, ["mas", field, 1]], ["==", ["contiene", field, "a"], True], True, ["contiene", field, "a"],
                     ["cerca", field, 1], field, 1, "a", None, ["hecho", "x"], ["==", ["col", "k"], 1], ["f", field], ["==", field], []]
                    if r.random() < 0.2 else [["==", field, 1], ["<", field, 2], ["!=", field, "a"]])


def requiring(r: random.Random) -> list:
    entries = [["filas", r.choice(["caja", "lote", "lote"]), "x", requirement(r)] for _ in range(r.choice([1, 1, 2]))]
    if r.random() < 0.3:
        entries.insert(r.randrange(len(entries) + 1), r.choice(["caja", "otra", "ñ", "", " "]))
    return ["medida", "a.b", ["desde", ["de", "caja", "x"]], ["resumen", "contar", 1], ["umbral", "<=", 0, "p"],
            ["requiere", *entries], ["alcance", "q"]]


ANY = [0, 1, 2, -3, 10**20, 2**53 + 1, True, False, 0.5, -0.0, 1e16, 1e-7, 1e300, "", "a", "ab", "1", "ñandú", "a'b", "a\"b", "a'\"b", "\n\t\\",
       "\u00a0\u200b\u2028\x7f\ue000\U000f0000e\u0301", "None", "True", [], [1, "a"], ["a'b", None, 1.0], {}, {"k": "v", "a": [True]}, None]


def form_inputs(r: random.Random):
    for _ in range(500):
        yield {"clase": "escalar", "nombre": r.choice(["mas", "menos", "por", "cerca", "contiene", "contiene"]),
               "args": [r.choice(ANY), r.choice(ANY)]}
    for _ in range(300):
        yield {"clase": "medida", "datos": requiring(r)}
    for _ in range(350):
        yield {"clase": "relacion", "datos": relation_tree(r)}
    for _ in range(350):
        yield {"clase": "caso", "datos": case_tree(r)}
    numbers = ["0", "1", "2", "10", "1" * 30]
    odd = ["01", "", "-1", "1.0", "x", " 1", "٣"]
    for _ in range(160):
        major, minor = (r.choice((["1", "0"] * 2 + numbers) if r.random() < 0.85 else odd) for _ in range(2))
        yield {"clase": "version", "texto": major + (r.choice([".", ".", ".", ".", "", ","])) + minor}


# ---- projects ----

def measure_text(name: str, scope: str | None, use: str = "ninguno") -> str:
    scope_line = f"    ambito {scope}\n" if scope else "    ambito sin_declarar\n"
    if use == "medida":
        return (f"medida {name}:\n    de caja x\n    resumen contar(1)\n    umbral <= 0 segun tanteo\n"
                + (f"    ambito {scope}\n" if scope else "") + "    alcance \"q\"\n")
    return (f"{use} {name}:\n    de caja x\n    donde x.n < 0\n    umbral <= 0 segun contrato porque \"p\"\n"
            f"{scope_line}    alcance \"q\"\n")


OWN_MACRO = ("defmacro propia(id, predicado, alcance):\n    medida $id:\n        de caja x\n        donde $predicado\n"
             "        resumen contar(1)\n        umbral <= 0 segun tanteo\n        alcance $alcance\n")

OVER_OWN = "defmacro sobre-propia(id, alcance):\n    propia $id:\n        donde x.n < 0\n        alcance $alcance\n"


def configuration(r: random.Random) -> str:
    config = {"esquema": "oracle.proyecto/v1"}
    if r.random() < 0.5:
        config["catalogo_base"] = r.choice([None, 1, "true"] if r.random() < 0.08 else [True, False])
    for key in ("algebra", "sintaxis"):
        if r.random() < 0.3:
            config[key] = r.choice(["1.0", None]) if r.random() < 0.7 else r.choice(
                ["1.1", "2.0", "0.9", "1", "01.0", 1.0, "", [], "1.0 "])
    if r.random() < 0.3:
        config["perfiles"] = r.choice([[], ["python"]]) if r.random() < 0.7 else r.choice(
            [["python", "python"], ["nadie"], ["Python"], "python", [1], None])
    if r.random() < 0.15:
        config["bibliotecas"] = r.choice([[], [], [], ["a.b"], ["a"], "a.b", ["a.b", "a.b"], None])
    if r.random() < 0.4:
        entry = r.choice([{"desde": "2026-01-01", "porque": "x"}, {}, {"cota": 0}, {"cota": 3, "otro": 1}] * 4 + [{"cota": -1}, {"cota": True},
                          {"cota": 1.5}, {"cota": None}, {"cota": 10**20}, {"desde": 1}, {"porque": None}, [], "x"])
        config["sombra"] = {r.choice(["a.uno", "nadie"]): entry} if r.random() < 0.9 else r.choice([{"": entry}, {" ": entry}, [], None])
    roll = r.random()
    if roll < 0.06:
        config["esquema"] = r.choice(["oracle.proyecto/v2", "", 1])
    if roll > 0.97:
        return r.choice(["", "{", "[]", "null", "1", "\"x\"", "{} {}"])
    if r.random() < 0.1:
        config["otro"] = [1]
    return compact(config)


def project_inputs(r: random.Random):
    for _ in range(330):
        files: dict[str, str] = {}
        if r.random() < 0.75:
            files["oracle.json"] = configuration(r)
        own = r.random() < 0.4
        if own:
            files["macros/a.oracle"] = OWN_MACRO
            if r.random() < 0.5:
                files[r.choice(["macros/b.oracle", "macros/sub/b.oracle", "macros/0.oracle"])] = OVER_OWN
            if r.random() < 0.15:
                files["macros/c.oracle"] = r.choice([OWN_MACRO, OWN_MACRO.replace("propia", "ninguno"), "defmacro x(id):\n", "hola\n", ""])
        for name in r.sample(["a.uno", "a.dos", "b.tres", "meta.unir_conmuta"], r.randint(0, 3)):
            folder = r.choice(["catalogos", "catalogos/a", "catalogos/x/y"])
            scope = r.choice(["universal", "del_origen", None])
            use = r.choice(["ninguno", "ninguno", "medida"])
            text = measure_text(name, scope, use)
            if own and r.random() < 0.5:
                text = r.choice([f"propia {name}:\n    donde x.n < 0\n    alcance \"q\"\n", f"sobre-propia {name}:\n    alcance \"q\"\n"])
            extension = "oracle"
            if r.random() < 0.2:
                extension = "json"
                text = compact(r.choice([
                    ["medida", name, ["desde", ["de", "caja", "x"]], ["resumen", "contar", 1], ["umbral", "<=", 0, "p"], ["alcance", "q"]],
                    ["ninguno", name, "caja", "x", True, "p", "q"], ["ninguno", name, "caja", "x", True, "p", "tanteo", "universal", "q"],
                    ["propia", name, True, "q"], ["medida", name], {"medida": name}]))
            if r.random() < 0.06:
                text = r.choice([text.replace("    ", "   ", 1), text + "\n", text.replace("\n", "\r\n"), "# nota\n" + text, text[:-1],
                                 "sintaxis 1.0\n" + text, "sintaxis 3.0\n" + text])
            files[f"{folder}/{name if r.random() < 0.9 else 'otro'}.{extension}"] = text
        if r.random() < 0.08:
            files["catalogos/repetida.oracle"] = measure_text("a.uno", "universal")
        if r.random() < 0.2:
            files["catalogos/leeme.md"] = "nada"
        if r.random() < 0.2:
            files[f"relaciones/{r.choice(['caja', 'otra'])}.relacion"] = r.choice([
                "relacion caja:\n    n: entero sin_unidad\n    alcance \"q\"\n", "relacion corrida:\n    n: entero sin_unidad\n    alcance \"q\"\n",
                "relacion caja:\n    n: entero\n    alcance \"q\"\n", "relacion caja:\n    n: entero sin_unidad\n    alcance  \"q\"\n"])
        yield {"archivos": files}
