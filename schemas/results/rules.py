from parts import *

RULES = array(record({
    "code": text(pattern="^APF[0-9]{3}$"),
    "name": text(pattern="^[a-z0-9-]+$"),
    "severity": word("info | warning | error", "unless settings say otherwise"),
    "group": text(minLength=1),
    "summary": text(minLength=1),
    "what": text(minLength=1),
    "why": text(minLength=1),
    "example": text("YAML that it finds", minLength=1),
    "instead": text("YAML, or a sentence", minLength=1),
}))

CLIENTS = array("what apfctl log finds about clients", record({
    "code": text(pattern="^CLIENT-[A-Z-]+$"),
    "summary": text(minLength=1),
    "what": text(minLength=1),
    "instead": text(minLength=1),
}))

SCHEMA = schema("apfctl rules -o json", either("What apfctl lint looks for, rule by rule.", {"rules": RULES}, {"clients": CLIENTS}))
