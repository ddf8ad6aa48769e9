#!/usr/bin/env python3
"""The same events in every form in which shippers, stores and tools hand them on: apfctl reads the same requests.

usage: check.py APFCTL    (-w FOLDER: write the files and stop; -v: say what differs)
Each form says by which name apfctl log has to call it (format, or format and label); a form that is of no shipper has
none. The last line is "N passed, N failed".
"""
import base64
import bz2
import calendar
import csv
import gzip
import io
import json
import lzma
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

USERS = [
    ("system:serviceaccount:shop:web", ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"]),
    ("system:node:node-3.example", ["system:nodes", "system:authenticated"]),
    ("jane@example.com", ["dev-team", "system:authenticated"]),
    ("system:anonymous", ["system:unauthenticated"]),
]
REQUESTS = [
    ("get", "/api/v1/namespaces/shop/configmaps/web", {"resource": "configmaps", "namespace": "shop", "name": "web"}),
    ("list", "/api/v1/pods?limit=500&resourceVersion=0", {"resource": "pods"}),
    ("update", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-3.example?timeout=10s",
     {"resource": "leases", "namespace": "kube-node-lease", "name": "node-3.example", "apiGroup": "coordination.k8s.io"}),
    ("create", "/api/v1/namespaces/shop/pods", {"resource": "pods", "namespace": "shop"}),
    ("get", "/healthz", None),
]


def events():
    out = []
    for i in range(60):
        user, groups = USERS[i % 4]
        verb, uri, ref = REQUESTS[i % 5]
        code = 429 if i % 7 == 3 else 404 if i % 11 == 5 else 200
        event = {"kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata",
                 "auditID": f"00000000-0000-4000-8000-{i:012d}", "stage": "ResponseComplete", "requestURI": uri,
                 "verb": verb, "user": {"username": user, "groups": groups}, "sourceIPs": [f"10.0.0.{i % 9}"],
                 "userAgent": f"client{i % 3}/v1.2 (linux/amd64)"}
        if ref:
            event["objectRef"] = dict(ref, apiVersion="v1")
        event["responseStatus"] = {"metadata": {}, "code": code}
        # Priority and Fairness refuses within a millisecond, before the request is authorized.
        took = 1000 if code == 429 else 20000
        event["requestReceivedTimestamp"] = f"2026-09-08T14:15:{i // 4:02d}.{i % 4 * 250000 + 44049 - took:06d}Z"
        event["stageTimestamp"] = f"2026-09-08T14:15:{i // 4:02d}.{i % 4 * 250000 + 44049:06d}Z"
        if code != 429:
            event["annotations"] = {"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""}
        out.append(event)
    return out


EVENTS = events()
COMPACT = [json.dumps(e, separators=(",", ":")) for e in EVENTS]
TIME = [e["stageTimestamp"] for e in EVENTS]


def lines(of):
    return "".join(of(i) + "\n" for i in range(len(EVENTS)))


def records(of, **how):
    return lines(lambda i: json.dumps(of(i), **how))


def encoded(text, pack=True):
    return base64.b64encode(gzip.compress(text.encode(), mtime=0) if pack else text.encode()).decode()


def subscribed(part):
    return json.dumps({"messageType": "DATA_MESSAGE", "logStream": "a", "logEvents": [
        {"id": "1", "timestamp": 1, "message": line} for line in COMPACT[part:part + 9]]})


def pieces(text, count=4):
    size = len(text) // count + 1
    return [text[at:at + size] for at in range(0, len(text), size)]


def marked(pod, of):
    return [json.dumps({"stream": "stdout", "logtag": "F" if piece is of[-1] else "P", "message": piece,
                        "kubernetes": {"pod_name": f"kube-apiserver-{pod}"}}) + "\n" for piece in of]


def datadog(i):
    event = dict(EVENTS[i])
    event["http"] = {"method": event.pop("verb"), "status_code": event.pop("responseStatus")["code"],
                     "useragent": event.pop("userAgent"), "url_details": {"path": event["requestURI"].split("?")[0]}}
    event["network"] = {"client": {"ip": event.pop("sourceIPs")[0]}}
    event["usr"] = {"id": event["user"]["username"], "name": event["user"]["username"]}
    del event["apiVersion"]
    return event


def ocsf(i):
    event = EVENTS[i]

    def time(text):
        return text.replace("T", " ").removesuffix("Z")
    return {"activity_id": 2, "actor": {"user": {"groups": [{"name": g} for g in event["user"]["groups"]],
                                                 "name": event["user"]["username"]}},
            "api": {"operation": event["verb"], "request": {"uid": event["auditID"]},
                    "response": {"code": event["responseStatus"]["code"]}, "version": "v1"},
            "class_name": "API Activity", "class_uid": 6003,
            "http_request": {"url": {"path": event["requestURI"]}, "user_agent": event["userAgent"]},
            "message": "ResponseComplete", "metadata": {"product": {"name": "Amazon EKS", "version": "audit.k8s.io/v1"}},
            "src_endpoint": {"ip": event["sourceIPs"][0]}, "start_time_dt": time(event["requestReceivedTimestamp"]),
            "time": 1788877000044 + i, "time_dt": time(event["stageTimestamp"])}


def fields(i):
    def whole(value):
        return value if isinstance(value, list) else [value]
    return {name: whole(value) for name, value in flat(EVENTS[i], ".", "kubernetes.audit").items()}


def prefix(text):
    return lines(lambda i: (text(i) if callable(text) else text) + COMPACT[i])


def flat(value, separator=".", name=""):
    out = {}
    for key, member in value.items():
        whole = name + separator + key if name else key
        if isinstance(member, dict):
            out.update(flat(member, separator, whole))
        else:
            out[whole] = member
    return out


def indexed(value):
    out = {}
    for key, member in flat(value).items():
        if isinstance(member, list):
            out.update({f"{key}.{i}": element for i, element in enumerate(member)})
        else:
            out[key] = member
    return out


def table(rows, names, delimiter=",", quoting=csv.QUOTE_MINIMAL, header=True, end="\n"):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=end)
    if header:
        writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue()


def aks(i, text):
    e = EVENTS[i]
    pack = json.dumps if text else (lambda value: value)
    return {"TimeGenerated": TIME[i], "Level": "Metadata", "AuditId": e["auditID"], "Stage": e["stage"],
            "RequestUri": e["requestURI"], "Verb": e["verb"], "User": pack(e["user"]), "SourceIps": pack(e["sourceIPs"]),
            "UserAgent": e["userAgent"], "ObjectRef": pack(e.get("objectRef", {})),
            "ResponseStatus": pack(e["responseStatus"]), "RequestReceivedTime": e["requestReceivedTimestamp"],
            "StageReceivedTime": e["stageTimestamp"], "Annotations": pack(e.get("annotations", {})), "PodName": "kube-apiserver-5f",
            "Type": "AKSAudit"}


def sls(i):
    return {key: json.dumps(member) if isinstance(member, (dict, list)) else member for key, member in EVENTS[i].items()}


def repeated(i):
    """As an aggregated API server logs it: later received, earlier done."""
    received, done = EVENTS[i]["requestReceivedTimestamp"], EVENTS[i]["stageTimestamp"]
    return dict(EVENTS[i], requestReceivedTimestamp=received[:-3] + "51Z", stageTimestamp=done[:-3] + "47Z")


def klog(i):
    e = EVENTS[i]
    verb = {"get": "GET", "list": "LIST", "update": "PUT", "create": "POST"}[e["verb"]]
    at = e["stageTimestamp"][11:26]
    return (f'I0908 {at}       1 httplog.go:134] "HTTP" verb="{verb}" URI="{e["requestURI"]}" latency="20ms" '
            f'userAgent="{e["userAgent"]}" audit-ID="{e["auditID"]}" srcIP="{e["sourceIPs"][0]}:33" '
            f'resp={e["responseStatus"]["code"]}')


def klog_json(i):
    """The same with --logging-format=json, where the first lines are of other things."""
    e = EVENTS[i]
    seconds = calendar.timegm(time.strptime(e["stageTimestamp"][:19], "%Y-%m-%dT%H:%M:%S"))
    line = {"ts": seconds * 1000 + int(e["stageTimestamp"][20:26]) / 1000, "caller": "httplog/httplog.go:134", "msg": "HTTP", "v": 3,
            "verb": {"get": "GET", "list": "LIST", "update": "PUT", "create": "POST"}[e["verb"]], "URI": e["requestURI"],
            "latency": "20ms", "userAgent": e["userAgent"], "audit-ID": e["auditID"], "srcIP": e["sourceIPs"][0] + ":33",
            "resp": e["responseStatus"]["code"]}
    return json.dumps(line, separators=(",", ":"))


FLAG = '{"ts":1788876900000.1,"caller":"flag/flags.go:64","msg":"FLAG: --secure-port=\\"6443\\"","v":1}'


def klog_json_lines(of):
    """Behind as many lines of flags as a log begins with."""
    return "".join(of(text, i) + "\n" for i, text in enumerate([FLAG] * 200 + [klog_json(i) for i in range(len(EVENTS))]))


ROWS = [list(flat(e).items()) for e in EVENTS]
FLAT_NAMES = sorted({name for row in ROWS for name, _ in row})
FLAT_ROWS = [[", ".join(v) if isinstance(v, list) else v for v in (dict(row).get(name, "") for name in FLAT_NAMES)]
             for row in ROWS]
SQL_NAMES = [name.replace(".", "_").lower() for name in FLAT_NAMES]
# As Splunk names what has several values.
SPLUNK_ROWS = [{name + ("{}" if name in ("user.groups", "sourceIPs") else ""): dict(row).get(name, "") for name in FLAT_NAMES}
               for row in ROWS]
AKS_NAMES = list(aks(0, True))
AKS_ROWS = [list(aks(i, True).values()) for i in range(60)]
LIST = {"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "metadata": {}, "items": EVENTS}

FORMS = {
    # Lines and documents.
    "plain": (lines(lambda i: COMPACT[i]), "audit"),
    "crlf": ("".join(line + "\r\n" for line in COMPACT), "audit"),
    "spaced": (records(lambda i: EVENTS[i]), "audit"),
    "sorted-members": (records(lambda i: EVENTS[i], sort_keys=True), "audit"),
    "pretty": ("\n".join(json.dumps(e, indent=2) for e in EVENTS), "audit"),
    "array": (json.dumps(EVENTS), "audit"),
    "array-pretty": (json.dumps(EVENTS, indent=4), "audit"),
    "array-of-lines": ("[\n" + ",\n".join(COMPACT) + "\n]\n", "audit"),
    "event-list": (json.dumps(LIST), "audit"),
    "event-list-pretty": (json.dumps(LIST, indent=1), "audit"),
    "commas-behind": (lines(lambda i: COMPACT[i] + ","), "audit"),
    "commas-before": (lines(lambda i: ("," if i else "") + COMPACT[i]), "audit"),
    "without-newlines": ("".join(COMPACT), "audit"),
    "without-newlines-spaced": (" ".join(json.dumps(e) for e in EVENTS), "audit"),
    "json-sequence": ("".join("\x1e" + line + "\n" for line in COMPACT), "audit"),
    "bom": ("\ufeff" + lines(lambda i: COMPACT[i]), "audit"),
    # Behind prefixes.
    "cri": (prefix(lambda i: TIME[i] + " stdout F "), "audit"),
    "timestamps": (prefix(lambda i: TIME[i] + " "), "audit"),
    "kubectl-prefix": (prefix("[pod/kube-apiserver-cp1/kube-apiserver] "), "audit"),
    "compose": (prefix("name-1  | "), "audit"),
    "journal": (prefix("Sep 08 14:15:00 cp-1 kube-apiserver[7]: "), "audit"),
    "syslog-rfc5424": (prefix(lambda i: f"<14>1 {TIME[i]} cp-1 kube-apiserver 7 - - "), "audit"),
    "syslog-pri": (prefix("<134>Sep  8 14:15:00 cp-1 audit: "), "audit"),
    "grep-n": (prefix(lambda i: f"{i + 1}:"), "audit"),
    "grep-H": (prefix("audit.log:"), "audit"),
    "grep-Hn": (prefix(lambda i: f"/var/log/kubernetes/audit.log:{i + 1}:"), "audit"),
    "oc-node-logs": (prefix("master-0.example "), "audit"),
    "talosctl": (prefix("172.20.0.2: "), "audit"),
    "stern": (prefix("kube-apiserver-cp1 kube-apiserver "), "audit"),
    "fluentd-out-file": (prefix(lambda i: f"{TIME[i]}\tkube.audit\t"), "audit"),
    "fluentd-out-file-record": (lines(lambda i: f"{TIME[i]}\tkube.audit\t" + json.dumps({"log": COMPACT[i]})), "audit"),
    "fluent-bit-stdout": (lines(lambda i: f"[{i}] kube.audit: [[1788877000.044{i:06d}, {{}}], " + '{"log"=>' +
                                json.dumps(COMPACT[i]) + "}]"), "audit"),
    "logcli-default": (prefix(lambda i: f'{TIME[i]} {{pod="a", job="audit"}} '), "audit"),
    "logfmt": (lines(lambda i: f"ts={TIME[i]} level=info msg=" + json.dumps(COMPACT[i])), "audit"),
    "go-log": (prefix("2026/09/08 14:15:00 "), "audit"),
    "python-repr": (lines(lambda i: f"b'{COMPACT[i]}'"), "audit"),
    # Records of shippers and stores.
    "docker": (records(lambda i: {"log": COMPACT[i] + "\n", "stream": "stdout", "time": TIME[i]}),
               "fluent-bit (json-file log of a container runtime)"),
    "fluent-bit": (records(lambda i: {"date": 1.5, "log": COMPACT[i], "kubernetes": {"host": "cp-1"}}), "fluent-bit"),
    "fluent-bit-object": (records(lambda i: {"date": 1.5, "log": EVENTS[i]}), "fluent-bit"),
    "fluent-bit-array": (json.dumps([{"date": 1.5, "log": line} for line in COMPACT]), "fluent-bit"),
    "filebeat": (records(lambda i: {"@timestamp": TIME[i], "@metadata": {"beat": "filebeat"}, "log": {"offset": i, "file": {
        "path": "/var/log/audit.log"}}, "message": COMPACT[i], "host": {"name": "cp-1"}}), "elastic (Filebeat)"),
    "filebeat-decoded": (records(lambda i: {"@timestamp": TIME[i], "json": EVENTS[i], "host": {"name": "cp-1"}}),
                         "elastic (Filebeat)"),
    "elastic-agent": (records(lambda i: {"@timestamp": TIME[i], "kubernetes": {"audit": EVENTS[i]},
                                         "event": {"original": COMPACT[i]}}), "elastic (Elastic Agent)"),
    "elastic-hits": (json.dumps({"took": 1, "hits": {"total": {"value": 60}, "hits": [
        {"_index": "x", "_source": {"kubernetes": {"audit": e}}} for e in EVENTS]}}), "elastic"),
    "elastic-dump": (records(lambda i: {"_index": "x", "_source": {"message": COMPACT[i]}}), "elastic"),
    "elastic-dotted": (records(lambda i: {"@timestamp": TIME[i], **flat(EVENTS[i], ".", "kubernetes.audit")}), "elastic"),
    "kibana-csv": (table([[t] + row for t, row in zip(TIME, FLAT_ROWS)], ["@timestamp"] + [
        "kubernetes.audit." + name for name in FLAT_NAMES]), "elastic"),
    "victorialogs": (records(lambda i: {"_msg": "audit", "_stream": '{job="audit"}', "_time": TIME[i], **{
        key: v if isinstance(v, str) else json.dumps(v) for key, v in flat(EVENTS[i], ".", "audit").items()}}),
        "wrapped (VictoriaLogs)"),
    "graylog": (records(lambda i: {"gl2_remote_ip": "10.0.0.9", "message": "x", **EVENTS[i]}), "audit (Graylog)"),
    "graylog-flat": (records(lambda i: {"gl2_remote_ip": "10.0.0.9", "message": "x", **{
        key: ", ".join(v) if isinstance(v, list) else v for key, v in flat(EVENTS[i], "_").items()}}), "audit (Graylog)"),
    "vector": (records(lambda i: {"source_type": "file", "host": "cp-1", "message": COMPACT[i]}), "wrapped (Vector)"),
    "indexed-members": (records(lambda i: indexed(EVENTS[i])), "audit"),
    "insights-csv": (table(zip(TIME, COMPACT), ["@timestamp", "@message"]), "cloudwatch (CloudWatch Insights export)"),
    "insights-json": (records(lambda i: {"@timestamp": TIME[i], "@message": EVENTS[i], "@logStream": "a"}), "cloudwatch"),
    "insights-answer": (json.dumps({"status": "Complete", "results": [[
        {"field": "@timestamp", "value": TIME[i]}, {"field": "@message", "value": COMPACT[i]}] for i in range(60)]}),
        "cloudwatch (CloudWatch Insights answer)"),
    "insights-fields": (json.dumps({"status": "Complete", "results": [[
        {"field": name, "value": str(v) if not isinstance(v, list) else json.dumps(v)}
        for name, v in flat(EVENTS[i]).items()] for i in range(60)]}), None),
    "cloudwatch-api": (json.dumps({"events": [{"logStreamName": "kube-apiserver-audit-1", "timestamp": 1, "message": line,
                                               "eventId": "1"} for line in COMPACT]}), "cloudwatch (CloudWatch Logs answer)"),
    "cloudwatch-subscription": (records(lambda i: {"messageType": "DATA_MESSAGE", "logStream": "a", "logEvents": [
        {"id": "1", "timestamp": 1, "message": COMPACT[i]}]}), "cloudwatch (CloudWatch Logs subscription)"),
    "loki-query": (json.dumps({"status": "success", "data": {"resultType": "streams", "result": [
        {"stream": {"pod": "a"}, "values": [["1", line] for line in COMPACT]}]}}), "loki (Loki)"),
    "loki-push": (json.dumps({"streams": [{"stream": {"pod": "a"}, "values": [["1", line] for line in COMPACT]}]}), "loki"),
    "logcli": (records(lambda i: {"line": COMPACT[i], "timestamp": TIME[i], "labels": {"pod": "a"}}), "loki (logcli)"),
    "otlp": (json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [
        {"body": {"stringValue": line}} for line in COMPACT]}]}]}), "otlp (OpenTelemetry)"),
    "azure-event-hub": (json.dumps({"records": [{"category": "kube-audit", "operationName": "x", "properties": {
        "pod": "a", "log": line + "\n"}} for line in COMPACT]}), "azure (Azure diagnostics)"),
    "azure-storage": (records(lambda i: {"category": "kube-audit", "operationName": "x", "properties": {
        "log": COMPACT[i], "pod": "a"}}), "azure (Azure diagnostics)"),
    "log-analytics-csv": (table(zip(TIME, COMPACT, ["a"] * 60), ["TimeGenerated [UTC]", "log_s", "pod_s"]), "azure"),
    "aks-table-csv": (table(AKS_ROWS, AKS_NAMES), "azure (AKSAudit table)"),
    "aks-table-json": (json.dumps([aks(i, True) for i in range(60)]), "azure (AKSAudit table)"),
    "aks-table-lines": (records(lambda i: aks(i, False)), "azure (AKSAudit table)"),
    "log-analytics-answer": (json.dumps({"tables": [{"name": "PrimaryResult", "columns": [
        {"name": name, "type": "string"} for name in AKS_NAMES], "rows": AKS_ROWS}]}), "azure (Log Analytics answer)"),
    "splunk-export": (records(lambda i: {"preview": False, "result": {"_raw": COMPACT[i], "host": "cp-1"}}),
                      "wrapped (Splunk export)"),
    "splunk-csv": (table(zip(COMPACT, TIME), ["_raw", "_time"], quoting=csv.QUOTE_ALL), "wrapped (Splunk export)"),
    "splunk-results": (json.dumps({"preview": False, "results": [{"_raw": line, "host": "a"} for line in COMPACT]}),
                       "wrapped (Splunk export)"),
    "splunk-hec": (records(lambda i: {"time": 1.5, "host": "cp-1", "sourcetype": "_json", "event": EVENTS[i]}),
                   "wrapped (Splunk HTTP Event Collector)"),
    "splunk-hec-text": ("".join(json.dumps({"time": 1.5, "sourcetype": "x", "event": line}) for line in COMPACT),
                        "wrapped (Splunk HTTP Event Collector)"),
    "splunk-fields-csv": (table([["\n".join(v) if isinstance(v, list) else v for v in dict(row).values()] for row in SPLUNK_ROWS],
                                list(SPLUNK_ROWS[0])), None),
    "gelf": (records(lambda i: {"version": "1.1", "host": "cp-1", "short_message": COMPACT[i][:64], "full_message": COMPACT[i]}),
             None),
    "datadog-archive": (records(lambda i: {"_id": "x", "date": TIME[i], "host": "cp", "attributes": EVENTS[i]}),
                        "wrapped (Datadog archive)"),
    "datadog-api": (json.dumps({"data": [{"id": "a", "type": "log", "attributes": {"host": "cp", "attributes": e}}
                                         for e in EVENTS]}), "wrapped (Datadog answer)"),
    "datadog-csv": (table(zip(TIME, ["cp"] * 60, COMPACT), ["Date", "Host", "Message"]), "wrapped (Datadog export)"),
    "sls": (records(lambda i: {"__time__": "1788877000", "__source__": "10.0.0.1", **sls(i)}), "audit (Alibaba Cloud SLS)"),
    "sls-content": (records(lambda i: {"__time__": "1", "content": COMPACT[i]}), "wrapped (Alibaba Cloud SLS)"),
    "journald-json": (records(lambda i: {"__REALTIME_TIMESTAMP": "1788877000044049", "_HOSTNAME": "cp-1",
                                         "MESSAGE": COMPACT[i]}), "wrapped (journald)"),
    "pub-sub": (records(lambda i: {"insertId": "a", "logName": "b", "jsonPayload": EVENTS[i]}),
                "gcp"),
    "any-member": (records(lambda i: {"a": {"b": {"c": {"d": COMPACT[i]}}}}), "wrapped"),
    "text-in-text": (records(lambda i: {"log": json.dumps({"message": json.dumps({"log": EVENTS[i]})})}), "fluent-bit"),
    # Tables.
    "csv-semicolons": (table(zip(TIME, COMPACT), ["zeit", "zeile"], delimiter=";"), "wrapped (CSV table)"),
    "tsv": (table(zip(TIME, COMPACT), ["time", "text"], delimiter="\t"), "wrapped (CSV table)"),
    "csv-bars": (table(zip(TIME, COMPACT), ["time", "text"], delimiter="|"), "wrapped (CSV table)"),
    "csv-crlf": (table(zip(COMPACT, TIME), ["text", "time"], end="\r\n"), "wrapped (CSV table)"),
    "csv-one-column": (table(([line] for line in COMPACT), ["audit_event"]), "wrapped (CSV table)"),
    "csv-no-header": (table(zip(TIME, COMPACT), [], header=False), "audit"),
    "csv-unquoted": ("time,event,pod\n" + lines(lambda i: f"{TIME[i]},{COMPACT[i]},a"), None),
    "sql-columns": (table(FLAT_ROWS, SQL_NAMES, delimiter="\t"), "wrapped (CSV table)"),
    "psql-json": (json.dumps([dict(zip(SQL_NAMES, row)) for row in FLAT_ROWS]), None),
    # What people have besides.
    "event-lists": ("".join(json.dumps({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": EVENTS[i:i + 7]},
                                       separators=(",", ":")) + "\n" for i in range(0, 60, 7)), "audit"),
    "firehose": ("".join(subscribed(i) for i in range(0, 60, 9)), "cloudwatch (CloudWatch Logs subscription)"),
    "firehose-records": (json.dumps({"invocationId": "1", "deliveryStreamArn": "arn:aws:firehose:x", "records": [
        {"recordId": str(i), "data": encoded(subscribed(i))} for i in range(0, 60, 9)]}), "cloudwatch (Amazon Data Firehose)"),
    "firehose-http": (json.dumps({"requestId": "1", "timestamp": 1, "records": [
        {"data": encoded(line + "\n", pack=False)} for line in COMPACT]}) + "\n", "cloudwatch (Amazon Data Firehose)"),
    "kinesis": (json.dumps({"Records": [{"SequenceNumber": str(i), "Data": encoded(subscribed(i)), "PartitionKey": "a"}
                                        for i in range(0, 60, 9)], "MillisBehindLatest": 0}, indent=2),
                "cloudwatch (Amazon Kinesis)"),
    "kinesis-lambda": (json.dumps({"Records": [{"kinesis": {"data": encoded(COMPACT[i])}, "eventSource": "aws:kinesis"}
                                               for i in range(60)]}), "cloudwatch (Amazon Kinesis)"),
    "awslogs": ("".join(json.dumps({"awslogs": {"data": encoded(subscribed(i))}}) + "\n" for i in range(0, 60, 9)),
                "cloudwatch (CloudWatch Logs subscription)"),
    "pub-sub": (records(lambda i: {"message": {"data": encoded(COMPACT[i], pack=False), "messageId": str(i)},
                                   "subscription": "x"}), "wrapped (Google Cloud Pub/Sub)"),
    "base64-of-many": (json.dumps({"payload": encoded("".join(line + "\n" for line in COMPACT))}) + "\n", "wrapped"),
    "aws-logs-tail": (prefix(lambda i: f"{TIME[i][:19]}+00:00 kube-apiserver-audit-4f1e "), "audit"),
    "aws-logs-text": (lines(lambda i: f"EVENTS\t3812{i}\t1788877000044\tkube-apiserver-audit-4f1e\t{COMPACT[i]}\t"
                                      f"1788877000044"), "audit"),
    "viaq": (records(lambda i: {"@timestamp": TIME[i], "hostname": "cp-1", "log_type": "audit", "structured": EVENTS[i],
                                "openshift": {"cluster_id": "x", "sequence": i}}), "wrapped (OpenShift Logging)"),
    "viaq-members": (records(lambda i: {**EVENTS[i], "@timestamp": TIME[i], "k8s_audit_level": "Metadata", "log_type":
                                        "audit", "hostname": "cp-1", "openshift": {"sequence": i}}),
                     "audit (OpenShift Logging)"),
    "kcat": (records(lambda i: {"topic": "audit", "partition": 0, "offset": i, "key": None, "payload": COMPACT[i]}),
             "wrapped (Kafka (kcat -J))"),
    "stern-json": (records(lambda i: {"message": COMPACT[i], "nodeName": "cp-1", "namespace": "kube-system", "podName":
                                      "kube-apiserver-cp-1", "containerName": "kube-apiserver"}), "wrapped (stern)"),
    "rsyslog-json": (records(lambda i: {"timereported": TIME[i], "hostname": "cp-1", "app-name": "audit", "msg":
                                        " " + COMPACT[i]}), None),
    "syslog-octets": (lines(lambda i: f"{len(COMPACT[i]) + 40} <14>1 {TIME[i]} cp-1 audit - - - {COMPACT[i]}"), "audit"),
    "sumo-csv": (table(zip(["1"] * 60, TIME, COMPACT), ["_messageid", "_messagetime", "_raw"], quoting=csv.QUOTE_ALL),
                 "wrapped (Sumo Logic export)"),
    "grafana-csv": (table(zip(TIME, COMPACT, ["{}"] * 60), ["Time", "Line", "labels"], quoting=csv.QUOTE_ALL), None),
    "new-relic": (json.dumps([{"common": {"attributes": {"hostname": "cp-1"}}, "logs": [
        {"timestamp": 1788877000044, "message": line} for line in COMPACT]}]), None),
    "wazuh": (records(lambda i: {"timestamp": TIME[i], "agent": {"name": "cp-1"}, "rule": {"level": 3}, "data": EVENTS[i],
                                 "full_log": COMPACT[i]}), "wrapped (Wazuh)"),
    "dynatrace": (json.dumps({"results": [{"timestamp": 1, "content": line, "status": "INFO"} for line in COMPACT]}), None),
    "hash-comments": ("# audit events of cp-1\n" + lines(lambda i: COMPACT[i]), "audit"),
    "markdown": ("```json\n" + lines(lambda i: COMPACT[i]) + "```\n", "audit"),
    "aggregated": (lines(lambda i: (json.dumps(repeated(i), separators=(",", ":")) + "\n" if i % 5 == 1 else "") +
                         COMPACT[i]), "audit"),
    "twice": (lines(lambda i: COMPACT[i] + "\n" + COMPACT[i]), "audit"),
    # Long lines in pieces.
    "docker-pieces": (lines(lambda i: "\n".join(json.dumps({"log": piece, "stream": "stdout", "time": TIME[i]})
                                               for piece in pieces(COMPACT[i] + "\n"))), "fluent-bit"),
    "fluent-bit-pieces": ("".join(piece for i in range(0, 60, 2) for pair in zip(
        *(marked(pod, pieces(COMPACT[i + pod])) for pod in (0, 1))) for piece in pair), None),
    # What Datadog and Security Lake make of an event, and the fields of a search.
    "datadog-remapped": (records(datadog), "audit"),
    "ocsf": (records(ocsf), "wrapped (OCSF (Amazon Security Lake))"),
    "ocsf-array": (json.dumps([ocsf(i) for i in range(60)], indent=1), "wrapped (OCSF (Amazon Security Lake))"),
    "kibana-fields": (json.dumps({"hits": {"hits": [{"_index": "a", "_id": str(i), "fields": fields(i)}
                                                    for i in range(60)]}}), None),
    "kibana-fields-lines": (records(fields), None),
    # Both logs of a server in one.
    "both-logs": ("".join(f"{t} stdout F {line}\n{t} stderr F {klog(i)}\n"
                          for i, (t, line) in enumerate(zip(TIME, COMPACT))), "audit"),
    "both-logs-wrapped": ("".join(json.dumps({"log": text + "\n", "stream": "stdout", "time": t}) + "\n" for i, (t, line) in
                                  enumerate(zip(TIME, COMPACT)) for text in (line, klog(i))), "fluent-bit"),
}


def cloud_entry(i, payload):
    """An entry of Cloud Logging, as GKE writes those of its control plane."""
    return {"insertId": f"i{i}", "logName": "projects/p/logs/container.googleapis.com%2Fapiserver", "resource": {
        "type": "k8s_control_plane_component", "labels": {"component_name": "apiserver", "cluster_name": "c"}},
        "severity": "INFO", "timestamp": TIME[i], "receiveTimestamp": TIME[i], **payload}


def cloud_text(i):
    return cloud_entry(i, {"textPayload": klog(i)})


def cloud_parsed(i):
    """Without klog's header, which went into the entry."""
    return cloud_entry(i, {"jsonPayload": {"message": klog(i).split("] ", 1)[1], "pid": "1"}, "sourceLocation": {
        "file": "httplog.go", "line": "134"}})


def yaml_entry(entry, indent=""):
    out = ""
    for key, value in entry.items():
        out += f"{indent}{key}:" + ("\n" + yaml_entry(value, indent + "  ") if isinstance(value, dict)
                                   else " " + json.dumps(value) + "\n")
    return out


# Lines of the HTTP log: the same requests as those of the first form.
KLOG_FORMS = {
    "klog": lines(klog),
    "klog-cri": lines(lambda i: f"{TIME[i]} stderr F {klog(i)}"),
    "gke-text-lines": records(cloud_text),
    "gke-text-array": json.dumps([cloud_text(i) for i in range(60)], indent=2),
    "gke-text-yaml": "".join("---\n" + yaml_entry(cloud_text(i)) for i in range(60)),
    "gke-parsed-lines": records(cloud_parsed),
    "gke-parsed-array": json.dumps([cloud_parsed(i) for i in range(60)], indent=2),
    "gke-parsed-yaml": "".join("---\n" + yaml_entry(cloud_parsed(i)) for i in range(60)),
    "json": klog_json_lines(lambda text, i: text),
    "json-cri": klog_json_lines(lambda text, i: f"{TIME[0]} stderr F {text}"),
    "json-kubectl-prefix": klog_json_lines(lambda text, i: f"[pod/kube-apiserver-cp1/kube-apiserver] {text}"),
    "json-syslog": klog_json_lines(lambda text, i: f"Sep  8 14:15:00 cp1 kube-apiserver[1]: {text}"),
    "json-docker": klog_json_lines(lambda text, i: json.dumps({"log": text + "\n", "stream": "stderr", "time": TIME[0]})),
    "json-journald": klog_json_lines(lambda text, i: json.dumps({"MESSAGE": text, "__REALTIME_TIMESTAMP": "1788876900044000"})),
    "json-hits": json.dumps({"hits": {"hits": [{"_source": {"message": klog_json(i)}} for i in range(60)]}}),
    "json-csv": table(([TIME[i], klog_json(i)] for i in range(60)), ["_time", "_raw"]),
    "fluent-bit-parsed": records(lambda i: {"timestamp": TIME[i], "log": klog(i).split("] ", 1)[1], "pid": "1"}),
}


def klog_differs(apfctl, path, want):
    """What is wrong with the reading of a form of the HTTP log; the first has no year, and its times are right."""
    trace = subprocess.run([apfctl, "trace", "--log-year", "2026", path], capture_output=True, text=True)
    if trace.returncode != 0 or "skipped" in trace.stderr:
        return trace.stderr.strip()
    got = [json.loads(line) for line in trace.stdout.splitlines()]
    for request in got:
        request.pop("time")  # what a header's microseconds and an entry's time round differs
    if want and got != want:
        return next((f"reads {a} for {b}" for a, b in zip(got, want) if a != b), f"{len(got)} requests, not {len(want)}")
    return got if not want else ""


def archive():
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for name, text in (("logs/kube-apiserver/audit.log.gz", gzip.compress(FORMS["plain"][0].encode())),
                           ("logs/readme.txt", b"about these logs\n" * 50),
                           ("logs/openshift-apiserver/audit.log", FORMS["plain"][0].encode())):
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text))
    return data.getvalue()


def write_forms(folder):
    files = {}
    for name, (text, named) in FORMS.items():
        files[name] = (folder / name, named)
        files[name][0].write_bytes(text.encode())
    files["gzip"] = (folder / "gzip", "audit")
    files["gzip"][0].write_bytes(gzip.compress(FORMS["plain"][0].encode()))
    files["archive"] = (folder / "archive.tar.gz", "audit")
    files["archive"][0].write_bytes(archive())
    for name, pack in {"xz": lzma.compress, "bzip2": bz2.compress}.items():
        files[name] = (folder / name, "audit")
        files[name][0].write_bytes(pack(FORMS["plain"][0].encode()))
        files["tar-" + name] = (folder / ("tar-" + name), "audit")
        files["tar-" + name][0].write_bytes(pack(gzip.decompress(archive())))
    files["archive-in-archive"] = (folder / "outer.zip", "audit")
    with zipfile.ZipFile(files["archive-in-archive"][0], "w", zipfile.ZIP_DEFLATED) as outer:
        outer.writestr("must-gather/logs.tar.gz", archive())
    files["folder"] = (folder / "folder", "audit")
    for half, name in ((slice(0, 30), "audit-2026-09-08T14-15-07.000.log"), (slice(30, 60), "audit.log")):
        path = folder / "folder" / "cp-1" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in COMPACT[half]))
    return files


def wanted():
    return sorted((e["auditID"], e["verb"], e["requestURI"], e["user"]["username"], tuple(sorted(e["user"]["groups"])),
                   e["responseStatus"]["code"], e["userAgent"], e["sourceIPs"][0], e["requestReceivedTimestamp"])
                  for e in EVENTS)


def found(text):
    out = []
    for line in text.splitlines():
        r = json.loads(line)
        out.append((r.get("id"), r.get("verb"), r.get("uri"), r.get("user"), tuple(sorted(r.get("groups", []))), r.get("code"), r.get("userAgent"), r.get("sourceIP"), r["time"]))
    return sorted(out, key=str)


def differs(apfctl, path, named):
    """What is wrong with the reading of a file; nothing if all is well."""
    trace = subprocess.run([apfctl, "trace", path], capture_output=True, text=True)
    if trace.returncode != 0:
        return trace.stderr.strip()
    if "skipped" in trace.stderr:
        return trace.stderr.strip()
    got, want = found(trace.stdout), sorted(wanted(), key=str)
    if got != want:
        odd = [pair for pair in zip(got, want) if pair[0] != pair[1]][:1] or [(len(got), len(want))]
        return f"reads {odd[0][0]} for {odd[0][1]}"
    stat = subprocess.run([apfctl, "log", "-o", "json", path], capture_output=True, text=True)
    told = json.loads(stat.stdout)
    if told["requests"] != 60 or told["unusable"] or told["recorded"]["refused"] != sum(w[5] == 429 for w in want):
        return f"log says {told['requests']} requests, {told['recorded']}, unusable: {told['unusable']}"
    log = told["logs"][0]
    name = log["format"] + (f" ({log['label']})" if "label" in log else "")
    if named and name != named and log["format"] != named:
        return f"is called {name}, not {named}"
    return ""


def main(args):
    with tempfile.TemporaryDirectory() as temporary:
        if args[:1] == ["-w"]:
            write_forms(pathlib.Path(args[1]))
            return 0
        failed = 0
        files = write_forms(pathlib.Path(temporary))
        for name, (path, named) in files.items():
            if wrong := differs(args[0], path, named):
                failed += 1
                print(f"{name}: {wrong}")
        want = None
        for name, text in KLOG_FORMS.items():
            path = pathlib.Path(temporary) / name
            path.write_text(text)
            files[name] = path
            wrong = klog_differs(args[0], path, want)
            if want is None and isinstance(wrong, list) and len(wrong) == 60:
                want, wrong = wrong, ""
            if wrong:
                failed += 1
                print(f"{name}: {wrong}")
        print(f"{len(files) - failed} passed, {failed} failed")
        return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
