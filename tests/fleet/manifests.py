#!/usr/bin/python3
"""Holds manifests against the types of the Kubernetes API, as its Python client has them from the API's own schema: every
field is known and of its type, what is required is there; and that the parts of a Job belong together.

    manifests.py FILE...              check; exit 1 if anything is wrong
    manifests.py --arguments FILE     the arguments of the Job's container, one a line
    manifests.py --completions FILE   how many tasks the Job has
"""
import pathlib
import re
import sys

import kubernetes.client
import yaml

KINDS = {("batch/v1", "Job"): "V1Job", ("v1", "PersistentVolumeClaim"): "V1PersistentVolumeClaim"}
QUANTITY = re.compile(r"^[0-9]+(\.[0-9]+)?(m|k|[KMGTPE]i?)?$")
faults = []


def check(value, kind, where):
    """`kind` as the client writes it: V1Job, str, int, bool, list[X], dict(str, X)."""
    if inner := re.fullmatch(r"list\[(.*)\]", kind):
        if not isinstance(value, list):
            return faults.append(f"{where}: no list")
        for number, item in enumerate(value):
            check(item, inner[1], f"{where}[{number}]")
    elif inner := re.fullmatch(r"dict\(str, (.*)\)", kind):
        if not isinstance(value, dict):
            return faults.append(f"{where}: no mapping")
        for key, item in value.items():
            check(item, inner[1], f"{where}.{key}")
            if where.endswith((".requests", ".limits")) and not QUANTITY.match(item):
                faults.append(f"{where}.{key}: {item} is no quantity")
    elif kind in ("str", "int", "bool"):
        if type(value) is not {"str": str, "int": int, "bool": bool}[kind]:
            faults.append(f"{where}: {value!r} is no {kind}")
    elif kind in ("object", "datetime"):
        pass
    else:
        check_object(value, getattr(kubernetes.client, kind), where)


def check_object(value, model, where):
    if not isinstance(value, dict):
        return faults.append(f"{where}: no mapping")
    names = {json: name for name, json in model.attribute_map.items()}
    for key, item in value.items():
        if key not in names:
            faults.append(f"{where}.{key}: {model.__name__} has no such field")
        else:
            check(item, model.openapi_types[names[key]], f"{where}.{key}")
    # The client's own check of what is required.
    try:
        configuration = kubernetes.client.Configuration()
        configuration.client_side_validation = True
        model(local_vars_configuration=configuration, **{names[key]: item for key, item in value.items() if key in names})
    except ValueError as error:
        faults.append(f"{where}: {error}")


def check_job(job, where):
    spec = job["spec"]
    pod = spec["template"]["spec"]
    if pod.get("restartPolicy") not in ("Never", "OnFailure"):
        faults.append(f"{where}: restartPolicy of a Job is Never or OnFailure")
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    for container in pod["containers"]:
        mounts = {mount["name"] for mount in container.get("volumeMounts", [])}
        if mounts != volumes:
            faults.append(f"{where}: volumes {sorted(volumes)} and mounts {sorted(mounts)} differ")
        words = container["args"]
        if "--task" in words and spec.get("completionMode") != "Indexed":
            faults.append(f"{where}: the tasks have no index without completionMode Indexed")
        if "--task" in words and words[words.index("--task") + 1] != f"/{spec.get('completions')}":
            faults.append(f"{where}: --task is not the number of completions")
    if spec.get("completionMode") == "Indexed" and not spec.get("completions"):
        faults.append(f"{where}: an Indexed Job needs completions")


def read(path):
    return yaml.safe_load(pathlib.Path(path).read_text(encoding="utf-8"))


def main(arguments):
    if arguments[0] == "--arguments":
        print("\n".join(read(arguments[1])["spec"]["template"]["spec"]["containers"][0]["args"]))
        return 0
    if arguments[0] == "--completions":
        print(read(arguments[1])["spec"]["completions"])
        return 0
    for path in arguments:
        manifest = read(path)
        model = KINDS.get((manifest.get("apiVersion"), manifest.get("kind")))
        if not model:
            faults.append(f"{path}: {manifest.get('apiVersion')} {manifest.get('kind')} is not expected here")
            continue
        check(manifest, model, path)
        if manifest["kind"] == "Job" and not faults:
            check_job(manifest, path)
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main(sys.argv[1:]))
