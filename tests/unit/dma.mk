# SPDX-License-Identifier: MIT
# PCI and what is stopped there, on I/O ports that the test plays: its io/ports.h comes first.

$(BUILD)/unit/device/test_pci: tests/unit/device/test_pci.c kernel/hw/device/pci.c kernel/cpu/arch/tsc.c
$(BUILD)/unit/dma/test_bus_masters: tests/unit/dma/test_bus_masters.c kernel/hw/dma/bus_masters.c \
                                    kernel/hw/device/pci.c kernel/core/tables/usb_formats/legacy.c kernel/cpu/arch/tsc.c
$(BUILD)/unit/dma/test_iommu: tests/unit/dma/test_iommu.c kernel/hw/dma/iommu.c kernel/cpu/arch/tsc.c \
                              $(BUILD)/libokram.san.a

$(addprefix $(BUILD)/unit/,device/test_pci dma/test_bus_masters dma/test_iommu):
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(UNIT_SAN) -Itests/unit $(filter %.c %.a,$^) \
	    -lcmocka -pthread -o $@

# Registers of ECC and of temperature, on PCI functions and in memory that the tests have.
$(BUILD)/unit/controller/test_traffic: tests/unit/controller/test_traffic.c kernel/hw/controller/traffic.c \
                                       $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(UNIT_SAN) $(filter %.c %.a,$^) -lcmocka -o $@

CONTROLLER_TESTS = $(addprefix $(BUILD)/unit/,controller/test_amd controller/test_controllers controller/test_ecc \
                                              controller/test_intel_server device/test_cpu_sensor)

$(CONTROLLER_TESTS): $(BUILD)/unit/%: tests/unit/%.c tests/unit/controller/played_controller.h \
              $(filter-out %/traffic.c,$(wildcard kernel/hw/controller/*.c)) kernel/hw/device/cpu_sensor.c \
              $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(UNIT_SAN) -Itests/unit $(filter %.c %.a,$^) -lcmocka -pthread -o $@
