from parts import *

SCHEMA = schema("apfctl validate -o json", record("What kube-apiserver would say to the objects of a configuration.", FINDINGS), {
    "finding": record(FINDING),
})
