# SPDX-License-Identifier: MIT
# The trace; the test receives its events.

$(BUILD)/unit/event/test_trace: tests/unit/event/test_trace.c kernel/event/trace.c $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(UNIT_SAN) $(filter %.c %.a,$^) -lcmocka -o $@
