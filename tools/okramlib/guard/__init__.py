# SPDX-License-Identifier: MIT
"""`okram guard`: installs the guard from Linux, removes it, and says what it does.

The guard and the forms of its variables and files are in docs/guard-forms.md.
"""

import uuid

VENDOR = uuid.UUID("6f6b7261-6d52-4a4d-9e15-b5250297c0de")  # of all variables of okram
GLOBAL = uuid.UUID("8be4df61-93ca-11d2-aa0d-00e098032b8c")  # UEFI 2.10, 3.3

LIST = "OkramGuard"  # the list that the guard takes
FOUND = "OkramGuardNew"  # the list that okram's last run has found
STATUS = "OkramGuardStatus"  # what the guard did at this boot
MASKED = "OkramGuardMasked"  # the pages that it masked at this boot
PATROL = "OkramPatrol"  # where its patrol goes on
BACKUP = "OkramGuardBackup"  # what an installation changed

SHIM_VENDOR = uuid.UUID("605dab50-e046-4300-abb6-3dd810dd8b23")
SBAT_LEVEL = "SbatLevelRT"  # the generations that shim still starts; a copy, made at each boot

FOLDER = "okram"  # next to the driver
LIST_FILE = "guard.list"
OPTIONS_FILE = "guard.conf"
