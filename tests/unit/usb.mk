# SPDX-License-Identifier: MIT
# The USB driver, on a controller with devices that the fuzz targets have, too; its file usb.c is in the test.

$(BUILD)/unit/usb/test_usb: tests/unit/usb/test_usb.c tests/fuzz/fuzz.c $(wildcard tests/fuzz/fake_[cmx]*.c) \
                            tests/fuzz/fake_usb.c $(filter-out %/usb.c,$(wildcard kernel/hw/usb/*.c)) \
                            kernel/hw/memory/page_list.c $(BUILD)/libokram.san.a | kernel/hw/usb/usb.c
	@mkdir -p $(@D)
	$(CC) -Itests/fuzz/devices -Itests/fuzz $(HOST_CFLAGS) $(UNIT_SAN) $(filter %.c,$^) $(filter %.a,$^) -lcmocka -o $@
