"""The published implementation behind one JSON line per question, over the folder where it and its libraries are installed.

    python -I -S ci/projects/reference.py SITE

A question is {"op", "project", "arguments"}; an answer {"ok"}, {"error": CODE, "text"} or, where the implementation itself
breaks, {"crash"}. Nothing else of the machine's Python is importable: SITE is all that is installed.
"""
from __future__ import annotations

import json
import sys
from pathlib import Path

SITE = Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SITE))

import oracle_metalenguaje  # noqa: E402,F401

sys.path.insert(0, str(SITE / "oracle_metalenguaje"))

from nucleo import caso, mutacion, sintaxis  # noqa: E402
from nucleo import relacion as relaciones  # noqa: E402
from nucleo.diferencial import Procedencia, crear_frescura  # noqa: E402
from nucleo.fixtures import cargar_fixtures, casos_para_mutacion  # noqa: E402
from nucleo.macro import Macro, MacroMalDeclarada, macros_base  # noqa: E402
from nucleo.medida import Medida, cargar_catalogo, relaciones_de_medida  # noqa: E402
from nucleo.proyecto import (Proyecto, catalogo_efectivo, catalogos_a_cargar, macros_del_proyecto,  # noqa: E402
                             relaciones_del_proyecto)
from tools import mcp  # noqa: E402

# Codes that the contract's closed list does not have -> the one it has for the same thing.
CONTRACT = {"EVALUACION_FALLIDA": "EVALUACION_FALLO", "RELACIONES_INVALIDAS": "PROYECTO_INVALIDO",
            "CORPUS_INVALIDO": "PROYECTO_INVALIDO", "PROCEDENCIA_NO_ADMITIDA": "ARGUMENTOS_INVALIDOS"}


COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def words(verdict) -> str:
    return "sin_evidencia" if verdict.sin_evidencia else "verde" if verdict.ok else "rojo"


def own_cases(project: Proyecto, macros, measure: Medida) -> list[tuple]:
    """The cases of the corpus and of the differentials that name the measure: id, what it expects, evidence."""
    found = list(caso.cargar_casos(project.corpus))
    if project.diferencial.is_dir():
        loaded = cargar_catalogo(catalogos_a_cargar(project), macros=macros)
        paths = sorted(project.diferencial.glob("*.json"))
        fixtures, faults = cargar_fixtures(paths, raiz=project.raiz, catalogo=loaded)
        if faults:
            raise mcp.ErrorHerramienta("EVIDENCIA_INCOMPLETA", "; ".join(faults))
        for fixture in fixtures:
            found += casos_para_mutacion(fixture, loaded)
    ids = [c["id"] for c in found]
    if len(ids) != len(set(ids)):
        raise mcp.ErrorHerramienta("CASO_REPETIDO", "dos casos del proyecto")
    green = "verde_correcto"
    return [(c["id"], c.get("espera") or ("verde" if c["etiqueta"] == green else "rojo"), c["evidencia"])
            for c in found if c.get("medida") == measure.id]


def fate(measure: Medida, data, seen: list[tuple]) -> str:
    """What the cases do to one mutant; `seen` has each case's evidence and the original's verdict."""
    refused = False
    for evidence, before in seen:
        try:
            after = Medida.de_datos(data).evaluar(evidence)
        except Exception:
            refused = True
            continue
        if (after.ok, after.valor) != (before.ok, before.valor) or \
                mutacion._huella(after.testigos) != mutacion._huella(before.testigos):
            return "detectado"
    return "rechazado_por_el_algebra" if refused else "sobrevivio"


def challenge(project: Proyecto, arguments: dict) -> dict:
    """`oracle_desafiar` in the contract's shape, out of the implementation's own parts."""
    macros = macros_del_proyecto(project)
    asked = arguments["medida"]
    if "id" in asked:
        catalogue = mcp._cargar_catalogo(project, macros)
        if asked["id"] not in catalogue:
            raise mcp._error_id_ausente(asked["id"], project, catalogue)
        measure = catalogue[asked["id"]]
    else:
        measure = mcp._medida_en_memoria(asked, macros)
    cases = own_cases(project, macros, measure) if arguments.get("usar_evidencia_del_proyecto", True) else []
    own = len(cases)
    cases += [(c["id"], c["espera"], c["evidencia"]) for c in arguments.get("casos", [])]
    if len({c[0] for c in cases}) != len(cases):
        raise mcp.ErrorHerramienta("CASO_REPETIDO", "un caso de la llamada")
    mismatches, seen = [], []
    for cid, expected, evidence in cases:
        try:
            verdict = measure.evaluar(evidence)
            got = words(verdict)
            seen.append((evidence, verdict))
        except Exception:
            got = "error"
        if got != expected:
            told = "verde" if expected == "verde" else "rojo"
            mismatches.append({"caso": cid, "esperado": told, "obtenido": got})
    green = sum(expected == "verde" for _id, expected, _evidence in cases)
    fates = []
    if mismatches:
        conclusion = "original_no_reproduce"
    elif green in (0, len(cases)):
        conclusion = "faltan_polaridades"
    else:
        fates = [(name, fate(measure, data, seen)) for name, data in mutacion.mutantes(measure.a_datos())]
        left = {f for _name, f in fates}
        conclusion = ("sin_mutantes" if not fates else "sobrevivientes" if "sobrevivio" in left
                      else "sin_sobrevivientes_con_rechazos" if "rechazado_por_el_algebra" in left
                      else "todos_detectados_por_conducta")
    count = [f for _name, f in fates].count
    return {
        "esquema": "oracle.mcp/desafio/v1", "oracle_version": "", "proyecto": str(project.raiz), "entrada_sha256": "",
        "medida": measure.id, "conclusion": conclusion,
        "casos": {"total": len(cases), "del_proyecto": own, "efimeros": len(cases) - own, "esperan_verde": green,
                  "esperan_rojo": len(cases) - green},
        "discordancias": mismatches,
        "mutacion": {"generados": len(fates), "detectados_por_conducta": count("detectado"),
                     "rechazados_por_el_algebra": count("rechazado_por_el_algebra"),
                     "no_detectados": [{"cambio": n, "estado": f} for n, f in fates if f != "detectado"]},
        "advertencias": []}


def literals(node, found: dict) -> None:
    """Fields that a canonical form names, each with what it is compared with."""
    if not isinstance(node, list):
        return
    if len(node) == 3 and node[0] == "campo":
        found.setdefault(node[2], [])
    for a, b in ((node[1], node[2]), (node[2], node[1])) if len(node) == 3 and node[0] in COMPARISONS else ():
        if isinstance(a, list) and len(a) == 3 and a[0] == "campo" and not isinstance(b, list):
            found.setdefault(a[2], []).append(b)
    for item in node:
        literals(item, found)


def reads(project: Proyecto) -> dict:
    """Relations and fields of each measure that obliges."""
    found = {}
    for mid, measure in catalogo_efectivo(project).items():
        fields: dict = {}
        literals(measure.a_datos(), fields)
        known = [r if isinstance(r, str) else r[1] for r in measure.requiere]
        found[mid] = {"relaciones": sorted({*relaciones_de_medida(measure), *known}), "campos": fields}
    return found


def states(project: Proyecto, arguments: dict) -> list:
    """What a measure says of each of these evidences; nothing where it cannot be evaluated."""
    measure, found = catalogo_efectivo(project)[arguments["id"]], []
    for evidence in arguments["evidencias"]:
        try:
            found.append(words(measure.evaluar(evidence)))
        except Exception:
            found.append(None)
    return found


def catalogue(project: Proyecto, arguments: dict) -> dict:
    """`oracle_catalogo_efectivo` in the contract's shape: each entry of `requiere` is text, as its author wrote it."""
    told = mcp.catalogo_para_mcp(project, arguments)
    for row in told["medidas"]:
        if "requiere" in row:
            row["requiere"] = [e if isinstance(e, str) else f"{e[1]} {e[2]} donde {sintaxis._expr(e[3])}"
                               for e in row["requiere"]]
    return told


def judge(project: Proyecto, arguments: dict) -> dict:
    """`oracle_juzgar`; declared relations that do not load are no change of the project."""
    relaciones_del_proyecto(project)
    return mcp.juzgar_para_mcp(project, arguments)


def registry(arguments: dict):
    macros = macros_base()
    for data in arguments.get("macros", []):
        macros.declarar(Macro.de_datos(data))
    return macros


def freshness(project: Proyecto, arguments: dict) -> dict:
    loaded = cargar_catalogo(catalogos_a_cargar(project), macros=macros_del_proyecto(project))
    source = Procedencia(project.raiz, tuple(arguments["emisor"]), tuple(arguments["referencia"]))
    return crear_frescura(source, [loaded[mid] for mid in arguments["ids"]], arguments["configuracion"])


OPERATIONS = {
    "catalogo": catalogue, "evaluar": mcp.evaluar_para_mcp, "juzgar": judge, "desafiar": challenge,
    "freshness": freshness, "states": states,
    "reads": lambda project, _arguments: reads(project),
    "print": lambda _project, a: sintaxis.imprimir(a["datos"], macros=registry(a)),
    "case": lambda _project, a: caso.imprimir(a["datos"]),
    "relation": lambda _project, a: relaciones.imprimir(a["datos"]),
}

TOOLS = ("catalogo", "evaluar", "juzgar", "desafiar")


def answer(question: dict) -> dict:
    project = Proyecto(Path(question["project"]))
    try:
        if question["op"] in TOOLS:
            macros_del_proyecto(project)
        return {"ok": OPERATIONS[question["op"]](project, question["arguments"])}
    except mcp.ErrorHerramienta as e:
        return {"error": CONTRACT.get(e.codigo, e.codigo), "text": str(e)}
    except mcp.ProyectoInvalido as e:
        return {"error": "PROYECTO_INVALIDO", "text": str(e)}
    except MacroMalDeclarada as e:
        # A source that does not load, whichever tool meets it.
        return {"error": "CATALOGO_INVALIDO", "text": str(e)}
    except caso.CasoMalDeclarado as e:
        return {"error": "PROYECTO_INVALIDO", "text": str(e)}


def main() -> None:
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as e:  # noqa: BLE001  it broke: it claims nothing
            reply = {"crash": f"{type(e).__name__}: {e}"}
        print(json.dumps(reply, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
