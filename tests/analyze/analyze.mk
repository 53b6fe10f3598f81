# SPDX-License-Identifier: MIT
# What reads the code without running it: clang's analyzer (.clang-tidy has its checks) and cppcheck,
# over all C of the product.

ANALYZED := kernel boot tools

# Commands of clang: gcc's have flags that it does not know.
analyze: ## clang's analyzer and cppcheck over the C of the product
	@command -v run-clang-tidy cppcheck >/dev/null || \
	    { echo "clang-tidy or cppcheck is missing: tools/setup clang installs them"; exit 1; }
	@$(CLANG_MAKE) -s $(CLANG)/plugin/api_version.h
	@python3 tools/compile_commands.py $(CLANG)/compile_commands.json CC=clang BUILD=$(CLANG) \
	    $(CLANG)/kernel/linked.elf all $(CLANG)/badram $(CLANG)/guardlist plugin
	@run-clang-tidy -quiet -p $(CLANG) $(ANALYZED:%='^$(CURDIR)/%/') > $(BUILD)/clang-tidy.log 2>&1 || \
	    { grep -v '^clang-tidy' $(BUILD)/clang-tidy.log; exit 1; }
	@mkdir -p $(BUILD)/cppcheck
	@cppcheck --quiet --error-exitcode=1 -j$$(nproc) --cppcheck-build-dir=$(BUILD)/cppcheck \
	    --enable=warning,performance,portability --suppressions-list=tests/analyze/suppressions.txt \
	    --library=gnu --library=tests/analyze/cppcheck.cfg --platform=unix64 --std=c11 \
	    --template='{file}:{line}: {message} [{id}]' -D__x86_64__ -D__GNUC__=12 \
	    -DOKRAM_VERSION='"$(VERSION)"' $(CORE_INCLUDE) $(KERNEL_INCLUDE) -I$(CLANG)/plugin $(ANALYZED)

.PHONY: analyze
