# SPDX-License-Identifier: MIT
"""Lines that people copy into configuration files, which shells and boot loaders read: none is
shown that has another form than okram's (bootcfg/lines.h), whatever a file of records says."""

import re

_ADDRESS = "0x[0-9a-f]{1,16}"
_PAIRS = f"{_ADDRESS},{_ADDRESS}(,{_ADDRESS},{_ADDRESS})*"
_SIZE = "[0-9]{1,20}[KMGT]?"


def _listed(entry, between=","):
    return f"{entry}({between}{entry})*"


FORMS = {
    "grub": f"badram={_PAIRS}",
    "grub-default": f'GRUB_BADRAM="{_PAIRS}"',
    "cutmem": _listed("cutmem 0x[0-9a-f]{1,16}K 0x[0-9a-f]{1,16}K", "\n"),
    "memmap": "memmap=" + _listed(rf"{_SIZE}%{_ADDRESS}-1\+5"),
    "memmap-dollar": "memmap=" + _listed(rf"{_SIZE}\\\\\\\${_ADDRESS}"),
    "windows": f"bcdedit /set \\{{badmemory\\}} badmemorylist ({_listed(_ADDRESS, ' ')})?"
    "\nbcdedit /set badmemoryaccess no"
    f"(\nbcdedit /set truncatememory {_ADDRESS})?",
    "xen": "badpage=" + _listed(f"{_ADDRESS}(-{_ADDRESS})?"),
    "freebsd": f'vm\\.blacklist="({_listed(_ADDRESS)})?"|ram_blacklist_load="YES"',
    "refind": "badram_tag_mode 7\nbadram_tag_list " + _listed(f"{_ADDRESS}:{_ADDRESS}"),
    "pages": _listed(_ADDRESS, "\n"),
    "ranges": _listed(f"{_ADDRESS}-{_ADDRESS}", "\n"),
}
_COMPILED = {name: re.compile(form) for name, form in FORMS.items()}


def badram(record):
    """(line, what is wrong): the line of a record `badram` if it says what its patterns say, else
    "" and a sentence. Both are "" where no page is bad."""
    pairs = ",".join(f"{address},{mask}" for address, mask in record["patterns"])
    wanted = f"badram={pairs}" if pairs else ""
    if record["line"] == wanted:
        return wanted, ""
    return "", (
        "The badram line of this report is not that of its patterns: the report was changed or"
        " damaged, and the line is not shown. Run okram again."
    )


def other(record):
    """The same of a record `line`."""
    text = record["text"]
    form = _COMPILED.get(record["name"])
    if not text or (form and form.fullmatch(text)):
        return text, ""
    return "", "The line is not one that okram makes, and is not shown."
