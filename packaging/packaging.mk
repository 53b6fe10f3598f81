# SPDX-License-Identifier: MIT
# `make deb`: the Debian package. The same sources and packages give the same bytes.

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

.PHONY: deb wheel
