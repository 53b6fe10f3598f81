# What a machine is made of, for the host: not pure folders, but these files touch no hardware.

MACHINE_SRC := kernel/arch/mca_decode.c kernel/arch/mca_queue.c kernel/arch/tsc_told.c \
               kernel/run/mce_count.c \
               kernel/memory/groups.c kernel/memory/nodes.c kernel/memory/outside.c \
               kernel/memory/pieces.c kernel/memory/place.c \
               kernel/run/freshness.c kernel/run/shares.c boot/multiboot2/tags.c \
               boot/multiboot2/stub/exit_asked.c boot/multiboot2/stub/places.c \
               boot/check/image_check.c boot/check/image_copies.c \
               $(wildcard boot/place/*.c) \
               boot/uefi/load_options.c
MACHINE_OBJ := $(MACHINE_SRC:%.c=$(BUILD)/host/%.san.o)
MACHINE_LIB := $(BUILD)/libmachine.san.a $(BUILD)/libokram.san.a

$(BUILD)/libmachine.san.a: $(MACHINE_OBJ) ; @rm -f $@; ar rcs $@ $^

# Shorter stems than the general rule's, and so preferred.
$(BUILD)/unit/arch/%: tests/unit/arch/%.c $(MACHINE_LIB)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(SAN) -Itests/unit $< $(MACHINE_LIB) -lcmocka -pthread -o $@

$(BUILD)/unit/memory/%: tests/unit/memory/%.c $(MACHINE_LIB)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(SAN) -Itests/unit $< $(MACHINE_LIB) -lcmocka -o $@

$(BUILD)/unit/run/%: tests/unit/run/%.c $(MACHINE_LIB)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(SAN) -Itests/unit $< $(MACHINE_LIB) -lcmocka -o $@

$(BUILD)/unit/boot/%: tests/unit/boot/%.c $(MACHINE_LIB)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(SAN) -Itests/unit $< $(MACHINE_LIB) -lcmocka -o $@
