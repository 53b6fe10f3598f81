# SPDX-License-Identifier: MIT
# What is handed out. The same sources and packages give the same bytes.

DIST := $(BUILD)/dist
RELEASE := $(DIST)/okram-$(VERSION)

dist: $(IMAGE) sbom $(ISO)/esp.img ## image, files for a FAT stick, bill of materials and checksums, in build/dist
	@rm -rf $(DIST) && mkdir -p $(DIST)
	@cp $(IMAGE) $(RELEASE).iso
	@cp $(SBOM) $(RELEASE).spdx.json
	@packaging/stick_zip --date $(ISO_EPOCH) $(ESP_FILES) > $(RELEASE)-stick.zip
	@cd $(DIST) && sha256sum $(notdir $(RELEASE))* > SHA256SUMS

DEB            := $(BUILD)/okram_$(VERSION)_amd64.deb
DEB_MAINTAINER ?= the okram authors <$(or $(shell git log -1 --format=%ae 2>/dev/null),root@localhost)>

deb: ## okram_VERSION_amd64.deb, in build/: images, GRUB's menu, the command okram without `run`
	@packaging/build_deb $(BUILD)/deb $(VERSION) $(ISO_EPOCH) '$(DEB_MAINTAINER)'
	@mv $(BUILD)/deb/$(notdir $(DEB)) $(DEB)

# hatchling of PyPI builds it, by packaging/wheel.py.
wheel: $(VENV_IS_THERE) ## okram-VERSION-...whl, in build/: the command okram for pip: badram and report
	@rm -f $(BUILD)/okram-*.whl
	@SOURCE_DATE_EPOCH=$(ISO_EPOCH) $(BUILD)/venv/bin/python -m pip wheel --quiet --disable-pip-version-check \
	    --no-deps --wheel-dir $(BUILD) .

.PHONY: dist deb wheel
