# SPDX-License-Identifier: MIT
# What okram is compared with, by Debian's packages, none of them installed: memtest86+ of Debian 12 and
# 13, memtester and stressapptest with their libraries in a small Linux.

TESTERS       := $(BUILD)/testers
TESTERS_FETCH := tests/system/linux/fetch-file

$(TESTERS)/memtest86+-6.10.bin: $(TESTERS_FETCH)
	@mkdir -p $(@D)
	$< memtest86+ './boot/memtest86+x64.bin' $@ bookworm

$(TESTERS)/memtest86+-7.20.bin: $(TESTERS_FETCH)
	@mkdir -p $(@D)
	$< memtest86+ './boot/memtest86+x64.bin' $@ trixie

$(TESTERS)/initrd: tests/testers/init tests/testers/make-root $(LINUX)/busybox $(TESTERS_FETCH)
	@mkdir -p $(@D)
	tests/testers/make-root $(TESTERS)/root $(LINUX)/busybox
	cd $(TESTERS)/root && find . | sort | cpio --create --format=newc --owner=0:0 --quiet \
	    >$(abspath $@)

testers-build: plugin $(BUILD)/okram.iso $(LINUX)/vmlinuz $(TESTERS)/initrd \
    $(TESTERS)/memtest86+-6.10.bin $(TESTERS)/memtest86+-7.20.bin

bench-testers: ## okram, memtest86+, memtester, stressapptest: the same faults; HOURS FAULTS TESTERS IMAGES
	@$(MAKE) -s --no-print-directory testers-build
	@$(BUILD)/venv/bin/python tests/testers/run.py $(HOURS:%=--hours=%) $(FAULTS:%=--faults=%) \
	    $(TESTERS_ONLY:%=--testers=%) $(IMAGES:%=--image=%)

.PHONY: testers-build bench-testers
