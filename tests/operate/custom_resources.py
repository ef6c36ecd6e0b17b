"""Schemas of the custom resources that deploy/kubernetes uses, for a check without a cluster.

Written from the field references of KubeRay, the Prometheus operator and cert-manager: names,
types and which fields must be there, for what we use and its neighbours. A field that is not
here fails, so a slip of the pen does. Pod templates (`PODS`) are checked by Kubernetes' own.
"""

from __future__ import annotations

from typing import Any

TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
DURATION: dict[str, Any] = {"type": "string", "pattern": r"^(\d+(ms|[smhdwy]))+$"}
STRINGS: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string"}}
PODS: dict[str, Any] = {"type": "object", "required": ["spec"]}


def fields(needed: dict[str, Any], **others: Any) -> dict[str, Any]:
    """An object with these fields, and no others."""
    return {
        "type": "object",
        "properties": {**needed, **others},
        "required": sorted(needed),
        "additionalProperties": False,
    }


def resource(api: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = fields({"name": TEXT}, namespace=TEXT, labels=STRINGS, annotations=STRINGS)
    return fields(
        {"apiVersion": {"const": api}, "kind": {"const": kind}, "metadata": metadata, "spec": spec}
    )


_START = {"rayStartParams": STRINGS, "template": PODS}
RAY_CLUSTER = resource(
    "ray.io/v1",
    "RayCluster",
    fields(
        {
            "headGroupSpec": fields(
                _START,
                headService={"type": "object"},
                enableIngress={"type": "boolean"},
                serviceType={"enum": ["ClusterIP", "NodePort", "LoadBalancer"]},
            ),
            "rayVersion": TEXT,
        },
        workerGroupSpecs={
            "type": "array",
            "items": fields(
                {"groupName": TEXT, "minReplicas": COUNT, "maxReplicas": COUNT, **_START},
                replicas=COUNT,
                numOfHosts=COUNT,
                idleTimeoutSeconds=COUNT,
                suspend={"type": "boolean"},
                scaleStrategy=fields({"workersToDelete": {"type": "array", "items": TEXT}}),
            ),
        },
        enableInTreeAutoscaling={"type": "boolean"},
        headServiceAnnotations=STRINGS,
        suspend={"type": "boolean"},
        autoscalerOptions={"type": "object"},
        gcsFaultToleranceOptions={"type": "object"},
        managedBy=TEXT,
    ),
)

SERVICE_MONITOR = resource(
    "monitoring.coreos.com/v1",
    "ServiceMonitor",
    fields(
        {
            "selector": fields({"matchLabels": STRINGS}),
            "endpoints": {
                "type": "array",
                "minItems": 1,
                "items": fields(
                    {"port": TEXT},
                    path=TEXT,
                    scheme={"enum": ["http", "https"]},
                    interval=DURATION,
                    scrapeTimeout=DURATION,
                    honorLabels={"type": "boolean"},
                ),
            },
        },
        jobLabel=TEXT,
        targetLabels={"type": "array", "items": TEXT},
        namespaceSelector={"type": "object"},
    ),
)

PROMETHEUS_RULE = resource(
    "monitoring.coreos.com/v1",
    "PrometheusRule",
    fields(
        {
            "groups": {
                "type": "array",
                "items": fields(
                    {
                        "name": TEXT,
                        "rules": {
                            "type": "array",
                            "items": fields(
                                {"alert": TEXT, "expr": TEXT},
                                labels=STRINGS,
                                annotations=STRINGS,
                                **{"for": DURATION, "keep_firing_for": DURATION},
                            ),
                        },
                    },
                    interval=DURATION,
                ),
            }
        }
    ),
)

ISSUER = resource("cert-manager.io/v1", "Issuer", fields({"ca": fields({"secretName": TEXT})}))

SCHEMAS = {
    schema["properties"]["kind"]["const"]: schema
    for schema in (RAY_CLUSTER, SERVICE_MONITOR, PROMETHEUS_RULE, ISSUER)
}
