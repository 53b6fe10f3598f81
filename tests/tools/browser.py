# SPDX-License-Identifier: MIT
"""A Chromium without a screen, driven by chromedriver (W3C WebDriver): one start for many pages."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_STARTED = re.compile(r"started successfully on port (\d+)")


def records_of(html):
    """The records in a page, in a browser's words."""
    lines = html.split('<pre id="records">\n', 1)[1].split("</pre>", 1)[0]
    return [json.loads(line) for line in lines.splitlines()]


def is_missing():
    """Ubuntu has no package of Chromium."""
    return not shutil.which("chromedriver") and "ID=ubuntu" in Path("/etc/os-release").read_text()


class Browser:
    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True
        )
        found = next(filter(None, map(_STARTED.search, self._driver.stdout)))
        self._url = f"http://127.0.0.1:{found[1]}/session"
        options = {"args": [*_FLAGS, f"--user-data-dir={self._folder.name}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self._ask("POST", "", capabilities={"alwaysMatch": wanted})
        self._url += f"/{made['sessionId']}"

    def close(self):
        try:
            self._ask("DELETE", "")
        finally:
            self._driver.terminate()
            self._driver.wait()
            self._driver.stdout.close()
            self._folder.cleanup()

    def open(self, path, width=1280, *, dark=False, script=True):
        """The page of a file, as high as it is."""
        self.cdp("Emulation.setScriptExecutionDisabled", value=not script)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", features=[scheme])
        self._size(width, 900)
        self.errors()
        self._ask("POST", "/url", url=path.resolve().as_uri())

    def _size(self, width, height):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.cdp("Emulation.setDeviceMetricsOverride", **size)

    def run(self, script, *arguments):
        """What a script in the page returns."""
        return self._ask("POST", "/execute/sync", script=script, args=arguments)

    def errors(self):
        """What the browser has complained of since the last call."""
        return [entry["message"] for entry in self._ask("POST", "/se/log", type="browser")]

    def text(self, selector="body"):
        found = self.run(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent).join(' ')",
            selector,
        )
        return " ".join(found.split())

    def printed(self):
        """The page as PDF."""
        size = {"width": 21.0, "height": 29.7}
        return base64.b64decode(self._ask("POST", "/print", page=size, background=True))

    def cdp(self, command, **values):
        """A command of Chromium's own protocol."""
        return self._ask("POST", "/goog/cdp/execute", cmd=command, params=values)

    def _ask(self, method, path, **values):
        body = json.dumps(values).encode() if method == "POST" else None
        request = urllib.request.Request(self._url + path, body, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["value"]
