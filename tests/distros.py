# SPDX-License-Identifier: MIT
"""The two commands of README's "Build it" in distributions made from nothing: `make check-distros`.

Each distribution is bootstrapped in build/distros, gets a clone of the checkout's last commit, and
runs `make run` and `make check` in it. Needs root. DISTROS selects the distributions, MIRROR_DEBIAN
and MIRROR_UBUNTU their mirrors; the default is the mirror of this machine's apt.

Mounts and processes are in a mount and a PID namespace, which end with the run: nothing is left
behind however it ends, and no rm reaches through a mount.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "build" / "distros"
CHECKOUT = Path("root/okram")  # in a distribution

SCRIPTS = Path("/usr/share/debootstrap/scripts")
BOOTSTRAP_DEADLINE_S = 3600
DEADLINE_S = 3 * 3600  # for one distribution; a check takes some 20 minutes
BAD_PAGES_FOUND = 1  # what `make run` returns

COUNTS = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)

NAMESPACES = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]

# In them a command in a distribution, whose /dev is what debootstrap made.
INSIDE = """
set -e
mount -t proc proc "$1/proc"
mount -t sysfs -o ro sysfs "$1/sys"
mkdir -p "$1/dev/shm" "$1/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$1/dev/pts"
exec chroot "$1" /bin/sh -c "cd /$2 && $3"
"""

# Environment variables for the access to packages.
REACH = re.compile(r"(pip|ssl|requests)_.*|(https?|ftp|all|no)_proxy", re.IGNORECASE)
PIP_FILES = ("etc/pip.conf", "root/.config/pip/pip.conf", "root/.pip/pip.conf")


class Trouble(Exception):
    """An error that the user can fix, in one sentence."""


@dataclass(frozen=True)
class Distribution:
    suite: str
    family: str
    script: str  # of debootstrap, for one that does not know the suite by its name
    components: str = "main"


DISTRIBUTIONS = {
    "bookworm": Distribution("bookworm", "Debian", "sid"),
    "trixie": Distribution("trixie", "Debian", "sid"),
    "noble": Distribution("noble", "Ubuntu", "gutsy", "main,universe"),
}
DEFAULT = ("bookworm", "trixie")


def chosen():
    names = os.environ.get("DISTROS", "").split() or DEFAULT
    for name in names:
        if name not in DISTRIBUTIONS:
            known = ", ".join(DISTRIBUTIONS)
            raise Trouble(f"DISTROS: {name} is not known here; these are: {known}.")
    return [DISTRIBUTIONS[name] for name in names]


def main():
    try:
        distributions = chosen()
        if os.geteuid() != 0:
            raise Trouble("this makes chroots: please run it as root.")
        need_debootstrap()
        HERE.mkdir(parents=True, exist_ok=True)
        verdicts = [checked(distribution) for distribution in distributions]
    except Trouble as trouble:
        print(f"check-distros: {trouble}", file=sys.stderr)
        return 2
    print()
    for line, _ in verdicts:
        print(line)
    return 0 if all(good for _, good in verdicts) else 1


def need_debootstrap():
    if not shutil.which("debootstrap"):
        subprocess.run(["apt-get", "-qq", "update"], check=False)
        subprocess.run(["apt-get", "-qq", "install", "-y", "debootstrap"], check=False)
    if not shutil.which("debootstrap"):
        raise Trouble("debootstrap cannot be installed: please do.")


def checked(distribution):
    """(a line with the result, whether that is good); the output is in its log."""
    begin = time.monotonic()
    path = HERE / f"{distribution.suite}.log"
    print(f"{distribution.suite}: the log is {path}", flush=True)
    with open(path, "w") as log:
        try:
            result, good = run_commands(distribution, log)
        except Trouble as trouble:
            result, good = str(trouble), False
    minutes = (time.monotonic() - begin) / 60
    line = f"{distribution.suite}: {result}, {minutes:.0f} minutes"
    print(line, flush=True)
    return line, good


def run_commands(distribution, log):
    chroot = make_chroot(distribution, log)
    deadline = time.monotonic() + DEADLINE_S
    code = inside(chroot, CHECKOUT, "make run", log, deadline)
    begin = log.tell()
    inside(chroot, CHECKOUT, "make check", log, deadline)
    output = Path(log.name).read_bytes()[begin:].decode(errors="replace")
    counts = COUNTS.findall(output)
    passed, failed = counts[-1] if counts else ("0", "1")
    ended = "" if counts else "make check did not finish, "
    returned = f"make run returned {code}" + ("" if code == BAD_PAGES_FOUND else " instead of 1")
    good = code == BAD_PAGES_FOUND and counts and failed == "0" and passed != "0"
    return f"{returned}; {ended}{passed} passed, {failed} failed", bool(good)


def make_chroot(distribution, log):
    chroot = HERE / distribution.suite
    remove(chroot)
    bootstrap(distribution, chroot, log)
    reach_packages(chroot)
    inside(chroot, "", "update-ca-certificates", log, time.monotonic() + BOOTSTRAP_DEADLINE_S)
    clone(chroot / CHECKOUT, log)
    return chroot


def remove(chroot):
    """Never through a mount of this machine."""
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    within = [mount for mount in mounts if Path(mount).is_relative_to(chroot)]
    if within:
        raise Trouble(f"{within[0]} is mounted: please unmount it first")
    if chroot.exists():
        subprocess.run(["rm", "-rf", "--one-file-system", "--", chroot], check=True)


def bootstrap(distribution, chroot, log):
    command = [*NAMESPACES, "debootstrap", "--variant=minbase", "--include=make,ca-certificates"]
    command += [f"--components={distribution.components}", distribution.suite, chroot]
    command.append(mirror_of(distribution.family))
    if not (SCRIPTS / distribution.suite).exists():
        command.append(SCRIPTS / distribution.script)
    if run(command, log, time.monotonic() + BOOTSTRAP_DEADLINE_S) != 0:
        raise Trouble("debootstrap failed: see its log")


def mirror_of(family):
    """Where this machine's apt takes the family's packages from; "": debootstrap's own choice."""
    named = os.environ.get(f"MIRROR_{family.upper()}", "")
    if named:
        return named
    format_ = "$(ORIGIN)|$(REPO_URI)|$(SUITE)|$(LABEL)"
    command = ["apt-get", "indextargets", "--format", format_, "Created-By: Packages"]
    targets = subprocess.run(command, capture_output=True, text=True).stdout
    for line in targets.splitlines():
        origin, uri, suite, label = line.split("|")
        if (origin, label) == (family, family) and "security" not in suite:
            return uri
    return ""


def reach_packages(chroot):
    """The distribution reaches packages as this machine does: certificates, proxies, registries."""
    for certificate in Path("/usr/local/share/ca-certificates").glob("**/*.crt"):
        shutil.copy(certificate, chroot / "usr/local/share/ca-certificates")
    for name in PIP_FILES:
        if Path("/", name).exists():
            (chroot / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path("/", name), chroot / name)
    for name in ("hosts", "resolv.conf"):
        (chroot / "etc" / name).unlink(missing_ok=True)  # may be a link, to a file of this machine
        if Path("/etc", name).exists():
            shutil.copy(Path("/etc", name), chroot / "etc" / name)
    config = subprocess.run(["apt-config", "dump", "Acquire"], capture_output=True, text=True)
    wanted = re.compile(r"Acquire::(https?|ftp|Retries|Check-.*?)(::.*)? \".+\";", re.IGNORECASE)
    lines = [line + "\n" for line in config.stdout.splitlines() if wanted.fullmatch(line)]
    (chroot / "etc/apt/apt.conf.d/90host").write_text("".join(lines))


def clone(to, log):
    """Root's git refuses another user's checkout unless its own configuration trusts it."""
    trusts = HERE / "gitconfig"
    trusts.write_text("[safe]\n\tdirectory = *\n")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": str(trusts)}
    command = ["git", "clone", "--quiet", "--no-hardlinks", ROOT, to]
    if run(command, log, time.monotonic() + BOOTSTRAP_DEADLINE_S, env=environment) != 0:
        raise Trouble("the checkout could not be cloned: see its log")


def inside(chroot, directory, command, log, deadline):
    """The exit code of a command in the distribution."""
    print(f"  {command}", flush=True)
    reach = {name: value for name, value in os.environ.items() if REACH.fullmatch(name)}
    environment = {
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "TERM": "dumb",
        **reach,
    }
    shell = ["sh", "-c", INSIDE, "inside", str(chroot), str(directory), command]
    return run(NAMESPACES + shell, log, deadline, env=environment)


def run(command, log, deadline, **options):
    """The exit code. When this program is stopped, or the deadline is over, so is the command."""
    print("\n$", *command[-3:], file=log, flush=True)
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        **options,
    )
    try:
        return process.wait(max(1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise Trouble(f"{command[-1]} took too long") from None
    finally:
        process.kill()
        process.wait()


def stop(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("check-distros: stopped.")
