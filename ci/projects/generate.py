"""Projects over an installation: what they select, what they bring, what is wrong with them, and what is asked of them."""
from __future__ import annotations

import json
import random
from pathlib import Path

from environment import Installation, Reference, macro, measure, relation, write

TEXTS = ["", "x", "y", "ñandú", "línea\nrota", "a\u2028b", "z" * 30]


def value(r: random.Random, field: str, seen: list):
    """A value for a field, near what it is compared with."""
    roll = r.random()
    if roll < 0.01:
        return r.choice(["", 1.5, 10**20])
    if seen and roll < 0.75:
        near = r.choice(seen)
        if isinstance(near, bool):
            return r.random() < 0.5
        if isinstance(near, int):
            return near + r.randint(-1, 1)
        return near if r.random() < 0.7 else r.choice(TEXTS)
    return {"nombre": lambda: r.choice(TEXTS), "activo": lambda: r.random() < 0.5}.get(field, lambda: r.randint(-1, 4))()


def rows_for(r: random.Random, reads: dict) -> dict:
    """Evidence for what a measure reads, most of it whole."""
    fields = reads["campos"] or {"n": []}
    return {name: [{field: value(r, field, seen) for field, seen in fields.items() if r.random() > 0.003}
                   for _ in range(r.choice([0, 1, 2, 3, 5]))]
            for name in reads["relaciones"] if r.random() < 0.95}


class Selection:
    """A project that holds next to nothing and selects libraries."""

    def __init__(self, root: Path, chosen: list) -> None:
        self.chosen = chosen
        config = {"esquema": "oracle.proyecto/v1", "catalogo_base": True, "bibliotecas": [library.id for library in chosen]}
        write(root / "oracle.json", json.dumps(config))
        write(root / "catalogos/casa.json", json.dumps(measure(random.Random(0), "casa.m0", ["item"])))

    def requests(self) -> list[tuple[str, dict]]:
        text = {"texto": "ninguno suelta.m:\n    de item a\n    donde a.n < 0\n    umbral <= 0 segun contrato\n"
                         "    ambito universal\n    alcance \"no ve más\"\n", "formato": "oracle"}
        facts = {"item": [{"n": -1, "nombre": "x", "activo": False}, {"n": 3, "nombre": "", "activo": True}]}
        found: list[tuple[str, dict]] = [("catalogo", {}), ("evaluar", {"medida": text, "evidencia": facts}),
                                         ("juzgar", {"evidencia": facts}), ("desafiar", {"medida": {"id": "casa.m0"}})]
        for library in self.chosen:
            found += [("catalogo", {"ids": [mid]}) for mid in library.ids]
            found.append(("evaluar", {"medida": {"id": library.ids[0]}, "evidencia": {**facts, library.relation: facts["item"]}}))
        return found


class Project:
    """One project, made from a seed."""

    def __init__(self, r: random.Random, root: Path, installation: Installation, reference: Reference) -> None:
        self.r, self.root, self.installation, self.reference = r, root, installation, reference
        self.kinds: set[str] = set()
        self.relations = ["item", "cosa"]
        (root / "catalogos").mkdir(parents=True)
        self.configure()
        self.macros = self.make_macros()
        self.make_relations()
        self.ids = self.make_measures()
        self.reads = reference.ask("reads", root, {}).get("ok", {})
        self.make_cases()
        self.make_differentials()
        self.spoil()

    def ask(self, op: str, **arguments):
        return self.reference.ask(op, self.root, arguments).get("ok")

    def configure(self) -> None:
        r, libraries = self.r, self.installation.libraries
        chosen = [library for library in libraries if r.random() < 0.6]
        r.shuffle(chosen)
        self.chosen = chosen
        self.config = {"esquema": "oracle.proyecto/v1", "catalogo_base": r.random() < 0.4,
                       "bibliotecas": [library.id for library in chosen]}
        if r.random() < 0.3:
            self.config["perfiles"] = ["python"]
        if r.random() < 0.03:
            self.config["bibliotecas"].append(r.choice(["nadie.ninguna", "Mal", chosen[0].id if chosen else "a.b"]))
        if r.random() < 0.03:
            self.config["perfiles"] = [r.choice(["rust", "../python", "python/", "Python"])]
        if r.random() < 0.06:
            self.config[r.choice(["algebra", "sintaxis"])] = r.choice(["1.0", "0.9", "1.1", "2.0", "1", 1, None])
        if r.random() < 0.9:
            self.write("oracle.json", json.dumps(self.config))
            self.selected = set(self.config["bibliotecas"])
        else:
            self.chosen, self.selected = [], set()

    def write(self, path: str, text: str) -> None:
        write(self.root / path, text)

    def make_macros(self) -> dict[str, list]:
        """The project's macros by name; some are written as text, some use others."""
        r, found = self.r, {}
        for number in range(r.choice([0, 0, 1, 2])):
            name = f"casa-pocos{number}"
            found[name] = macro(name, r.randint(0, 4))
        if found and r.random() < 0.5:
            first = found["casa-pocos0"]
            call = ["casa-pocos0", *(["$", p] for p in first[2])]
            call[5] = 1
            parameters = [p for p in first[2] if p != "tope"]
            found["casa-uno"] = ["defmacro", "casa-uno", parameters, [], call]
        if r.random() < 0.04:
            found["ninguno"] = macro("ninguno", 3)
        known = []
        for name, data in found.items():
            text = self.ask("print", datos=data, macros=known) if r.random() < 0.6 else None
            if text:
                self.write(f"macros/{name}.oracle", text)
            else:
                self.write(f"macros/{name}.json", json.dumps(data))
            known.append(data)
        return found

    def make_relations(self) -> None:
        r = self.r
        for name in self.relations:
            if r.random() < 0.6:
                data = relation(name)
                text = self.ask("relation", datos=data) if r.random() < 0.5 else None
                self.write(f"relaciones/{name}." + ("relacion" if text else "json"), text or json.dumps(data))
        if r.random() < 0.06:
            name = r.choice(["afirmacion", self.chosen[0].relation if self.chosen else "item", "Mal"])
            self.write("relaciones/z/otra.json", json.dumps(relation(name)))

    def invocation(self, mid: str) -> list:
        """A measure written by a macro: a standard one, the project's, or a library's."""
        r = self.r
        names = [*self.macros, *(library.macro for library in self.chosen if library.has_macro), "ninguno", "ninguno-requiere"]
        name = r.choice(names)
        predicate = [r.choice(["<", ">"]), ["campo", "a", "n"], r.randint(-1, 2)]
        tail = [r.choice(["", "porque sí"]), "contrato", r.choice(["universal", "del_origen"]), "no ve más"]
        middle = [r.choice([0, 1, 6])] if "pocos" in name else []
        data = [name, mid, r.choice(self.relations), "a", predicate, *middle, *tail]
        return data if r.random() < 0.97 else data[:-1]

    def make_measures(self) -> list[str]:
        r, ids = self.r, []
        known = [*self.macros.values(), *(macro(library.macro, 5) for library in self.chosen if library.has_macro)]
        for number in range(r.randint(1, 4)):
            mid = f"casa.m{number}"
            data = self.invocation(mid) if r.random() < 0.5 else measure(r, mid, self.relations)
            text = self.ask("print", datos=data, macros=known) if r.random() < 0.6 else None
            ids.append(mid)
            self.write(f"catalogos/{r.choice(['', 'a/', 'a-b/'])}{mid}." + ("oracle" if text else "json"), text or json.dumps(data))
        roll = r.random()
        if roll < 0.03:
            self.write("catalogos/z/otra.json", json.dumps(measure(r, r.choice(ids), self.relations)))
        elif roll < 0.06 and self.chosen:
            other = r.choice(self.chosen).ids[0]
            self.write(f"catalogos/{other}.json", json.dumps(measure(r, other, self.relations)))
        elif roll < 0.09:
            # Named as what others publish, whatever it is: it stops being inherited.
            other = r.choice(["proceso.verificacion_vigente", *(i for library in self.chosen for i in library.ids)])
            self.write(f"catalogos/{other}.json", json.dumps(measure(r, "casa.otra", self.relations)))
        return ids

    def states(self, mid: str, count: int) -> list[tuple[dict, str | None]]:
        """Evidences for a measure, each with what the reference says of it."""
        facts = [rows_for(self.r, self.reads[mid]) for _ in range(count)]
        return list(zip(facts, self.ask("states", id=mid, evidencias=facts) or [None] * count))

    def polarities(self, mid: str) -> tuple[list[dict], list[dict]]:
        """Evidence that leaves a measure green, and evidence that does not."""
        green, other = [], []
        for facts, state in self.states(mid, 12):
            if facts and state and len(green if state == "verde" else other) < 2:
                (green if state == "verde" else other).append(facts)
        return green, other

    def make_cases(self) -> None:
        r = self.r
        for number in range(r.choice([0, 1, 3, 6]) if self.reads else 0):
            mid = r.choice([*self.ids, *self.reads])
            facts, state = self.states(mid, 1)[0] if mid in self.reads else ({}, None)
            facts = facts or {"item": [{"n": 1}]}
            label = "verde_correcto" if (state == "verde") != (r.random() < 0.05) else "falso_verde"
            cid = f"{number:03d}-generado"
            data = {"id": cid, "fecha": "2026-09-01", "origen": {"tipo": "generado"}, "procedencia": "generada", "titulo": cid,
                    "etiqueta": label, "sintoma": "s", "como_se_detecto": "mutacion", "medida": mid, "evidencia": facts,
                    "leccion": "l"}
            if r.random() < 0.1:
                del data["medida"]
            if r.random() < 0.02 and number:
                data["id"] = "000-generado"
                self.kinds.add("caso-repetido")
            text = self.ask("case", datos=data) if r.random() < 0.5 else None
            self.write(f"corpus/{r.choice(['', 'a/'])}{cid}." + ("caso" if text else "json"), text or json.dumps(data))
        if r.random() < 0.03:
            self.write("corpus/999-roto.json", r.choice(["{", "[]", '{"id":"x"}']))

    def make_differentials(self) -> None:
        r = self.r
        mids = [mid for mid in [*self.ids, *(i for library in self.chosen for i in library.ids)] if mid in self.reads]
        if not mids or r.random() < 0.4:
            return
        self.write("emisor/uno.csv", "n\n1\n")
        self.write("emisor/sub/dos.csv", "n\n2\n")
        self.write("emisor/.oculto", "x")
        self.write("referencia.txt", "a mano\n")
        for number in range(r.choice([1, 1, 2])):
            mid = r.choice(mids)
            green, other = self.polarities(mid)
            if not green or not other:
                continue
            body = self.groups(mid, green, other) if r.random() < 0.6 else self.scenarios(mid, green, other)
            sources = {"emisor": r.choice([["emisor"], ["emisor/uno.csv"], ["emisor", "./emisor/sub"]]),
                       "referencia": r.choice([["referencia.txt"], ["referencia.txt", "emisor/sub"], ["emisor/.oculto"]]),
                       "configuracion": r.choice([{}, {"a": 1}, {"b": [1.5, None, "ñ"], "a": {"z": True}}]), "ids": [mid]}
            fresh = self.ask("freshness", **sources)
            if fresh is None:
                continue
            data = {"esquema": "oracle.diferencial/v1", "origen": "generado", "frescura": fresh, **body}
            self.spoil_differential(data)
            self.write(f"diferencial/{r.choice(['d', 'sub/e'])}{number}.json", json.dumps(data))

    def groups(self, mid: str, green: list, other: list) -> dict:
        cases = [{"esperado_ok": True, "evidencia": green[0]}, {"esperado_ok": False, "evidencia": other[0]}]
        self.r.shuffle(cases)
        return {"mundos": 2, "grupos": {mid: cases}}

    def scenarios(self, mid: str, green: list, other: list) -> dict:
        def scenario(number: int, ok: bool, facts: dict) -> dict:
            return {"id": f"e{number}", "referencia_ok": ok, "evidencia": facts,
                    "oracle_al_generar": {"global_ok": ok, "por_medida": {mid: ok if self.r.random() < 0.5 else {"ok": ok}}}}
        found = [scenario(0, True, green[0]), scenario(1, False, other[-1])]
        return {"mundos": 2, "medidas": [mid], "escenarios": found}

    def spoil_differential(self, data: dict) -> None:
        """What may be wrong with a fixture, by itself or because what it was generated from is another one."""
        r, fresh = self.r, data["frescura"]
        if r.random() < 0.55:
            return
        kind = r.choice(["huella", "emisor", "oculto", "configuracion", "catalogo", "falta", "enlace", "enlace-oculto", "mundos",
                         "esquema", "polaridad", "mas", "afuera", "arriba", "formato", "sin", "id"])
        if kind == "huella":
            fresh["huellas"][r.choice(list(fresh["huellas"]))] = r.choice(["0" * 64, "A" * 64, "", None])
        elif kind == "emisor":
            self.write("emisor/uno.csv", "n\n9\n")
        elif kind == "oculto":
            self.write("emisor/.otro", "nuevo")
            self.write("emisor/__pycache__/x.pyc", "nuevo")
        elif kind == "configuracion":
            fresh["configuracion"] = {"otra": 1}
        elif kind == "catalogo":
            mid = r.choice(self.ids)
            for path in self.root.glob(f"catalogos/**/{mid}.*"):
                path.unlink()
            self.write(f"catalogos/{mid}.json", json.dumps(measure(r, mid, self.relations)))
        elif kind == "falta":
            (self.root / "referencia.txt").unlink(missing_ok=True)
        elif kind in ("enlace", "enlace-oculto"):
            link = self.root / "emisor" / ("enlace" if kind == "enlace" else ".enlace")
            if not link.is_symlink():
                link.symlink_to(r.choice(["uno.csv", "/etc/hostname", "sub"]))
        elif kind == "mundos":
            data["mundos"] = r.choice([3, 0, True, "2"])
        elif kind == "esquema":
            data["esquema"] = "oracle.diferencial/v2"
        elif kind == "polaridad":
            for case in [c for cases in data.get("grupos", {}).values() for c in cases]:
                case["esperado_ok"] = True
        elif kind == "mas":
            fresh["huellas"]["otra"] = "0" * 64
        elif kind == "afuera":
            fresh["fuentes"]["emisor"] = r.choice([["../x"], ["/etc/hostname"], [""], [], ["."], ["emisor/../emisor"]])
        elif kind == "arriba":
            fresh["raiz_fuentes"] = ".."
            self.kinds.add("frescura-afuera")
        elif kind == "formato":
            data["grupos"], data["escenarios"] = {}, []
        elif kind == "sin":
            del data[r.choice(["origen", "frescura", "mundos"])]
        elif kind == "id":
            for scenario in data.get("escenarios", []):
                scenario["id"] = "e0"

    def spoil(self) -> None:
        """What may be wrong with the folders of a project."""
        r = self.r
        if r.random() > 0.08:
            return
        away = self.root.with_name(f"{self.root.name}-afuera")
        away.mkdir()
        (away / "x.json").write_text("[]")
        name = r.choice(["catalogos", "corpus", "diferencial", "macros", "relaciones", "oracle.json"])
        path = self.root / name
        if name == "oracle.json" or r.random() < 0.5:
            if path.exists():
                path.rename(away / name)
                path.symlink_to(away / name)
                self.kinds.add("enlace-en-carpeta")
        elif path.is_dir():
            (path / "enlace.json").symlink_to(away / "x.json")
            self.kinds.add("enlace-en-carpeta")

    def requests(self) -> list[tuple[str, dict]]:
        r = self.r
        effective = list(self.reads)
        found: list[tuple[str, dict]] = [("catalogo", {})]
        own = [mid for mid in effective if not mid.startswith(("meta.", "proceso.", "simulacion."))]
        others = [mid for mid in effective if mid not in own]
        asked = own + r.sample(others, min(3, len(others)))
        if asked:
            found.append(("catalogo", {"ids": asked}))
        stranger = r.choice(["casa.nadie", "proceso.modulo_alcanzable", "meta.donde_compone",
                             *(i for library in self.installation.libraries for i in library.ids)])
        found += [("catalogo", {"ids": [stranger]}), ("evaluar", {"medida": {"id": stranger}, "evidencia": {}})]
        facts: dict = {}
        for mid in asked:
            for _ in range(2):
                facts = rows_for(r, self.reads[mid])
                found.append(("evaluar", {"medida": {"id": mid}, "evidencia": facts}))
            found.append(("desafiar", {"medida": {"id": mid}, **self.ephemeral(mid)}))
            found.append(("juzgar", {"evidencia": facts}))
        for _ in range(3):
            found.append((r.choice(["evaluar", "desafiar"]), {"medida": {"texto": self.text(), "formato": "oracle"}}))
            if found[-1][0] == "evaluar":
                found[-1][1]["evidencia"] = facts or {"item": []}
        if own:
            found.append(("juzgar", {"evidencia": facts, "ids": [r.choice(own)]}))
        return found

    def ephemeral(self, mid: str) -> dict:
        """Cases of the call, most of which expect what is so."""
        cases = []
        for number, (facts, state) in enumerate(self.states(mid, self.r.choice([0, 2, 4]))):
            if state is None or self.r.random() < 0.05:
                state = self.r.choice(["verde", "rojo", "sin_evidencia"])
            cases.append({"id": f"e{number}", "espera": state, "evidencia": facts})
        if len(cases) > 1 and self.r.random() < 0.03:
            cases[1]["id"] = cases[0]["id"]
        return {"casos": cases, "usar_evidencia_del_proyecto": self.r.random() < 0.7}

    def text(self) -> str:
        """The text of a measure that lies in no file, mostly one that loads."""
        r = self.r
        known = [*self.macros.values(), *(macro(library.macro, 5) for library in self.chosen if library.has_macro)]
        data = self.invocation("suelta.m") if r.random() < 0.6 else measure(r, "suelta.m", self.relations)
        text = self.ask("print", datos=data, macros=known) or "medida suelta.m:\n"
        if r.random() < 0.1:
            at = r.randrange(len(text))
            text = text[:at] + r.choice(["", " ", "x", "\n", "#"]) + text[at + 1:]
        return text
