# SPDX-License-Identifier: MIT
# Runs of measurements, on CPUs that are threads and a clock that the test drives.

$(BUILD)/unit/measure/test_measure: tests/unit/measure/test_measure.c kernel/run/measure/measure.c \
                                    kernel/run/measure/role.c $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(UNIT_SAN) $(filter %.c %.a,$^) -lcmocka -lm -pthread -o $@
