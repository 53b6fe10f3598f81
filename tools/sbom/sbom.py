#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what okram's programs are made of: a software bill of materials, SPDX 2.3 as JSON.

  sbom.py --version V --date SECONDS --part NAME=FILE --tool PROGRAM FILE NAME=FILE...

A part is what of another project is inside: its name in PARTS, and a file of its package, which
says the version. A tool is a program that the build ran. FILE is what was built, with another name
where it is published under one. The same build gives the same bytes: the date is the given one, and
the document's name is made from the programs' SHA-256.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

KERNELS = ("okram.elf", "okram.copy")
LOADERS = ("okram.efi", "okram-ia32.efi")
IMAGES = ("okram.iso", "okram.0")  # with a GRUB on them, not linked


@dataclass(frozen=True)
class Part:
    title: str
    licence: str
    home: str
    inside: tuple[str, ...]  # the programs that it is linked into, or lies on


PARTS = {
    "grub": Part(
        "GRUB",
        "GPL-3.0-or-later",
        "https://www.gnu.org/software/grub/",
        IMAGES,
    ),
    "shim": Part(
        "shim",
        "BSD-2-Clause AND OpenSSL",
        "https://github.com/rhboot/shim",
        ("okram.iso",),
    ),
    "mokmanager": Part(
        "MokManager",
        "BSD-2-Clause AND OpenSSL",
        "https://github.com/rhboot/shim",
        ("okram.iso",),
    ),
    "bearssl": Part(
        "BearSSL",
        "MIT",
        "https://bearssl.org/",
        (*KERNELS, "okram.efi", "okram-guard.efi"),
    ),
    "gnu-efi": Part(
        "gnu-efi",
        "BSD-2-Clause AND BSD-3-Clause",
        "https://sourceforge.net/projects/gnu-efi/",
        (*LOADERS, "okram-guard.efi"),
    ),
    "terminus": Part(
        "Terminus Font",
        "OFL-1.1",
        "https://terminus-font.sourceforge.net/",
        KERNELS,
    ),
    "qrcodegen": Part(
        "QR Code generator library",
        "MIT",
        "https://www.nayuki.io/page/qr-code-generator-library",
        KERNELS,
    ),
}

# The programs that hold others whole.
HOLDS = {
    "okram.iso": (*KERNELS, *LOADERS, "okram-guard.efi"),
    "okram.efi": ("okram.copy",),
    "okram-ia32.efi": ("okram.copy",),
    "okram.lkrn": ("okram.copy",),
}

OWN_LICENCE = "MIT"
NOTHING = "NOASSERTION"
ROOT_ID = "SPDXRef-okram"


def spdx_id(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package_of(file):
    """(purl, version) of the distribution's package that the file is of; (None, NOASSERTION)."""
    for command, kind in (
        (["dpkg-query", "-S", file], "deb"),
        (["rpm", "-qf", "--qf", "%{NAME} %{VERSION}-%{RELEASE}", file], "rpm"),
    ):
        if not shutil.which(command[0]):
            continue
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            continue
        if kind == "rpm":
            name, version = ran.stdout.split()
        else:
            name = ran.stdout.split(":")[0]
            asked = ["dpkg-query", "-W", "-f", "${Version}", name]
            version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        return f"pkg:{kind}/{distribution()}/{name}@{version.replace('+', '%2B')}", version
    return None, NOTHING


def distribution():
    try:
        text = Path("/etc/os-release").read_text()
    except OSError:
        return "unknown"
    found = re.search(r'^ID="?([a-z0-9._-]+)', text, re.MULTILINE)
    return found[1] if found else "unknown"


def package(name, file, **more):
    purl, version = package_of(file)
    described = {
        "name": name,
        "versionInfo": version,
        "downloadLocation": NOTHING,
        "filesAnalyzed": False,
        "licenseConcluded": NOTHING,
        "licenseDeclared": NOTHING,
        "copyrightText": NOTHING,
        **more,
    }
    if purl:
        described["externalRefs"] = [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": purl,
            }
        ]
    return described


def program(name, path):
    content = path.read_bytes()
    return {
        "SPDXID": spdx_id("File", name),
        "fileName": f"./{name}",
        "fileTypes": ["BINARY"],
        "checksums": [
            {"algorithm": kind, "checksumValue": hashlib.new(kind, content).hexdigest()}
            for kind in ("SHA1", "SHA256")
        ],
        "licenseConcluded": NOTHING,
        "copyrightText": NOTHING,
    }


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def relations(names, parts, tools):
    yield relation("SPDXRef-DOCUMENT", "DESCRIBES", ROOT_ID)
    for name in names:
        yield relation(spdx_id("File", name), "GENERATED_FROM", ROOT_ID)
        for inner in HOLDS.get(name, ()):
            if inner in names:
                yield relation(spdx_id("File", name), "CONTAINS", spdx_id("File", inner))
    for part in parts:
        for name in PARTS[part].inside:
            if name in names:
                kind = "CONTAINS" if name in IMAGES else "STATIC_LINK"
                yield relation(spdx_id("File", name), kind, spdx_id("Package", part))
    for tool in tools:
        yield relation(spdx_id("Tool", Path(tool).name), "BUILD_TOOL_OF", ROOT_ID)


def document(version, date, parts, tools, programs):
    files = [program(name, path) for name, path in programs.items()]
    made_of = json.dumps([f["checksums"] for f in files], sort_keys=True)
    okram = {
        "SPDXID": ROOT_ID,
        "name": "okram",
        "versionInfo": version,
        "downloadLocation": NOTHING,
        "filesAnalyzed": False,
        "licenseConcluded": NOTHING,
        "licenseDeclared": OWN_LICENCE,
        "copyrightText": NOTHING,
        "primaryPackagePurpose": "FIRMWARE",
    }
    others = [
        package(
            PARTS[part].title,
            file,
            SPDXID=spdx_id("Package", part),
            homepage=PARTS[part].home,
            licenseDeclared=PARTS[part].licence,
        )
        for part, file in parts.items()
    ]
    built_by = [
        package(Path(tool).name, tool, SPDXID=spdx_id("Tool", Path(tool).name)) for tool in tools
    ]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"okram-{version}",
        "documentNamespace": "https://spdx.org/spdxdocs/okram-"
        f"{version}-{uuid.uuid5(uuid.NAMESPACE_OID, made_of)}",
        "creationInfo": {
            "created": datetime.fromtimestamp(date, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: okram-sbom-{version}"],
        },
        "packages": [okram, *others, *built_by],
        "files": files,
        "relationships": list(relations(programs, parts, tools)),
    }


def read_part(text):
    """Package managers know a file by its shortest path."""
    name, _, file = text.partition("=")
    if name not in PARTS or not file:
        raise argparse.ArgumentTypeError(f"expected NAME=FILE, NAME one of {', '.join(PARTS)}")
    return name, os.path.normpath(file)


def read_program(text):
    name, _, file = text.rpartition("=")
    return name or Path(file).name, Path(file)


def read_tool(text):
    """A compiler that ccache stands in for is the compiler."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in folders:
        found = shutil.which(text, path=folder)
        if found and Path(found).resolve().name != "ccache":
            return str(Path(found).resolve())
    raise argparse.ArgumentTypeError(f"there is no program {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--version", required=True)
    parser.add_argument("--date", type=int, required=True, help="seconds since 1970")
    parser.add_argument("--part", type=read_part, action="append", default=[])
    parser.add_argument("--tool", type=read_tool, action="append", default=[])
    parser.add_argument("program", type=read_program, nargs="+")
    given = parser.parse_args()
    inputs = dict(given.part), given.tool, dict(given.program)
    try:
        made = document(given.version, given.date, *inputs)
    except OSError as error:
        sys.exit(f"sbom: {error.filename} cannot be read: {error.strerror}")
    json.dump(made, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
