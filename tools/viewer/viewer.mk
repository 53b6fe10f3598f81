# SPDX-License-Identifier: MIT
# The page that draws a run from its JSON lines: what comes before these, and after them.

VIEWER := $(addprefix $(BUILD)/viewer/,head.html end.html)

$(VIEWER) &: $(addprefix tools/viewer/,make.py viewer.html viewer.css viewer.js) docs/jsonl.schema.json \
             tools/okramlib/copied.py
	@python3 -B $< $(BUILD)/viewer

viewer: $(VIEWER) ## the page that draws a run from its JSON lines, in two halves

.PHONY: viewer
