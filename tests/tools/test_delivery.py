# SPDX-License-Identifier: MIT
"""`okram report --efivars --send, --to`: the report in variables to a server and into a folder."""

import http.server
import json
import os
import ssl
import subprocess
import threading
from dataclasses import dataclass, field

import pytest

from okramlib import Trouble, delivery, saved
from tools.command import okram
from tools.samples import GOOD
from tools.saved_samples import JSONL, RUN, STATE, head, lines_of, variable, whole_report

UUID = "6f6b7261-0000-4a4d-9e15-b5250297c0de"
IDENTITY = {"t": 1, "type": "identity", "run": "0" * 32, "date": None, "uuid": UUID}
MACHINE = next(record["uuid"] for record in RUN if record["type"] == "identity")
CRC = json.loads(head(JSONL.encode()))["crc32c"].removeprefix("0x")
RESULT = {"t": 2, **GOOD[-1]}


@dataclass
class Server:
    """Answers PUT with these codes in turn, then with 201."""

    codes: list = field(default_factory=list)
    got: dict = field(default_factory=dict)  # {path: data} of what was taken
    n_tries: int = 0
    url: str = ""


@pytest.fixture
def server(tmp_path):
    yield from served(Server())


def served(state, context=None):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_PUT(self):
            state.n_tries += 1
            data = self.rfile.read(int(self.headers["Content-Length"]))
            code = state.codes.pop(0) if state.codes else 201
            if code == 0:  # the network is lost
                self.close_connection = True
                return
            if code in delivery.ARRIVED:
                state.got[self.path] = data
            self.send_response(code)
            if code in (301, 307):
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        if context:
            httpd.socket = context.wrap_socket(httpd.socket, server_side=True)
        # It looks every 10 ms whether it is to shut down.
        threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
        scheme, host = ("https", "localhost") if context else ("http", "127.0.0.1")
        state.url = f"{scheme}://{host}:{httpd.server_port}/reports/"
        yield state
        httpd.shutdown()


@pytest.fixture
def efivars(tmp_path):
    """A folder as efivarfs shows it, with a whole report."""
    return written(tmp_path / "efivars", whole_report())


def written(folder, variables):
    folder.mkdir()
    for one in variables:
        content = one.attributes.to_bytes(4, "little") + one.data
        (folder / f"{one.name}-{one.vendor}").write_bytes(content)
    return folder


def deliver(efivars, *options):
    return okram("report", "--efivars", str(efivars), *map(str, options))


def packet(jsonl=JSONL, machine=""):
    return delivery.packet(saved.decode(whole_report(jsonl)), machine)


# --- what is sent ---


def test_it_is_what_is_in_the_variables():
    """With the head, its HMAC too; what is after the report is not."""
    found = packet()
    assert found.data == head(JSONL.encode()) + JSONL.encode()
    assert found.data == delivery.packet(saved.decode(whole_report(behind=b"old" * 900))).data


@pytest.mark.parametrize(
    "identity, machine, name",
    [
        (IDENTITY, "", UUID),
        (IDENTITY, "11111111-0000-4a4d-9e15-b5250297c0de", UUID),
        (None, "52-54-00-12-34-56", "52-54-00-12-34-56"),
        ({**IDENTITY, "uuid": None}, "", "unknown"),
        ({**IDENTITY, "uuid": "../../../../../../../../../etc/pass"}, "", "unknown"),
        ({**IDENTITY, "uuid": ["x"]}, "", "unknown"),
        ({**IDENTITY, "uuid": "ffffffff-ffff-ffff-ffff-ffffffffffff"}, "", "unknown"),
    ],
)
def test_names(identity, machine, name):
    jsonl = lines_of(STATE, *([identity] if identity else []), RESULT)
    crc = json.loads(head(jsonl.encode()))["crc32c"].removeprefix("0x")
    assert packet(jsonl, machine).name == f"{name}-{crc}.jsonl"


def test_a_damaged_report_is_sent_as_far_as_it_is_believed():
    kept = saved.decode(whole_report()[:-1])
    found = delivery.packet(kept)
    assert found.name.endswith("-damaged.jsonl") and CRC not in found.name
    assert [json.loads(line)["type"] for line in found.data.splitlines()] == ["saved", "state"]


# --- to a server ---


def test_send(efivars, server):
    ran = deliver(efivars, "--send", server.url)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert server.got == {f"/reports/{MACHINE}-{CRC}.jsonl": packet().data}
    assert len(list(efivars.iterdir())) == len(whole_report())  # it stays


def test_what_was_sent_is_a_report(efivars, server, tmp_path):
    deliver(efivars, "--send", server.url)
    (tmp_path / "run.jsonl").write_bytes(*server.got.values())
    ran = okram("report", str(tmp_path / "run.jsonl"))
    assert (ran.returncode, ran.stderr) == (0, "")


def test_send_to_a_name(efivars, server):
    assert deliver(efivars, "--send", server.url + "a.jsonl").returncode == 0
    assert list(server.got) == ["/reports/a.jsonl"]


@pytest.mark.parametrize("code", [200, 201, 204])
def test_answers_that_it_has_arrived(server, code):
    server.codes = [code]
    delivery.send(packet(), server.url, waits=())
    assert server.n_tries == 1


@pytest.mark.parametrize("codes", [[0], [503, 500], [429], [0, 502]])
def test_tried_again(server, codes, capsys):
    server.codes = list(codes)
    delivery.send(packet(), server.url, waits=(0, 0))
    assert list(server.got.values()) == [packet().data] and server.n_tries == len(codes) + 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(codes) and all("the next try is in 0 s" in line for line in said)


def test_given_up(server):
    server.codes = [503] * 9
    with pytest.raises(Trouble, match="answers 503, in 3 tries. The report is still in the mach"):
        delivery.send(packet(), server.url, waits=(0, 0))
    assert server.n_tries == 3 and not server.got


@pytest.mark.parametrize("code", [202, 301, 307, 400, 403, 404, 405, 413])
def test_refused(server, code):
    """Nothing else is asked, and the report is not sent to another place."""
    server.codes = [code]
    with pytest.raises(Trouble, match=f"answers {code}. The report is still in the machine.$"):
        delivery.send(packet(), server.url)
    assert server.n_tries == 1 and not server.got


def test_nobody_there():
    with pytest.raises(Trouble, match="Connection refused"):
        delivery.send(packet(), "http://127.0.0.1:9/", waits=())


def test_no_answer(monkeypatch):
    monkeypatch.setattr(delivery, "TIMEOUT_S", 0.2)
    import socket

    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        with pytest.raises(Trouble, match="no answer in 0.2 s"):
            delivery.send(packet(), url, waits=())


@pytest.mark.parametrize("is_trusted", [True, False])
def test_https(efivars, tmp_path, is_trusted, monkeypatch):
    """The certificates that the system trusts are OpenSSL's, which a variable replaces here."""
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        + ["-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    for server in served(Server(), context):
        ran = deliver(efivars, "--send", server.url)
        assert ran.returncode == (0 if is_trusted else 2) and bool(server.got) == is_trusted
        assert ("its certificate is not trusted" in ran.stderr) != is_trusted
        assert "next try" not in ran.stderr


@pytest.mark.parametrize(
    "url, why",
    [
        ("ftp://server/", "is not a URL of http or https"),
        ("file:///etc/passwd", "is not a URL of http or https"),
        ("server", "is not a URL of http or https"),
        ("http://", "is not a URL of http or https"),
        ("http://server:x/", "is not a URL of http or https"),
        ("http://server/a b", "is not a URL of http or https"),
        ("http://server/\n", "is not a URL of http or https"),
        ("http://me:secret@server/", "is not supported"),
    ],
)
def test_urls(url, why):
    with pytest.raises(Trouble, match=why) as trouble:
        delivery.check_url(url)
    assert "secret" not in str(trouble.value)


# --- into a folder ---


def test_to(efivars, tmp_path):
    path = tmp_path / f"{MACHINE}-{CRC}.jsonl"
    for _ in range(2):
        ran = deliver(efivars, "--to", tmp_path)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
        assert path.read_bytes() == packet().data
    assert {p.name for p in tmp_path.iterdir()} == {path.name, "efivars"}


def test_never_overwritten(efivars, tmp_path):
    path = tmp_path / f"{MACHINE}-{CRC}.jsonl"
    path.write_text("another")
    ran = deliver(efivars, "--to", tmp_path)
    assert ran.returncode == 2 and "is another report; it is not overwritten" in ran.stderr
    assert path.read_text() == "another"


@pytest.mark.parametrize("folder", ["/nowhere", "/dev/null"])
def test_no_folder(efivars, folder):
    ran = deliver(efivars, "--to", folder)
    assert ran.returncode == 2 and "cannot be written" in ran.stderr


def test_leftovers_of_one_that_was_killed(tmp_path):
    """Of this very process number, too: they do not stand in the way."""
    report = packet()
    for name in (f".{report.name}.{os.getpid()}.new", f".{report.name}.new"):
        (tmp_path / name).write_text("half")
    delivery.put(report, tmp_path)
    assert (tmp_path / report.name).read_bytes() == report.data


def test_a_file_that_comes_meanwhile(tmp_path, monkeypatch):
    """It is whole, and it stays."""
    report, link = packet(), delivery.os.link

    def late(fresh, path):
        path.write_text("another")
        link(fresh, path)

    monkeypatch.setattr(delivery.os, "link", late)
    with pytest.raises(Trouble):
        delivery.put(report, tmp_path)
    assert [p.read_text() for p in tmp_path.iterdir()] == ["another"]


def test_a_file_system_without_links(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(delivery.os, "link", refuse)
    delivery.put(packet(), tmp_path)
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [packet().data]


def test_sent_once(efivars, server, tmp_path):
    """As the unit does: quiet, and not again."""
    server.codes = [404]
    assert deliver(efivars, "--send", server.url, "--to", tmp_path).returncode == 2
    assert list(tmp_path.iterdir()) == [efivars]  # it was not sent
    for _ in range(2):
        ran = deliver(efivars, "--send", server.url, "--to", tmp_path)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert server.n_tries == 2 and len(server.got) == 1


# --- what cannot be ---


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["--to", "/tmp"], "add --efivars"),
        (["run.jsonl", "--send", "http://server/"], "add --efivars"),
        (["--efivars", "vars.fd", "--to", "/tmp", "--html"], "do not go with other forms"),
        (["--efivars", "/nowhere", "--send", "http://server/"], "/nowhere cannot be read"),
    ],
)
def test_bad_calls(arguments, why):
    ran = okram("report", *arguments)
    assert ran.returncode == 2 and why in ran.stderr and "Traceback" not in ran.stderr


def test_no_report(tmp_path):
    folder = written(tmp_path / "efivars", [variable("OkramReport00", b"nothing")])
    ran = deliver(folder, "--to", tmp_path)
    assert ran.returncode == 2 and "holds no report of okram" in ran.stderr
