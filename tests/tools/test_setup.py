# SPDX-License-Identifier: MIT
"""tools/setup where it cannot install: it reports what is missing and stops."""

import shutil
import subprocess
from pathlib import Path

import pytest

from okramlib import ROOT


@pytest.fixture
def bare(tmp_path):
    """A PATH with next to nothing on it, and apt-get only when a test adds one."""
    for name in ("dirname", "python3"):
        (tmp_path / name).symlink_to(shutil.which(name))
    add(tmp_path, "id", "echo 1000")
    return tmp_path


def add(directory, name, script):
    (directory / name).write_text(f"#!/bin/sh\n{script}\n")
    (directory / name).chmod(0o755)


def set_up(path, *arguments):
    return subprocess.run(
        ["/bin/sh", ROOT / "tools" / "setup", *arguments],
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_another_distribution_gets_the_list(bare):
    ran = set_up(bare)
    assert ran.returncode == 1
    assert ran.stderr.startswith("setup: this is neither Debian nor Ubuntu; please install")
    assert " nasm " in ran.stderr and " qemu-system-x86" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_benchmarks_take_more(bare):
    assert " likwid" in set_up(bare, "bench").stderr
    assert " likwid" not in set_up(bare).stderr


def test_tests_take_another_emulator(bare):
    assert " bochs" in set_up(bare, "check").stderr
    assert " bochs" not in set_up(bare).stderr


def test_fuzzing_takes_clang(bare):
    assert " clang libclang-rt-dev llvm" in set_up(bare, "fuzz").stderr
    assert " clang" not in set_up(bare).stderr


def test_the_second_compiler_takes_what_analyses(bare):
    assert " clang libclang-rt-dev clang-tidy cppcheck" in set_up(bare, "clang").stderr


def test_newer_qemu_takes_the_keys_of_debian(bare):
    keys = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
    assert (" debian-archive-keyring" in set_up(bare, "qemu").stderr) != keys.exists()
    assert " debian-archive-keyring" not in set_up(bare).stderr


def test_a_build_takes_no_emulator(bare):
    """As `make dist` calls it; the package takes debhelper in addition, and its tests lintian."""
    build, package, wheel = (set_up(bare, to).stderr for to in ("build", "deb", "wheel"))
    assert " nasm " in build and " mtools" in build and " shellcheck" not in build
    assert " debhelper" in package and " debhelper" not in build and " lintian" not in package
    assert " debhelper" in set_up(bare, "package").stderr
    for text in (build, package, wheel):
        assert " qemu" not in text and " ovmf" not in text


@pytest.mark.parametrize(
    "target, first",
    [
        ("dist", "tools/setup build"),
        ("deb", "tools/setup deb"),
        ("wheel", "tools/setup wheel"),
        ("release", 'packaging/release check ${TAG:+--tag "$TAG"}'),
    ],
)
def test_what_is_handed_out_is_set_up_first(target, first):
    command = ["make", "--dry-run", "--no-print-directory", target]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout.splitlines()[0].strip() == first


def test_unknown_purpose(bare):
    ran = set_up(bare, "biscuits")
    assert ran.returncode == 1
    assert "'biscuits'" in ran.stderr and len(ran.stderr.splitlines()) == 1


def test_a_user_without_sudo_gets_the_command(bare):
    add(bare, "apt-get", "echo called >&2")
    ran = set_up(bare)
    assert ran.returncode == 1
    assert ran.stderr.startswith("setup: as root, please run: apt-get install ")
    assert "called" not in ran.stderr


def test_apt_fails(bare):
    add(bare, "apt-get", "exit 100")
    add(bare, "sudo", '"$@"')
    (bare / "env").symlink_to(shutil.which("env"))
    ran = set_up(bare)
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1].startswith("setup: apt-get update failed")


def test_another_apt_is_waited_for(bare):
    """Twice the lock is taken; then the lists cannot be fetched, which ends it at once."""
    add(bare, "sudo", '"$@"')
    add(bare, "sleep", f"echo >>{bare}/slept")
    (bare / "env").symlink_to(shutil.which("env"))
    lock = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)"
    add(
        bare,
        "apt-get",
        f'[ -e {bare}/second ] && {{ echo "E: no network" >&2; exit 100; }}\n'
        f'[ -e {bare}/first ] && : >{bare}/second\n: >{bare}/first\necho "{lock}" >&2\nexit 100',
    )
    ran = set_up(bare)
    assert ran.returncode == 1 and (bare / "slept").read_text() == "\n\n"
    assert ran.stdout.count("another program is installing packages; waiting for it") == 1
    assert ran.stderr.splitlines() == [
        "E: no network",
        "setup: apt-get update failed: the package lists cannot be fetched.",
    ]


def test_a_lock_that_stays_ends_it(bare):
    add(bare, "sudo", '"$@"')
    add(bare, "sleep", f"echo >>{bare}/slept")
    (bare / "env").symlink_to(shutil.which("env"))
    add(bare, "apt-get", 'echo "E: Unable to lock directory /var/lib/apt/lists/" >&2; exit 100')
    ran = set_up(bare)
    assert ran.returncode == 1 and len((bare / "slept").read_text()) == 120
    assert "E: Unable to lock directory" in ran.stderr


def test_a_fresh_checkout_makes_the_environment_once(tmp_path):
    """`make check` makes it while it builds what needs it: not by two setups at a time."""
    command = ["make", "-n", f"BUILD={tmp_path}", "environment", "host"]
    ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    setups = [line for line in ran.stdout.splitlines() if line.startswith("tools/setup")]
    assert setups == ["tools/setup", "tools/setup check"]
