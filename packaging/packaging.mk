# SPDX-License-Identifier: MIT
# What is handed out. The same sources and packages give the same bytes. Each target installs what it
# needs first, then builds in another make: some variables name files of packages.

DIST := $(BUILD)/dist
RELEASE := $(DIST)/okram-$(VERSION)

dist: ## image, files for a FAT stick, bill of materials and checksums, in build/dist
	@tools/setup build
	@$(MAKE) --no-print-directory dist-files

dist-files: $(IMAGE) sbom $(ISO)/esp.img
	@rm -rf $(DIST) && mkdir -p $(DIST)
	@cp $(IMAGE) $(RELEASE).iso
	@cp $(SBOM) $(RELEASE).spdx.json
	@packaging/stick_zip --date $(ISO_EPOCH) $(ESP_FILES) > $(RELEASE)-stick.zip
	@cd $(DIST) && sha256sum $(notdir $(RELEASE))* > SHA256SUMS

DEB            := $(BUILD)/okram_$(VERSION)_amd64.deb
DEB_REVISION   := 1
DEB_MAINTAINER ?= the okram authors <$(or $(shell git log -1 --format=%ae 2>/dev/null),root@localhost)>

deb: ## okram_VERSION_amd64.deb, in build/, its source package in build/deb: images, GRUB's menu, the command okram without `run`
	@tools/setup deb
	@packaging/build_deb $(BUILD)/deb $(VERSION) $(DEB_REVISION) $(ISO_EPOCH) '$(DEB_MAINTAINER)'
	@cp $(BUILD)/deb/okram_$(VERSION)-$(DEB_REVISION)_amd64.deb $(DEB)

# hatchling builds it, by packaging/wheel.py.
wheel: ## okram-VERSION-...whl, in build/: the command okram for pip: badram and report
	@tools/setup wheel
	@rm -f $(BUILD)/okram-*.whl
	@SOURCE_DATE_EPOCH=$(ISO_EPOCH) $(BUILD)/venv/bin/python -m pip wheel --quiet --disable-pip-version-check \
	    --no-index --no-deps --no-build-isolation --wheel-dir $(BUILD) .

# The workflow calls this, too, with the tag's name in its environment: make expands no name of others.
release: ## all that is published, in build/release, or why it is not: TAG=v1.0.0
	@packaging/release check $${TAG:+--tag "$$TAG"}
	@$(MAKE) --no-print-directory check
	@packaging/release build

.PHONY: dist dist-files deb wheel release
