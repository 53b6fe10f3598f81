# SPDX-License-Identifier: MIT
"""The server of `okram fleet init`, started as its README says, on a fresh Debian with systemd."""

import re
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from fleet import reports
from okramlib.fleet import importing, init
from okramlib.fleet.batch import NEW
from system import debian
from tools.command import okram

pytestmark = pytest.mark.slow

FOLDER = "/srv/okram"
UNITS = ("okram-web", "okram-dhcp", "okram-consoles")

# The bytes of standard input, by PUT; prints the status of the answer.
PUT = (
    "import http.client, sys; c = http.client.HTTPConnection('127.0.0.1', 8080);"
    "c.request('PUT', '/reports/' + sys.argv[1], sys.stdin.buffer.read());"
    "print(c.getresponse().status)"
)

# Types a password where the program console asks for it; prints what it says.
LOG_IN = """
import os, pty, sys
number, file = pty.fork()
if number == 0:
    os.execvp("console", ["console", "-M", "127.0.0.1", "-p", "3109", "-l", "admin", "-x"])
text, is_typed = b"", False
try:
    while more := os.read(file, 4096):
        text += more
        print(more.decode(), end="", flush=True)
        if b"assword:" in text and not is_typed:
            os.write(file, sys.argv[1].encode() + b"\\n")
            is_typed = True
except OSError:
    pass
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Started by README's commands, word for word; what they ask for is given to them."""
    made = tmp_path_factory.mktemp("made") / "okram"
    ran = okram("fleet", "init", str(made), "--bmc", "127.0.0.1")
    assert ran.returncode == 0, ran.stderr
    for name in init.FILES:
        text = (made / name).read_text()
        (made / name).write_text(text.replace(str(made), FOLDER))
    with debian.Server(tmp_path_factory.mktemp("debian")) as running:
        shutil.move(made, running.root / FOLDER[1:])
        running.run("systemctl disable --now nginx conserver-server")
        readme = (running.root / FOLDER[1:] / "README.md").read_text()
        start = readme[readme.index("## Start") : readme.index("## Reports")]
        for block in re.findall("(?:^    .+\n)+", start, re.MULTILINE):
            asked = block.replace("read -rs password", "password=secret")
            running.run(asked.replace("openssl passwd -6", "openssl passwd -6 word"))
        running.wait(lambda: {"8080", "3109"} <= set(ports(running)))
        yield running


def ports(server):
    return re.findall(r"127\.0\.0\.1:(\d+)", server.run("ss -ltn"))


def put(server, name, data):
    ran = server.command("python3", "-c", PUT, name, data=data)
    assert ran.returncode == 0, ran.stderr
    return int(ran.stdout)


def arrived(server):
    return sorted((server.root / FOLDER[1:] / "put").iterdir())


def test_all_three_run_and_come_again(server):
    """Each as a user of its own; also after a restart of the server."""
    for is_again in (False, True):
        if is_again:
            server.boot()
        for unit in UNITS:
            assert server.run(f"systemctl is-active {unit}").strip() == "active"
            pid = server.run(f"systemctl show -P MainPID {unit}").strip()
            assert server.run(f"ps -o user:20= -p {pid}").strip() == unit


def test_reports_arrive(server, tmp_path):
    """Forty, and twice the same name with other bytes: each has a file of its own."""
    made = list(reports.fleet(20)[0])
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda report: put(server, f"{report[0]}.jsonl", report[1]), made))
    assert len(made) == 40 and set(answers) <= {201, 429}
    for (name, data), answer in zip(made, answers, strict=True):
        if answer == 429:  # a report's sender tries again after two seconds
            server.run("sleep 2")
            assert put(server, f"{name}.jsonl", data) == 201
    assert put(server, f"{made[0][0]}.jsonl", b"forged") == 201
    files = arrived(server)
    assert len(files) == 41 and {path.read_bytes() for path in files} >= {data for _, data in made}
    outcome = importing.run(tmp_path / "data", [files[0].parent], 1 << 20)
    assert outcome.counts[NEW] == 40 and outcome.counts["refused"] == 1


@pytest.mark.parametrize(
    "name", ["x.jsonl%0A", "../nginx.jsonl", "a/b.jsonl", ".x.jsonl", "x.json"]
)
def test_names_that_are_refused(server, name):
    before = arrived(server)
    assert put(server, name, b"x") in (400, 403, 404, 405)
    assert arrived(server) == before


def test_nobody_else_reads_or_leads_root(server):
    """Reports and logs are for their server and root. What a server can write root does not
    follow: the process number is in a folder that systemd makes."""
    folder = server.root / FOLDER[1:]
    for name in ("log", "put", "tmp", "dhcp", "consoles"):
        assert (folder / name).stat().st_mode & 0o7 == 0
        for path in (folder / name).rglob("*"):
            assert path.stat().st_mode & 0o7 == 0, path
    for name in ("ipmi.password", "conserver.passwd"):
        assert (folder / name).stat().st_mode & 0o7 == 0
    server.run(f"rm -f {FOLDER}/tmp/nginx.pid; ln -s /etc/passwd {FOLDER}/tmp/nginx.pid")
    before = (server.root / "etc/passwd").read_bytes()
    server.run("systemctl restart okram-web")
    assert (server.root / "etc/passwd").read_bytes() == before
    for unit in UNITS:
        user = server.run(f"systemctl show -P User {unit}").strip()
        for path in ("nginx.conf", "www", "reports", "tftp", "www/boot.ipxe"):
            as_user = ["setpriv", f"--reuid={user}", "--clear-groups", "test", "-w"]
            assert server.command(*as_user, f"{FOLDER}/{path}").returncode == 1


@pytest.mark.parametrize("password, is_let_in", [("wrong", False), ("word", True)])
def test_a_console_wants_a_password(server, password, is_let_in):
    said = server.command("timeout", "5", "python3", "-c", LOG_IN, password).stdout.decode()
    assert "assword:" in said and ("on /dev/pts" in said) == is_let_in, said


@pytest.mark.parametrize("unit", UNITS)
def test_exposure(server, unit):
    """systemd's own measure, from 0 to 10."""
    server.run(f"systemd-analyze security --threshold=30 {unit}")
