# SPDX-License-Identifier: MIT
"""`make sbom`: SPDX 2.3, and all of what the notices list is in it."""

import hashlib
import json
import os
import re
import subprocess

import pytest

from okramlib import BUILD, ROOT

TOOL = ROOT / "tools" / "sbom" / "sbom.py"


@pytest.fixture(scope="module")
def sbom(tmp_path_factory):
    made = tmp_path_factory.mktemp("sbom") / "okram.spdx.json"
    subprocess.run(["make", "-s", "sbom", f"SBOM={made}"], cwd=ROOT, check=True)
    return json.loads(made.read_text())


def related(sbom, one, kind):
    return {
        r["relatedSpdxElement"].rpartition("-")[2]
        for r in sbom["relationships"]
        if r["spdxElementId"].endswith(one) and r["relationshipType"] == kind
    }


def test_every_element_is_named_once_and_related(sbom):
    """What SPDX 2.3 asks of a document."""
    assert sbom["spdxVersion"] == "SPDX-2.3" and sbom["dataLicense"] == "CC0-1.0"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", sbom["creationInfo"]["created"])
    assert re.fullmatch(r"https://[^#\s]+", sbom["documentNamespace"])
    packages = {package["SPDXID"] for package in sbom["packages"]}
    contains = {
        r["spdxElementId"] for r in sbom["relationships"] if r["relationshipType"] == "CONTAINS"
    }
    assert not packages & contains  # none whose files are not analyzed
    ids = [element["SPDXID"] for element in sbom["packages"] + sbom["files"]]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name) for name in ids)
    ends = {
        r[end] for r in sbom["relationships"] for end in ("spdxElementId", "relatedSpdxElement")
    }
    assert ends == {"SPDXRef-DOCUMENT", *ids}


def test_checksums(sbom):
    for file in sbom["files"]:
        name = file["fileName"].removeprefix("./")
        path = BUILD / ("stripped.elf" if name == "okram.elf" else name)
        sums = {c["algorithm"]: c["checksumValue"] for c in file["checksums"]}
        assert sums["SHA256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert sums["SHA1"] == hashlib.sha1(path.read_bytes()).hexdigest()


def test_what_the_notices_list(sbom):
    """Each package with the version that NOTICE.txt has."""
    notice = (BUILD / "iso" / "NOTICE.txt").read_text()
    listed = re.findall(r"^    (\S+) (\S+), source package ", notice, re.MULTILINE)
    assert len(listed) >= 6
    urls = {ref["referenceLocator"] for p in sbom["packages"] for ref in p.get("externalRefs", ())}
    for name, version in listed:
        (url,) = [u for u in urls if f"/{name}@" in u]
        assert url.rpartition("@")[2].replace("%2B", "+") == version
    homes = re.findall(r"Project:  (\S+)", notice)
    assert {p["homepage"] for p in sbom["packages"] if "homepage" in p} == {*homes}


def test_what_is_in_what(sbom):
    loaders = {"okram.efi", "ia32.efi"}
    parts = {"okram.elf", "okram.copy", "grub", "shim", "mokmanager", *loaders}
    assert related(sbom, "okram.iso", "CONTAINS") >= parts
    assert related(sbom, "okram.efi", "CONTAINS") == {"okram.copy"}
    assert related(sbom, "okram.lkrn", "CONTAINS") == {"okram.copy"}
    assert related(sbom, "okram.0", "CONTAINS") == {"grub"}
    assert related(sbom, "okram.efi", "STATIC_LINK") == {"efi", "bearssl"}
    assert related(sbom, "okram.copy", "STATIC_LINK") == {"terminus", "qrcodegen", "bearssl"}
    assert "SPDXRef-Tool-nasm" in {
        r["spdxElementId"]
        for r in sbom["relationships"]
        if r["relationshipType"] == "BUILD_TOOL_OF"
    }


def run(*arguments):
    command = [TOOL, "--version", "1", "--date", "0", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_file_of_no_package(tmp_path):
    part = tmp_path / "libefi.a"
    part.touch()
    ran = run("--part", f"gnu-efi={part}", f"okram.efi={part}")
    (_, found) = json.loads(ran.stdout)["packages"]
    assert found["versionInfo"] == "NOASSERTION" and "externalRefs" not in found


def test_ccache_is_no_compiler(tmp_path, monkeypatch):
    (tmp_path / "ccache").touch(0o755)
    (tmp_path / "gcc").symlink_to("ccache")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    ran = run("--tool", "gcc", ROOT / "VERSION")
    (_, found) = json.loads(ran.stdout)["packages"]
    assert "gcc" in found["name"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["/nowhere/okram.efi"], "/nowhere/okram.efi cannot be read"),
        (["--part", "glibc=/lib/libc.so", "x"], "expected NAME=FILE"),
        (["--tool", "no-such-compiler", "x"], "there is no program no-such-compiler"),
    ],
)
def test_what_is_not_there(arguments, why):
    ran = run(*arguments)
    assert ran.returncode != 0 and why in ran.stderr and not ran.stdout
