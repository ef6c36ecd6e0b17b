"""Parts of the supervisor: merged metrics, the folder's lock, leftovers, orphans, settings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from game_server.metrics_push import SIGN
from game_server.supervisor import leftovers
from game_server.supervisor.exposition import merge, total
from game_server.supervisor.folders import Lock, default_run_dir, prepare
from game_server.supervisor.gateways import Gateways
from game_server.supervisor.hub import MetricsHub
from game_server.supervisor.metrics import SupervisorMetrics
from game_server.supervisor.settings import GameServerSettings
from game_server.supervisor.supervisor import Supervisor
from paiju.service.settings import BadSettings, load
from paiju.wire.v1 import data_pb2

SLEEPS = [sys.executable, "-c", "import time; time.sleep(60)"]


def exposition(amount: int) -> str:
    registry = CollectorRegistry()
    Counter("paiju_things", "Things.", ["kind"], registry=registry).labels("a").inc(amount)
    Histogram("paiju_seconds", "Seconds.", buckets=(1, 2), registry=registry).observe(amount)
    return generate_latest(registry).decode()


def test_where_players_come_in(tmp_path: Path) -> None:
    """With TLS nothing listens without it, but for a page on this machine's loopback."""
    files = {"tls_certificate": tmp_path / "c.pem", "tls_key": tmp_path / "k.pem"}
    base = {"data_dir": tmp_path, "gateways": 2}

    def made(**given: object) -> Gateways:
        settings = GameServerSettings.model_validate({**base, **given})
        metrics = SupervisorMetrics()
        hub = MetricsHub(own=CollectorRegistry(), own_name="s", healthy=lambda: True)
        record = leftovers.Record(tmp_path)
        folders = prepare(GameServerSettings(data_dir=tmp_path / "d", run_dir=run_dir))
        return Gateways(settings=settings, folders=folders, hub=hub, record=record, metrics=metrics)

    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "cluster-token").write_text("t" * 64)
    run_dir = Path(tempfile.mkdtemp(prefix="p", dir="/tmp"))
    try:
        plain = made()
        assert {urlsplit(a).scheme for a in plain.web_addresses()} == {"ws"}
        assert plain.first_web_addresses() == plain.web_addresses()[:1]
        secure = made(**files, edge_tls=True)
        assert all(a.startswith("grpcs://") for a in secure.addresses())
        assert {urlsplit(a).scheme for a in secure.web_addresses()} == {"wss"}
        lan = made(**files, edge_tls=True, ws_host="127.0.0.1", listen_host="0.0.0.0")
        listens = json.loads(lan.children[1]._command()[-1])
        assert listens["ws_listen"].startswith("127.0.0.1:")
        assert listens["listen"].startswith("0.0.0.0:")
        assert listens["wss_listen"].startswith("0.0.0.0:")
        assert {urlsplit(a).scheme for a in lan.first_web_addresses()} == {"wss"}
        with pytest.raises(ValueError, match="loopback"):
            made(**files, edge_tls=True, ws_host="0.0.0.0")
    finally:
        shutil.rmtree(run_dir)


def test_metrics_of_several_processes_are_one_valid_text() -> None:
    merged = merge({"g-1": exposition(1), 'h"2': exposition(2)})
    families = {family.name: family for family in text_string_to_metric_families(merged)}
    things = families["paiju_things"].samples
    assert {(s.labels["process"], s.value) for s in things if s.name.endswith("_total")} == {
        ("g-1", 1.0),
        ('h"2', 2.0),
    }
    assert len([s for s in families["paiju_seconds"].samples if s.name.endswith("_bucket")]) == 6
    assert total(merged, "paiju_things_total") == 3
    assert total(merged, "paiju_things") == 0
    assert merge({}) == ""


def test_a_hosts_sign_of_life_comes_by_the_same_socket() -> None:
    heard: list[data_pb2.HostCounts] = []
    hub = MetricsHub(
        own=CollectorRegistry(), own_name="s", healthy=lambda: True, heard=heard.append
    )
    counts = data_pb2.HostCounts(host="h", epoch=3, players=4)
    hub.pushed(SIGN + counts.SerializeToString())
    assert heard == [counts] and hub.texts() == {}
    for wrong in (SIGN + b"\xff\xff\xff", b"hello", b"# process \n"):
        with pytest.raises(ValueError):
            hub.pushed(wrong)


def test_who_watches_a_machine_is_told_ready_and_alive_apart() -> None:
    for ready, status in ((True, b"200 OK"), (False, b"503 Service Unavailable")):
        hub = MetricsHub(own=CollectorRegistry(), own_name="s", healthy=lambda ready=ready: ready)
        assert hub._response(b"GET /health HTTP/1.1\r\n\r\n").split(b"\r\n")[0].endswith(status)
        assert hub._response(b"GET /live HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 200 OK")
        assert hub._response(b"GET /other HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 404 ")


def test_a_head_may_have_neither_gateways_nor_hosts(tmp_path: Path) -> None:
    (tmp_path / "cluster-token").write_text("x" * 32)
    settings = GameServerSettings(data_dir=tmp_path, gateways=0, hosts=0, advertise="h:7700")
    supervisor = Supervisor(settings, prepare(settings))
    told = supervisor._identity()
    # No player is sent to it, whatever the setting says.
    assert (told.address, told.max_players) == ("", 0)


def test_a_folder_has_one_owner(tmp_path: Path) -> None:
    first, second = (Lock(tmp_path / "x.lock", what="hall") for _ in range(2))
    first.take()
    with pytest.raises(BadSettings, match=f"another hall \\(process {os.getpid()}\\)"):
        second.take()
    first.release()
    second.take()
    second.release()


def test_only_recorded_processes_are_ended(tmp_path: Path) -> None:
    ours, other = (subprocess.Popen(SLEEPS) for _ in range(2))
    try:
        record = leftovers.Record(tmp_path)
        record.add(ours.pid, "ours")
        listed = json.loads((tmp_path / leftovers.LIST).read_text())
        # The pid of a process that is gone, in use by somebody else since.
        listed[str(other.pid)] = [1, "other"]
        (tmp_path / leftovers.LIST).write_text(json.dumps(listed))
        leftovers.end_recorded(tmp_path)
        assert ours.wait(10) == -9
        assert other.poll() is None
        (tmp_path / leftovers.LIST).write_text("not json")
        leftovers.end_recorded(tmp_path)
    finally:
        for process in (ours, other):
            process.kill()
            process.wait()


def test_orphans_become_ours_and_are_ended() -> None:
    """In a process of its own: adopting is for the whole process."""
    program = """
        import os, subprocess, sys, time
        from game_server.supervisor import orphans
        orphans.adopt()
        inner = ("import subprocess as s; "
                 "print(s.Popen(['sleep', '60'], stdout=s.DEVNULL).pid, flush=True)")
        middle = subprocess.run([sys.executable, "-c", inner], stdout=subprocess.PIPE)
        orphan = int(middle.stdout)
        assert orphan in orphans.descendants(os.getpid())
        kept = subprocess.Popen(["sleep", "60"])
        orphans.end_adopted(keep=[kept.pid])
        assert orphan not in orphans.parents()
        assert kept.poll() is None
        kept.kill(); kept.wait()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=30)


def test_secrets_and_folders_are_made_for_the_owner_alone(tmp_path: Path) -> None:
    data, run = tmp_path / "data", Path(f"/tmp/pj-test-{os.getpid()}")
    data.mkdir()
    (data / "cluster-token").write_text("t" * 32)
    try:
        made = prepare(GameServerSettings(data_dir=data, run_dir=run))
        assert made.ray_token.stat().st_mode & 0o777 == 0o600
        assert run.stat().st_mode & 0o777 == 0o700
        run.chmod(0o777)
        with pytest.raises(BadSettings, match="somebody else"):
            prepare(GameServerSettings(data_dir=data, run_dir=run))
    finally:
        subprocess.run(["rm", "-rf", str(run)], check=True)
    with pytest.raises(BadSettings, match="too long"):
        prepare(GameServerSettings(data_dir=data, run_dir=tmp_path / ("x" * 60)))
    assert default_run_dir(data) == default_run_dir(data) != default_run_dir(tmp_path)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"data_servers": "nowhere"}, "no host:port"),
        ({"data_servers": ""}, "at least one data server"),
        ({"node_ip": "here"}, "no IP address"),
        ({"ray_address": "10.0.0.1:7900"}, "cell_secret_file"),
        ({"server": "../x"}, "server"),
        ({"gateways": -1}, "gateways"),
    ],
)
def test_wrong_settings_are_named(wrong: dict, says: str) -> None:
    with pytest.raises(BadSettings, match=says):
        load(GameServerSettings, **wrong)
