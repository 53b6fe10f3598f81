# SPDX-License-Identifier: MIT
"""`make install`: what it gives, that root runs only what root alone can change, and that `okram
guard` needs nothing else."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from okramlib import BUILD, ROOT, cli, version
from tools import guard_samples as samples
from tools.installed import install, make, watched
from tools.samples import GOOD

NOBODY = 12345  # no user of this machine
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
LARGE = ("okram.iso", "okram.elf")
SYSTEM_PYTHON = Path("/usr/bin/python3")


def is_new_enough(python):
    code = "import sys; sys.exit(sys.version_info < (3, 11))"
    return python.exists() and not subprocess.run([python, "-c", code]).returncode


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Without modules of others."""
    return install(tmp_path_factory.mktemp("installed"), "MODULES=system")


@pytest.fixture
def copy(installed, tmp_path):
    """One to damage."""
    return Path(shutil.copytree(installed, tmp_path / "usr", ignore=shutil.ignore_patterns(*LARGE)))


@pytest.fixture
def box(tmp_path):
    (tmp_path / "box").mkdir()
    return samples.make(tmp_path / "box")


@pytest.fixture
def checkout():
    """The command in a checkout that every user can read; its set-up tells of itself."""
    folder = Path(tempfile.mkdtemp(prefix="okram-checkout-"))
    folder.chmod(0o755)
    shutil.copytree(ROOT / "tools", folder / "tools")
    shutil.copy(ROOT / "VERSION", folder)
    (folder / "tools" / "setup").write_text("#!/bin/sh\necho set up by $(id -u) >&2\nexit 1\n")
    yield folder
    shutil.rmtree(folder)


def give_away(folder):
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def installer(folder, *settings, root=ROOT):
    """What `make install` calls."""
    settings = [
        "PREFIX=/usr",
        "MODULES=bundled",
        "RUN=yes",
        "PYTHON=",
        *settings,
        f"DESTDIR={folder}",
    ]
    environment = os.environ | dict(setting.split("=", 1) for setting in settings)
    command = [root / "tools" / "install" / "install", "copy"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def entries(folder):
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in folder.rglob("*")
    }


def run(prefix, *arguments, **options):
    return subprocess.run(
        [prefix / "bin" / "okram", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin"},
        cwd="/",
        **options,
    )


# --- what is installed ---


def test_the_command(installed):
    ran = run(installed, "--version")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"okram {version()}\n", "")
    first = (installed / "bin" / "okram").read_text().splitlines()[0]
    assert re.fullmatch(r"#!/\S+ -ISB", first)


def test_who_may_write(installed):
    paths = [path for path in installed.rglob("*") if not path.is_symlink()]
    assert len(paths) > 100
    assert [
        path for path in paths if path.stat().st_mode & 0o022 or not path.stat().st_mode & 4
    ] == []
    assert {path.stat().st_uid for path in paths} == {os.geteuid()}


def test_the_guard_needs_nothing_else_and_test_writes_nothing(installed, box):
    """Neither modules of others nor make nor any file outside of what is installed."""
    before = box.state(), entries(installed)
    options = [str(option) for option in box.options(is_install=False)]
    options += ["--guard", str(box.driver), "--list", "-"]
    ran = watched(installed / "bin" / "okram", "guard", "test", *options, input=samples.BAD_LINE)
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.splitlines()) == 7
    assert all(line.startswith("ok ") for line in ran.stdout.splitlines())
    told = [line.split(": ") for line in ran.stderr.splitlines()]
    lib = installed / "lib" / "okram"
    assert {tuple(words) for words in told} == {
        ("started", str(lib / "badram")),
        ("started", str(lib / "guardlist")),
    }
    assert (box.state(), entries(installed)) == before


def test_its_own_driver(installed, box):
    options = [str(option) for option in box.options(is_install=False)]
    ran = run(
        installed, "guard", "install", *options, "--list", "-", "--yes", input=samples.BAD_LINE
    )
    assert ran.returncode == 0, ran.stderr
    driver = (box.esp / "EFI" / "okram" / "okram-guardx64.efi").read_bytes()
    assert driver == (BUILD / "okram-guard.efi").read_bytes()


def test_what_it_has_not_got(copy, box):
    """It neither builds nor sets up: it says what is missing."""
    options = [str(option) for option in box.options(is_install=False)] + ["--list", "-"]
    lines = json.dumps({"t": 1, **GOOD[0]}) + "\n"
    (copy / "lib" / "okram" / "python3.2").mkdir()  # the modules are those of another Python
    for arguments in (["badram"], ["guard", "test", *options]):
        ran = watched(copy / "bin" / "okram", *arguments, input=lines)
        assert ran.returncode == 2 and re.search(r"has no module \w+ for okram: ", ran.stderr)
        assert len(ran.stderr.splitlines()) == 1
    (copy / "lib" / "okram" / "guardlist").unlink()
    ran = watched(copy / "bin" / "okram", "guard", "test", *options, input=samples.BAD_LINE)
    assert ran.returncode == 1 and "guardlist is missing: install okram again." in ran.stdout


def test_with_modules(tmp_path):
    """A report as anybody makes one, from a folder without a checkout."""
    prefix = install(tmp_path)
    (modules,) = (prefix / "lib" / "okram").glob("python3.*")
    lines = "".join(json.dumps({"t": 1, **record}) + "\n" for record in GOOD)
    before = entries(prefix)
    ran = run(prefix, "report", input=lines)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[-1] == "badram=0x1000,0xffffffffff000"
    ran = run(prefix, "report", "--html", input=lines)
    assert ran.returncode == 0 and ran.stdout.startswith("<!DOCTYPE html>")
    ran = run(prefix, "badram", input="0x5000123\n")
    assert (ran.returncode, ran.stdout) == (0, "badram=0x5000000,0xffffffffff000\n")
    assert entries(prefix) == before

    # Another Python, or another's module there: what needs them says so.
    if os.geteuid() == 0:
        os.chown(modules / "rich" / "table.py", NOBODY, -1)
        ran = run(prefix, "report", input=lines)
        assert (
            ran.returncode == 2 and f"the user {NOBODY} owns {modules}/rich/table.py" in ran.stderr
        )
        assert run(prefix, "--version").returncode == 0
    modules.rename(modules.with_name("python3.2"))
    ran = run(prefix, "report", input=lines)
    assert ran.returncode == 2 and "has no module " in ran.stderr

    assert make("uninstall", "PREFIX=/usr", f"DESTDIR={tmp_path}").returncode == 0
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []
    assert not (prefix / "lib" / "okram").exists()


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["PREFIX=usr"], "PREFIX=usr does not begin with a slash."),
        (["MODULES=some"], "MODULES=some is neither bundled nor system."),
        (["RUN=some"], "RUN=some is neither yes nor no."),
        (["MODULES=system", "PYTHON=/nowhere"], "/nowhere is missing: name an interpreter"),
        (["MODULES=system", "PYTHON=python3"], "'python3' does not begin with a slash"),
    ],
)
def test_refused_installations(tmp_path, arguments, why):
    ran = installer(tmp_path, *arguments)
    assert ran.returncode and why in ran.stderr and not list(tmp_path.iterdir())


@AS_ROOT
def test_an_interpreter_that_root_does_not_own(tmp_path):
    shutil.copy("/bin/true", tmp_path / "python3")
    os.chown(tmp_path / "python3", NOBODY, -1)
    ran = installer(tmp_path / "to", "MODULES=system", f"PYTHON={tmp_path}/python3")
    assert ran.returncode and "root does not own" in ran.stderr and not (tmp_path / "to").exists()


# --- nobody who can write to the checkout decides what root reads ---

SECRET = "nobody else may read this"
BUILT = """
okram.iso okram.elf okram.efi okram-ia32.efi okram-guard.efi okram.lkrn okram.0 badram guardlist
okram.bash okram.1 viewer/head.html viewer/end.html plugin/faultram.so modules/files/rich/table.py
venv/pyvenv.cfg
"""


@pytest.fixture
def built(checkout):
    """A checkout that has been built, as far as `make install` looks."""
    for name in ("docs", "packaging"):
        shutil.copytree(ROOT / name, checkout / name)
    for name in ("README.md", "CHANGELOG.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, checkout)
    for name in BUILT.split():
        path = checkout / "build" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    version = subprocess.check_output([SYSTEM_PYTHON, "-c", code], text=True)
    (checkout / "build" / "modules" / "made").write_text(version)
    if os.geteuid() == 0:
        give_away(checkout)
    return checkout


@pytest.fixture
def secret(tmp_path):
    """A folder of root's, with files that have all names."""
    folder = tmp_path / "secret"
    for name in BUILT.split() + ["made", "table.py"]:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
        path.chmod(0o600)
    return folder


def link(path, secret):
    """To a file, or to a folder."""
    target = secret if path.is_dir() else secret / path.name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.symlink_to(target)


def dangle(path, secret):
    path.unlink()
    path.symlink_to(secret / "nothing")


def make_pipe(path, secret):
    path.unlink()
    os.mkfifo(path)


def link_hard(path, secret):
    path.unlink()
    of_root = path.parents[1] / "of-root"  # on the same disk
    of_root.write_text((secret / path.name).read_text())
    os.link(of_root, path)


def give_to_root(path, secret):
    os.chown(path, 0, 0)
    path.chmod(0o600)


def nest(path, secret):
    for _ in range(60):
        path = path / "in"
        path.mkdir()


TRAPS = [
    (link, "build/okram.iso", "is a link"),
    (link, "build/modules/made", "is a link"),
    (link, "build/viewer", "is a link"),
    (link, "build", "is a link"),
    (link, "docs/manual.md", "is a link"),
    (link, "build/modules/files", "is a link"),
    (link, "build/modules/files/rich", "is a link"),
    (link, "build/modules/files/rich/table.py", "is a link"),
    (dangle, "build/okram.efi", "is a link"),
    (dangle, "build/modules/files/rich/table.py", "is a link"),
    (make_pipe, "build/okram.1", "is neither a file nor a folder"),
    (make_pipe, "build/modules/made", "is neither a file nor a folder"),
    (make_pipe, "build/modules/files/rich/table.py", "is neither a file nor a folder"),
    (nest, "build/modules/files/rich", "is in more than 40 folders"),
    (link_hard, "build/okram.lkrn", "is another name of a file that the user 0 owns"),
    (give_to_root, "build/badram", "cannot be read (Permission denied)"),
]
AS_OWNER = (link_hard, give_to_root)
OF_THE_SYSTEM = pytest.mark.skipif(not is_new_enough(SYSTEM_PYTHON), reason="no Python of root's")


@OF_THE_SYSTEM
@pytest.mark.parametrize("trap, name, why", TRAPS)
def test_what_is_no_file_of_the_checkout(built, secret, tmp_path, trap, name, why):
    if trap in AS_OWNER and os.geteuid() != 0:
        pytest.skip("only root has more rights than the owner")
    trap(built / name, secret)
    ran = installer(tmp_path / "to", root=built)
    (line,) = ran.stderr.splitlines()
    assert ran.returncode and line.startswith(f"install: {name}") and f" {why}" in line
    assert "Remove it, and get the file again" in line
    files = [path for path in (tmp_path / "to").rglob("*") if path.is_file()]
    assert not [path for path in files if SECRET in path.read_text(errors="replace")]
    assert not [path for path in files if path.name.endswith(".new") or "okram.new" in path.parts]
    assert not (tmp_path / "to" / "usr" / "bin" / "okram").exists() or name.startswith("docs")


@OF_THE_SYSTEM
def test_a_checkout_without_traps(built, tmp_path):
    """And the owner's rights are enough for it."""
    (built / "build" / "okram.iso").chmod(0o600)
    os.link(built / "build" / "okram.iso", built / "build" / "copy.iso")  # as modules are
    ran = installer(tmp_path, root=built)
    assert (ran.returncode, ran.stderr) == (0, "")
    lib = tmp_path / "usr" / "lib" / "okram"
    assert (lib / "okram.iso").read_text() == "okram.iso"
    (table,) = lib.glob("python3.*/rich/table.py")
    for path, mode in ((table, 0o644), (lib / "badram", 0o755), (lib / "okram.iso", 0o644)):
        info = path.stat()
        assert (info.st_uid, info.st_mode & 0o777) == (os.geteuid(), mode)


@OF_THE_SYSTEM
@pytest.mark.parametrize("trap", [link, dangle, make_pipe])
def test_the_interpreter_that_a_link_names(built, secret, tmp_path, trap):
    (built / "build" / "modules" / "made").write_text("3.98\n")
    trap(built / "build" / "venv" / "pyvenv.cfg", secret)
    ran = installer(tmp_path / "to", root=built)
    assert ran.returncode and "install: build/venv/pyvenv.cfg is " in ran.stderr
    assert not (tmp_path / "to").exists()


@AS_ROOT
@OF_THE_SYSTEM
@pytest.mark.parametrize("made", ["3.98", "/../python3.98"])
def test_an_interpreter_that_a_user_can_replace(built, tmp_path, made):
    """It is root's, by a link in a folder of the user's."""
    home = built / "build" / "bin"
    home.mkdir()
    (home / "python").mkdir()
    (home / "python3.98").symlink_to(SYSTEM_PYTHON)
    give_away(home)
    (built / "build" / "venv" / "pyvenv.cfg").write_text(f"home = {home}\n")
    (built / "build" / "modules" / "made").write_text(made)
    ran = installer(tmp_path / "to", root=built)
    assert ran.returncode and "install: root does not own " in ran.stderr
    assert not (tmp_path / "to").exists()


@AS_ROOT
def test_root_does_not_build_for_a_user(checkout):
    """`sudo make install` copies what the user has built, and says what is missing."""
    for name in ("Makefile", "boot", "iso", "kernel", "tests"):
        source = ROOT / name
        shutil.copytree(source, checkout / name) if source.is_dir() else shutil.copy(
            source, checkout
        )
    arguments = ["-n", "install", "MODULES=system", "DESTDIR=/nowhere"]
    assert " host" in make(*arguments, root=checkout).stdout
    give_away(checkout)
    assert " host" not in make(*arguments, root=checkout).stdout
    ran = make(*arguments[1:], root=checkout)
    assert ran.returncode and "build/badram is missing: run 'make host' first" in ran.stderr
    assert not (checkout / "build" / "badram").exists()


# --- root runs only what root alone can change ---


def refuse(program, arguments, why, **options):
    """One sentence, and nothing else is done."""
    ran = watched(program, *arguments, **options)
    assert ran.returncode == 2 and ran.stdout == ""
    (line,) = ran.stderr.splitlines()
    assert line.startswith("okram: root runs only what root alone can change, and ")
    assert why in line and line.endswith(".") and line.count(". ") == 0
    return line


CHANGES = [
    ("bin/okram", "owner"),
    ("bin", "others"),
    ("lib", "group"),
    ("lib/okram", "owner"),
    ("lib/okram", "sticky"),
    ("lib/okram/okramlib/guard", "group"),
    ("lib/okram/okramlib/guard/steps.py", "others"),
    ("lib/okram/guardlist", "owner"),
    ("lib/okram/okram-guard.efi", "group"),
    ("..", "others"),
]


@AS_ROOT
@pytest.mark.parametrize("name, whose", CHANGES)
def test_what_others_can_change(copy, name, whose):
    path = copy / name
    if whose == "owner":
        os.chown(path, NOBODY, -1)
        why = f"the user {NOBODY} owns {os.path.abspath(path)}"
    else:
        path.chmod({"group": 0o775, "others": 0o757, "sticky": 0o1777}[whose])
        why = f"others than root may write to {os.path.abspath(path)}"
    for arguments in (["guard", "test"], ["badram"], ["--version"]):
        refuse(copy / "bin" / "okram", arguments, why)


@AS_ROOT
def test_a_link_out_of_the_tree(copy, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    program = copy / "lib" / "okram" / "guardlist"
    program.rename(outside / "guardlist")
    program.symlink_to(outside / "guardlist")
    assert run(copy, "--version").returncode == 0
    os.chown(outside, NOBODY, -1)
    refuse(copy / "bin" / "okram", ["guard", "status"], f"the user {NOBODY} owns {outside}")


def test_others_than_root_may_run_any_tree(copy, installed):
    """Who is not root decides alone."""
    if os.geteuid() == 0:
        pytest.skip("this is run by root")
    copy.chmod(0o777)
    assert run(copy, "--version").returncode == 0


@AS_ROOT
@pytest.mark.parametrize("arguments", [["guard", "test"], ["badram"], ["run"], ["report"]])
def test_a_checkout_of_a_user(checkout, arguments):
    give_away(checkout)
    before = entries(checkout)
    line = refuse(
        checkout / "tools" / "okram", arguments, f"the user {NOBODY} owns {checkout}", flags="-EsS"
    )
    assert "`make install` gives root a command of its own" in line
    assert entries(checkout) == before


@AS_ROOT
def test_the_guard_from_a_checkout_of_root(checkout):
    ran = watched(checkout / "tools" / "okram", "guard", "test", flags="-EsB")
    assert ran.returncode == 2 and ran.stdout == ""
    assert ran.stderr == (
        "okram: as root, guard is for the installed command only: `make install` installs it, then"
        " run okram guard.\n"
    )


@AS_ROOT
def test_all_else_from_a_checkout_of_root(checkout):
    """As CI and containers do; it may set up, as `make check` does there."""
    ran = watched(checkout / "tools" / "okram", "badram", flags="-EsSB", input="0x1000\n")
    assert ran.returncode == 2 and "set up by 0" in ran.stderr


@AS_ROOT
@pytest.mark.skipif(not is_new_enough(SYSTEM_PYTHON), reason="no Python that every user can run")
def test_a_checkout_of_a_user_run_by_its_user(checkout):
    """As ever: it sets itself up."""
    give_away(checkout)
    options = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
    options |= {"flags": "-EsS", "python": SYSTEM_PYTHON}
    ran = watched(checkout / "tools" / "okram", "--version", **options)
    assert (ran.returncode, ran.stdout) == (0, f"okram {version()}\n")
    ran = watched(checkout / "tools" / "okram", "badram", input="0x1000\n", **options)
    assert ran.returncode == 2 and f"set up by {NOBODY}" in ran.stderr
    assert "tools/setup did not install what is missing" in ran.stderr


# --- the manual and the completion ---


def options_of(parser):
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield name
                yield from options_of(inner)
        yield from action.option_strings


def test_the_manual_has_every_option():
    text = (ROOT / "docs" / "manual.md").read_text()
    words = set(re.findall(r"[\w-]+", text))
    wanted = set(options_of(cli.parser())) - {"-h", "-v"}
    assert len(wanted) > 40 and wanted - words == set()
    of_the_command = text.split("## The command `okram`")[1].split("# For testers")[0]
    named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", of_the_command))
    assert len(named) > 40 and named - wanted == set()


def test_the_manual_is_well_formed():
    ran = subprocess.run(
        ["groff", "-man", "-t", "-ww", "-Tutf8", BUILD / "okram.1"], capture_output=True, text=True
    )
    shown = re.sub(r"\x1b\[\d*m", "", ran.stdout)
    assert ran.returncode == 0 and ran.stderr == "" and "okram guard" in shown
    assert "](" not in shown and "<!--" not in shown and "|---" not in shown


@pytest.mark.parametrize(
    "words, found",
    [
        (["gu"], {"guard"}),
        (["guard", ""], {"install", "status", "remove", "test"}),
        (["esp", ""], {"install", "remove"}),
        (["guard", "install", "--w"], {"--way"}),
        (["guard", "install", "--way", "s"], {"systemd", "shim"}),
        (["guard", "status", "--j"], {"--json"}),
        (["report", "--efivars", "/etc/passw"], {"/etc/passwd", "/etc/passwd-"}),
    ],
)
def test_completion(installed, words, found):
    file = installed / "share" / "bash-completion" / "completions" / "okram"
    line = " ".join(f"'{word}'" for word in ["okram", *words])
    script = f"""
        source {file}
        compopt() {{ :; }}  # outside of a completion it only complains
        COMP_WORDS=({line}); COMP_CWORD={len(words)}
        _shtab_okram
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    got = set(ran.stdout.split())
    assert ran.stderr == "" and got and got <= found | {"/etc/passwd-"}
    assert not {"/etc/passwd"} & found or "/etc/passwd" in got


def test_python_of_the_tests_is_the_one_of_the_modules():
    """What `make host` has put together is of build/venv."""
    made = (BUILD / "modules" / "made").read_text().strip()
    assert made == f"{sys.version_info.major}.{sys.version_info.minor}"
