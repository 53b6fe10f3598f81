# SPDX-License-Identifier: MIT
# The tests. Unit tests mirror the source: tests/unit/<folder>/test_<module>.c.

UNIT_SRC  := $(sort $(wildcard tests/unit/*/test_*.c))
UNIT_BIN  := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/unit/%)

include $(wildcard tests/*/*.mk)

# What the tests of a folder link: UNIT_LIB_<folder>, else the pure folders alone. So do tests of what a module
# that touches hardware keeps to itself.
UNIT_ALONE := plan/test_share_parts plan/test_share_parts_random saver/test_saving_warnings
UNIT_LIBS  := $(filter UNIT_LIB_%,$(.VARIABLES))
unit_lib    = $(or $(if $(filter-out $(UNIT_ALONE),$(1)),$(UNIT_LIB_$(firstword $(subst /, ,$(1))))),$(BUILD)/libokram.san.a)

$(BUILD)/unit/%: tests/unit/%.c $$(call unit_lib,$$*)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(UNIT_SAN) -Itests/unit $< $(call unit_lib,$*) -lcmocka -lm -pthread -o $@

# These run for seconds: they try all that there is, one after the other.
$(addprefix $(BUILD)/unit/,sweep/test_order plan/test_share_parts_random): UNIT_SAN = $(SAN) $(UNIT_PART)

unit: $(UNIT_BIN) ## unit tests of the pure folders, under ASan and UBSan
	@for t in $(UNIT_BIN); do echo "== $$t"; $$t || exit 1; done

# In a folder of its own: all but the Python part of the host command.
CLANG      := $(BUILD)/clang
CLANG_MAKE  = $(MAKE) --no-print-directory CC=clang BUILD=$(CLANG)

check-clang: ## the product and the unit tests, built and run with clang instead of gcc
	@command -v clang >/dev/null || { echo "clang is missing: tools/setup clang installs it"; exit 1; }
	@$(CLANG_MAKE) -s -j$$(nproc) all $(CLANG)/badram $(CLANG)/guardlist plugin coverage-build \
	    $(UNIT_BIN:$(BUILD)/%=$(CLANG)/%)
	@UNIT_ALL=1 $(CLANG_MAKE) -s unit

MUTANTS ?= 20

mutants: export MUTANTS_CC = $(CC) $(filter-out -MMD -MP,$(HOST_CFLAGS))
mutants: export MUTANTS_SAN = $(SAN)
mutants: export MUTANTS_LIBS = $(foreach v,$(UNIT_LIBS),$(addprefix $(v:UNIT_LIB_%=%)=,$($(v))))
mutants: $(BUILD)/libokram.san.a $(foreach v,$(UNIT_LIBS),$($(v))) ## do the unit tests notice changes of kernel/core? MUTANTS=20 SEED= MUTATE=path:line
	@python3 tests/mutants.py --build=$(BUILD) --count=$(MUTANTS) $(SEED:%=--seed=%) $(MUTATE:%=--only=%)

# Packages must be there before anything is built, so that the build finds them. The Python environment,
# half a minute of one CPU, is made while the build runs.
check-build:
	@tools/setup check packages
	@$(MAKE) --no-print-directory -j$$(nproc) environment all host plugin coverage-build kinds-build fuzz-replay \
	    $(BENCH_BIN) $(BUILD)/bench/diagnosis_bench $(BUILD)/bench/rows_bench \
	    $(UNIT_BIN) $(BUILD)/unit/screen/show_screen
	@$(MAKE) --no-print-directory linux-guest || echo "the tests that boot Linux will fail"

environment: $(BUILD)/venv/requirements.txt ; @tools/setup check

check: check-build ## all tests but the slow ones, in minutes
	@$(BUILD)/venv/bin/python tests/suite.py -m "not slow"

check-long: check-build ## all tests
	@tools/setup fuzz
	@tools/setup spark
	@tools/setup clang
	@tools/setup package || echo "the tests of the Debian package will be skipped"
	@$(MAKE) --no-print-directory loaders || echo "the tests that need boot loaders will fail"
	@$(MAKE) --no-print-directory testers-build || echo "the tests of other testers will be skipped"
	@tools/setup network || echo "the tests that need servers will be skipped"
	@tools/setup qemu || echo "the tests that need QEMU 9 will be skipped"
	@$(MAKE) --no-print-directory -j$$(nproc) fuzz-build
	@$(MAKE) --no-print-directory check-clang
	@$(MAKE) --no-print-directory analyze
	@$(MAKE) --no-print-directory mutants MUTANTS=200
	@UNIT_ALL=1 $(BUILD)/venv/bin/python tests/suite.py

check-list: setup ## which tests only check-long runs
	@$(BUILD)/venv/bin/python -m pytest -q --collect-only -m slow

size: ## what the sources weigh, and how many files must be open to follow it
	@python3 tests/size.py

check-distros: ## make run and make check in Debian 12 and 13 made from nothing; as root
	@python3 tests/distros.py

.PHONY: unit check-clang mutants check-build environment check check-long check-list size check-distros
