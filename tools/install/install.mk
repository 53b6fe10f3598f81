# SPDX-License-Identifier: MIT
# `make host` makes what the command okram is on a host, `make install` installs it, `make uninstall`
# removes it. PREFIX is where it goes, DESTDIR a folder that stands for / (of a package, say).
# MODULES=system: without Python modules of others, which then are the system's; only `okram guard`
# needs none. RUN=no: without what only `okram run` needs.

PREFIX  ?= /usr/local
MODULES ?= bundled
RUN     ?= yes

HOST_PROGRAMS = $(BUILD)/badram $(BUILD)/guardlist
HOST_IMAGES   = $(addprefix $(BUILD)/,okram.iso okram.efi okram-ia32.efi okram-guard.efi okram.lkrn okram.0)
HOST_FILES    = $(HOST_PROGRAMS) $(HOST_IMAGES) $(if $(filter yes,$(RUN)),$(BUILD)/okram.elf $(PLUGIN)) \
                $(BUILD)/okram.bash $(BUILD)/okram.1 $(BUILD)/viewer/head.html $(BUILD)/viewer/end.html
HOST_MODULES  = $(if $(filter bundled,$(MODULES)),$(BUILD)/modules/made)

VENV_IS_THERE := $(BUILD)/venv/requirements.txt

$(VENV_IS_THERE): tools/requirements.txt
	@tools/setup
	@touch $@

$(BUILD)/modules/made: tools/install/modules.py $(VENV_IS_THERE)
	@mkdir -p $(@D)
	@$(BUILD)/venv/bin/python $< $(BUILD)/modules/files
	@sed -n 's/^version = \([0-9]*\.[0-9]*\).*/\1/p' $(BUILD)/venv/pyvenv.cfg > $@

# A Python that has shtab. For packages it is the system's.
SHTAB ?= $(BUILD)/venv/bin/python

$(BUILD)/okram.bash: tools/install/completion.py $(wildcard tools/okramlib/*.py tools/okramlib/*/*.py) \
                     $(if $(filter $(BUILD)/%,$(SHTAB)),$(VENV_IS_THERE))
	@mkdir -p $(@D)
	@$(SHTAB) -B $< > $@

$(BUILD)/okram.1: docs/manual.md tools/install/manual_page.py
	@mkdir -p $(@D)
	@python3 -B tools/install/manual_page.py $< > $@.md
	@go-md2man -in $@.md -out $@

host: $$(HOST_FILES) $$(HOST_MODULES) ## what `make install` copies: the host command's programs and modules

# Root builds only in a checkout of its own: `sudo make install` copies what its user has built.
MAY_BUILD = $(shell [ "$$(id -u)" != 0 ] || [ "$$(stat -c %u Makefile)" = 0 ] && echo yes)
INSTALL   = PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' MODULES='$(MODULES)' RUN='$(RUN)' PYTHON='$(PYTHON)' \
            tools/install/install

install: ## the command okram, with its manual: PREFIX=/usr/local DESTDIR= MODULES=bundled or system RUN=yes or no
	@$(if $(MAY_BUILD),$(MAKE) --no-print-directory -s host)
	@$(INSTALL) copy

uninstall: ## removes what `make install` has installed
	@$(INSTALL) remove

.PHONY: host install uninstall
