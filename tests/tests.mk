# What tests the project. Unit tests mirror the source: tests/unit/<folder>/test_<module>.c.

UNIT_SRC  := $(sort $(wildcard tests/unit/*/test_*.c))
UNIT_BIN  := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/unit/%)

$(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(SAN) $< $(BUILD)/libokram.san.a -lcmocka -lm -o $@

unit: $(UNIT_BIN) ## unit tests of the pure folders, under ASan and UBSan
	@for t in $(UNIT_BIN); do echo "== $$t"; $$t || exit 1; done

.PHONY: unit
