# SPDX-License-Identifier: MIT
"""`make release`: what it refuses, and that two builds are compared."""

import hashlib
import os
import shutil
import subprocess

import pytest

from okramlib import ROOT

GOOD = "# Changelog\n\n## Unreleased\n\n## 1.0.0 - 2026-12-01\n\n### Added\n\n- all\n\n## 0.9.0\n"
FILES = ("dist/okram-1.0.0.iso", "dist/okram-1.0.0-stick.zip", "dist/okram-1.0.0.spdx.json")
FILES += ("okram_1.0.0_amd64.deb", "okram-1.0.0-py3-none-linux_x86_64.whl")

# Builds in no time; CONTENT is what is in the .deb.
MAKEFILE = """
dist: ; mkdir -p build/dist && touch $(addprefix build/,{dist})
deb: ; echo {content} > build/okram_1.0.0_amd64.deb
wheel: ; echo "$$SHIM$$SOURCE_DATE_EPOCH" > build/okram-1.0.0-py3-none-linux_x86_64.whl
"""


def git(folder, *arguments):
    who = ["-c", "user.name=A Builder", "-c", "user.email=a@example.com"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "all")


@pytest.fixture
def checkout(tmp_path):
    """Of a project that may be released as 1.0.0."""
    folder = tmp_path / "okram"
    (folder / "packaging").mkdir(parents=True)
    shutil.copy(ROOT / "packaging" / "release", folder / "packaging")
    (folder / "VERSION").write_text("1.0.0\n")
    (folder / "CHANGELOG.md").write_text(GOOD)
    (folder / ".gitignore").write_text("build/\n")
    (folder / "build").mkdir()
    git(folder, "init", "-q")
    commit(folder)
    return folder


def release(folder, *arguments, **environment):
    command = [folder / "packaging" / "release", *arguments]
    changed = {**os.environ, **environment}
    return subprocess.run(command, env=changed, capture_output=True, text=True)


def refused(folder, *arguments):
    ran = release(folder, *arguments)
    assert ran.returncode == 1 and len(ran.stderr.splitlines()) == 1, ran.stderr
    return ran.stderr


# --- may it be released? ---


@pytest.mark.parametrize("arguments", [(), ("--tag", "v1.0.0")])
def test_a_checkout_that_may_be_released(checkout, arguments):
    ran = release(checkout, "check", *arguments)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["CHANGELOG.md", "new.c"])
def test_a_dirty_tree(checkout, name):
    with (checkout / name).open("a") as file:
        file.write("- more\n")
    assert refused(checkout, "check") == f"release: not all is committed: {name}\n"
    assert name in refused(checkout, "build")


def test_several_changed_files(checkout):
    for name in "abc":
        (checkout / name).touch()
    assert "not all is committed: a and 2 more" in refused(checkout, "check")


@pytest.mark.parametrize("tag", ["1.0.0", "v1.0.1", "v1.0.0-rc1", ""])
def test_another_tag(checkout, tag):
    said = refused(checkout, "check", "--tag", tag)
    assert f"the tag is {tag}, but VERSION says 1.0.0: expected v1.0.0" in said


@pytest.mark.parametrize("number", ["1.0", "v1.0.0", "1.0.0-rc1", "", "1.0.0\n2.0.0"])
def test_another_form_of_version(checkout, number):
    (checkout / "VERSION").write_text(number + "\n")
    commit(checkout)
    assert "expected three numbers, such as 1.0.0" in refused(checkout, "check")


NOTHING = 'CHANGELOG.md says nothing of 1.0.0: expected "## 1.0.0 - YYYY-MM-DD"'


@pytest.mark.parametrize(
    "changelog, why",
    [
        (GOOD.replace("1.0.0", "1.0.1"), NOTHING),
        (GOOD.replace("1.0.0", "1x0x0"), NOTHING),
        (GOOD.replace(" - 2026-12-01", ""), NOTHING),
        (GOOD.replace("### Added\n\n- all\n", ""), NOTHING),
        ("", NOTHING),
        (GOOD.replace("Unreleased\n", "Unreleased\n\n- y\n"), 'entries under "Unreleased"'),
    ],
)
def test_a_changelog_without_the_version(checkout, changelog, why):
    (checkout / "CHANGELOG.md").write_text(changelog)
    commit(checkout)
    assert why in refused(checkout, "check")


def test_no_checkout(checkout):
    shutil.rmtree(checkout / ".git")
    assert "git status failed" in refused(checkout, "check")


def test_make_release_asks_first(checkout):
    """Before the check, which takes minutes."""
    rule = (ROOT / "packaging" / "packaging.mk").read_text().partition("\nrelease:")[2]
    steps = [line for line in rule.partition("\n\n")[0].splitlines() if line[:1] == "\t"]
    first, checked, last = steps
    assert "release check" in first and checked.endswith(" check") and "release build" in last
    (checkout / "Makefile").write_text("check:\n\t@echo checked\nrelease:\n" + "\n".join(steps))
    commit(checkout)
    (checkout / "new").touch()
    for tag, why in (
        ("", "not all is committed: new"),
        ("v1$(error x)", "the tag is v1$(error x),"),
    ):
        changed = {**os.environ, "TAG": tag}
        ran = subprocess.run(
            ["make", "release"], cwd=checkout, env=changed, capture_output=True, text=True
        )
        assert ran.returncode != 0 and why in ran.stderr and "checked" not in ran.stdout


# --- two builds ---


def makefile(checkout, content):
    text = MAKEFILE.format(dist=" ".join(FILES[:3]), content=content)
    (checkout / "Makefile").write_text(text)
    commit(checkout)


def test_equal_builds(checkout):
    makefile(checkout, "same")
    for _ in range(2):
        ran = release(checkout, "build", SHIM="none", SOURCE_DATE_EPOCH="1", MAKEFLAGS="n")
        assert ran.returncode == 0, ran.stderr
        made = checkout / "build" / "release"
        sums = dict(line.split()[::-1] for line in (made / "SHA256SUMS").read_text().splitlines())
        assert {*sums, "SHA256SUMS"} == {path.name for path in made.iterdir()}
        assert {*sums} == {name.rpartition("/")[2] for name in FILES}
        for name, sum_ in sums.items():
            assert hashlib.sha256((made / name).read_bytes()).hexdigest() == sum_
        assert (made / FILES[-1]).read_text() == "\n"  # nothing of the environment
    assert (checkout / "build" / "release.md").read_text() == "### Added\n\n- all\n"
    assert {path.name for path in (checkout / "build").iterdir()} == {"release", "release.md"}


@pytest.mark.parametrize("content", ["$(CURDIR)", "$$(date +%N)", "$$TZ", "$$(umask)"])
def test_builds_that_differ(checkout, content):
    makefile(checkout, content)
    (checkout / "build" / "release").mkdir()  # of an earlier commit
    said = refused(checkout, "build")
    assert "two builds are not equal: " in said and said.count("okram_1.0.0_amd64.deb") == 2
    assert not (checkout / "build" / "release").exists()


def test_a_build_that_fails(checkout):
    makefile(checkout, "x && exit 3")
    said = refused(checkout, "build")
    assert "make deb failed in " in said
    log = checkout / "build" / "release-builds" / "one.log"
    assert str(log) in said and "Error 3" in log.read_text()


def test_a_file_that_is_not_made(checkout):
    makefile(checkout, "x; rm build/dist/okram-1.0.0.iso")
    assert "one dist/okram-1.0.0.iso is expected in " in refused(checkout, "build")


@pytest.mark.slow
def test_okram_as_1_0_0(tmp_path):
    """Twice, each time by two builds."""
    folder = tmp_path / "okram"
    git(tmp_path, "clone", "-q", "--no-hardlinks", ROOT, folder)
    (folder / "VERSION").write_text("1.0.0\n")
    (folder / "CHANGELOG.md").write_text(GOOD)
    commit(folder)
    (folder / "build").mkdir()
    (folder / "build" / "venv").symlink_to(ROOT / "build" / "venv")
    sums = set()
    for _ in range(2):
        ran = release(folder, "build")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        sums.add((folder / "build" / "release" / "SHA256SUMS").read_text())
    assert len(sums) == 1 and "  okram-1.0.0.iso\n" in sums.pop()
