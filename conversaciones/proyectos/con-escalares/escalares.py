from nucleo.algebra import escalar


@escalar("redondeo", unidad="mm", unidades_argumentos=("mm",))
def redondeo(largo):
    return round(largo)
