"""deploy/kubernetes without a cluster: built, held against the schemas, the programs and policy.

No cluster has run these files here; docs/operations.md says so.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from paiju.wire.tls.identity import parsed
from tests.operate.custom_resources import SCHEMAS
from tests.operate.programs import KEY, has_fixed_version, settings_of

ROOT = Path(__file__).resolve().parent.parent.parent
OVERLAYS = ("dev", "production")
KUBERNETES = "1.33.0"
OURS = {"data-server", "web-hall", "tables", "head", "migration"}
Thing = dict[str, Any]

pytestmark = pytest.mark.skipif(
    shutil.which("kubectl") is None and shutil.which("kustomize") is None,
    reason="neither kubectl nor kustomize is here to build the overlays",
)


@cache
def built(overlay: str) -> list[Thing]:
    command = ["kubectl", "kustomize"] if shutil.which("kubectl") else ["kustomize", "build"]
    folder = ROOT / "deploy/kubernetes/overlays" / overlay
    done = subprocess.run([*command, folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def of_kind(overlay: str, *kinds: str) -> list[Thing]:
    return [thing for thing in built(overlay) if thing["kind"] in kinds]


def templates(overlay: str) -> Iterator[tuple[str, Thing]]:
    """(part, pod template) of everything that becomes a pod."""
    for thing in of_kind(overlay, "Deployment", "StatefulSet", "Job", "RayCluster"):
        spec = thing["spec"]
        found = [spec["template"]] if "template" in spec else []
        if thing["kind"] == "RayCluster":
            groups = [spec["headGroupSpec"], *spec["workerGroupSpecs"]]
            found = [group["template"] for group in groups]
        for template in found:
            yield template["metadata"]["labels"]["paiju/part"], template


def containers(overlay: str) -> Iterator[tuple[str, Thing, Thing]]:
    """(part, pod's spec, container)"""
    for part, template in templates(overlay):
        for container in template["spec"]["containers"]:
            yield part, template["spec"], container


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_object_is_one_of_its_schema(overlay: str) -> None:
    kinds = set()
    for thing in built(overlay):
        kinds.add(thing["kind"])
        if thing["kind"] in SCHEMAS:
            jsonschema.validate(thing, SCHEMAS[thing["kind"]])
        else:
            kubernetes_validate.validate(thing, KUBERNETES, strict=True)
    for part, template in templates(overlay):
        if part in ("head", "tables"):  # the others are checked within their objects
            wrapped = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": part}}
            kubernetes_validate.validate({**wrapped, "template": template}, KUBERNETES, strict=True)
    assert kinds >= {*SCHEMAS, "Deployment", "NetworkPolicy", "PodDisruptionBudget", "Job"}
    assert {part for part, _ in templates(overlay)} >= OURS


def test_the_schemas_refuse_what_is_wrong() -> None:
    """Else the test above would say nothing."""
    (cluster,) = of_kind("dev", "RayCluster")
    wrong = {**cluster, "spec": {**cluster["spec"], "enableInTreeAutoscalling": False}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMAS["RayCluster"])
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": {"por": []}},
            KUBERNETES,
            strict=True,
        )


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_nothing_runs_as_root_or_writes_where_it_need_not(overlay: str) -> None:
    for part, pod, container in containers(overlay):
        security = pod["securityContext"]
        assert security["runAsNonRoot"] and security["runAsUser"] > 0, part
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}, part
        assert not pod["automountServiceAccountToken"] and "hostNetwork" not in pod, part
        own = container["securityContext"]
        assert own["readOnlyRootFilesystem"] and own["allowPrivilegeEscalation"] is False, part
        assert own["capabilities"] == {"drop": ["ALL"]}, part
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        claimed = {"data"} if part == "postgresql" else set()
        for mount in container["volumeMounts"]:
            volume = volumes.get(mount["name"], {})
            assert volume or mount["name"] in claimed, (part, mount)
            assert "hostPath" not in volume, part
            if volume.keys() & {"secret", "csi"}:
                assert mount["readOnly"], (part, mount)
            if "emptyDir" in volume:
                assert volume["emptyDir"]["sizeLimit"], (part, mount)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_everything_has_limits_probes_and_a_version(overlay: str) -> None:
    for part, pod, container in containers(overlay):
        assert has_fixed_version(container["image"]), container["image"]
        for kind in ("requests", "limits"):
            assert {"cpu", "memory"} <= container["resources"][kind].keys(), part
        if part == "migration":
            continue
        ready, live = container["readinessProbe"], container["livenessProbe"]
        assert container["startupProbe"]
        if part in OURS:
            # Who is not ready gets no new work; that alone is no reason to be started anew.
            assert ready["httpGet"]["path"] != live["httpGet"]["path"], part
            names = {port["name"] for port in container["ports"]}
            assert {ready["httpGet"]["port"], live["httpGet"]["port"]} <= names, part
            before = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
            assert pod.get("terminationGracePeriodSeconds", 30) > before


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_programs_start_with_these_commands_and_settings(overlay: str) -> None:
    for part, pod, container in containers(overlay):
        if part not in OURS:
            continue
        # Services of our namespace would otherwise set PAIJU_..._PORT and the like.
        assert pod["enableServiceLinks"] is False, part
        settings = settings_of(container["args"][0], environment(overlay, container))
        if container["args"][0] == "game-server":
            assert settings.peer_files() is not None
            drained_s = settings.grace_s + int(
                container["lifecycle"]["preStop"]["exec"]["command"][1]
            )
            if part == "tables":
                assert settings.edge_tls and settings.ray_address and settings.journal_url
                assert settings.gateways == 1  # a service cannot spread over ports
                assert pod["terminationGracePeriodSeconds"] > drained_s
            else:
                assert settings.gateways == settings.hosts == 0 and settings.ray_port == 6379
            assert "game_server" in settings.host_actor
        elif container["args"][0] == "data-server":
            assert settings.peer_files() is not None and not settings.migrates()
            assert pod["terminationGracePeriodSeconds"] > settings.drain_grace_s


def environment(overlay: str, container: Thing) -> dict[str, str]:
    """As the container will have it; what secrets and the cluster say is made up."""
    made_up = {
        "PAIJU_SERVER": "cell-1-tables-worker-x7k2p",
        "PAIJU_NODE_IP": "10.1.2.3",
        "PAIJU_DATABASE_URL": "postgresql://paiju@db/paiju",
        "PAIJU_JOURNAL_URL": "postgresql://paiju@db/journal",
    }
    maps = {thing["metadata"]["name"]: thing["data"] for thing in of_kind(overlay, "ConfigMap")}
    found: dict[str, str] = {}
    for source in container.get("envFrom", ()):
        found |= maps[source["configMapRef"]["name"]]
    for variable in container["env"]:
        assert "value" in variable or variable["name"] in made_up, variable
        found[variable["name"]] = variable.get("value") or made_up.get(variable["name"], "")
    assert found.get("PAIJU_WEB_SERVER_KEYS", "") == ""  # only the operator knows it
    return {**found, "PAIJU_WEB_SERVER_KEYS": KEY}


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_secrets_are_named_and_never_there(overlay: str) -> None:
    assert not of_kind(overlay, "Secret")
    for part, _, container in containers(overlay):
        for variable in container.get("env", ()):
            if re.search("TOKEN|SECRET|PASSWORD|KEY|_URL", variable["name"]):
                if "value" in variable:
                    assert variable["value"].startswith("/run/"), (part, variable)
                else:
                    assert "secretKeyRef" in variable["valueFrom"], (part, variable)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_pod_of_a_cell_has_a_name_of_its_own_and_rays_token(overlay: str) -> None:
    for part, template in templates(overlay):
        for volume in template["spec"]["volumes"]:
            if "csi" in volume:
                uri = volume["csi"]["volumeAttributes"]["csi.cert-manager.io/uri-sans"]
                identity = parsed(uri.replace("${POD_NAME}", "cell-1-tables-worker-x7k2p"))
                role = "data-server" if part == "data-server" else "game-server"
                assert identity is not None and "${POD_NAME}" in uri
                assert (identity.cell, identity.role) == ("cell-1", role)
        if part in ("head", "tables"):
            env = {v["name"]: v.get("value") for v in template["spec"]["containers"][0]["env"]}
            assert env["RAY_AUTH_MODE"] == "token"
            assert env["RAY_AUTH_TOKEN_PATH"] == env["PAIJU_RAY_TOKEN_FILE"]
    (cluster,) = of_kind(overlay, "RayCluster")
    assert cluster["metadata"]["annotations"]["ray.io/overwrite-container-cmd"] == "true"
    # It would take pods full of tables for idle ones.
    assert cluster["spec"]["enableInTreeAutoscaling"] is False
    group = cluster["spec"]["workerGroupSpecs"][0]
    assert 0 < group["minReplicas"] <= group["replicas"] <= group["maxReplicas"] <= 50
    # Names of pods are names of servers, and those have at most 40 characters.
    name = f"{cluster['metadata']['name']}-{group['groupName']}-worker-x7k2p"
    assert len(name) <= 40


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_players_reach_gateways_and_the_web_hall_and_nothing_else(overlay: str) -> None:
    policies = {p["metadata"]["name"]: p["spec"] for p in of_kind(overlay, "NetworkPolicy")}
    nothing = policies["nothing"]
    assert nothing["podSelector"] == {} and nothing["policyTypes"] == ["Ingress", "Egress"]
    assert "ingress" not in nothing and "egress" not in nothing
    open_to_all = set()
    for spec in policies.values():
        for rule in spec.get("ingress", ()):
            assert rule, "an empty rule lets everybody in everywhere"
            if "from" not in rule:
                assert rule["ports"]
                part = spec["podSelector"]["matchLabels"]["paiju/part"]
                open_to_all |= {(part, port["port"]) for port in rule["ports"]}
    assert open_to_all == {("tables", "grpcs"), ("tables", "wss"), ("web-hall", "https")}
    outside = {
        s["metadata"]["name"] for s in of_kind(overlay, "Service") if "LoadBalancer" in str(s)
    }
    assert outside <= {"paiju-gateways", "paiju-web-hall"}


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_services_budgets_and_monitors_find_their_pods(overlay: str) -> None:
    pods = [template for _, template in templates(overlay)]

    def selected(labels: Thing) -> list[Thing]:
        return [t for t in pods if labels.items() <= t["metadata"]["labels"].items()]

    for service in of_kind(overlay, "Service"):
        found = selected(service["spec"]["selector"])
        assert found, service["metadata"]["name"]
        for template in found:
            names = {p["name"] for c in template["spec"]["containers"] for p in c["ports"]}
            assert {port["targetPort"] for port in service["spec"]["ports"]} <= names
    budgets = [
        b["spec"]["selector"]["matchLabels"] for b in of_kind(overlay, "PodDisruptionBudget")
    ]
    assert {labels["paiju/part"] for labels in budgets} == {"data-server", "web-hall", "tables"}
    services = {s["metadata"]["name"]: s for s in of_kind(overlay, "Service")}
    jobs = set()
    for monitor in of_kind(overlay, "ServiceMonitor"):
        spec = monitor["spec"]
        labels = spec["selector"]["matchLabels"]
        matching = [
            s
            for s in services.values()
            if labels.items() <= s["metadata"].get("labels", {}).items()
        ]
        assert len(matching) == 1
        jobs.add(matching[0]["metadata"]["labels"][spec["jobLabel"]])
        assert spec["endpoints"][0]["port"] in {p["name"] for p in matching[0]["spec"]["ports"]}
    # The alerts know them by these names.
    assert jobs == {"paiju-data-server", "paiju-game-server"}
    (rule,) = of_kind(overlay, "PrometheusRule")
    alerts = yaml.safe_load((ROOT / "deploy/prometheus/alerts.yml").read_text())
    assert rule["spec"] == alerts
