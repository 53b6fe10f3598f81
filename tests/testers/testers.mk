# SPDX-License-Identifier: MIT
# What okram is compared with, by Debian's packages, none of them installed: memtest86+ of Debian 12, 13
# and unstable (sid), memtester and stressapptest of the first and the last with their libraries in a
# small Linux.

TESTERS_DIR   := $(BUILD)/testers
TESTERS_FETCH := tests/system/linux/fetch-file

$(TESTERS_DIR)/memtest86+-6.10.bin: PACKAGE = './boot/memtest86+x64.bin' $@ bookworm
$(TESTERS_DIR)/memtest86+-7.20.bin: PACKAGE = './boot/memtest86+x64.bin' $@ trixie
$(TESTERS_DIR)/memtest86+-8.10.bin: PACKAGE = './boot/mt86+x64' $@ sid
$(TESTERS_DIR)/memtest86+-%.bin: $(TESTERS_FETCH)
	@mkdir -p $(@D)
	$< memtest86+ $(PACKAGE)

$(TESTERS_DIR)/initrd-%: tests/testers/init tests/testers/make-root $(LINUX)/busybox $(TESTERS_FETCH)
	@mkdir -p $(@D)
	tests/testers/make-root $(TESTERS_DIR)/root-$* $(LINUX)/busybox $*
	cd $(TESTERS_DIR)/root-$* && find . | sort | cpio --create --format=newc --owner=0:0 --quiet \
	    >$(abspath $@)

# Debian's unstable moves on: what is not the program that a row is of is not run under its name.
testers-build: environment plugin $(BUILD)/okram.iso $(LINUX)/vmlinuz $(addprefix $(TESTERS_DIR)/,\
    initrd-bookworm initrd-sid $(addprefix memtest86+-,6.10.bin 7.20.bin 8.10.bin))
	cd $(TESTERS_DIR) && sha256sum --quiet --check $(abspath tests/testers/sums)

# Hours, in parts: each call goes on where the one before was stopped.
bench-testers: ## faults found by okram, memtest86+, memtester, stressapptest: HOURS FAULTS TESTERS IMAGES LIMIT ALONE GROUP AGAIN
	@$(MAKE) -s --no-print-directory testers-build
	@$(BUILD)/venv/bin/python tests/testers/run.py $(HOURS:%=--hours=%) $(FAULTS:%=--faults=%) \
	    $(TESTERS:%=--testers=%) $(IMAGES:%=--image=%) $(LIMIT:%=--limit=%) $(ALONE:%=--alone=%) \
	    $(GROUP:%=--group=%) $(AGAIN:%=--again)
	@$(MAKE) -s --no-print-directory testers-docs

testers-docs: ## what bench-testers has found until now, into docs/testers.md
	@$(BUILD)/venv/bin/python tests/testers/table.py

.PHONY: testers-build bench-testers testers-docs
