# SPDX-License-Identifier: MIT
# build/guardlist: the readers of the guard's list and of its backup as a host program, for
# `okram guard` and `okram report`.

GUARDLIST_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/guardlist/*.c)) \
                 $(BUILD)/tools/badram/message.o $(BUILD)/host/boot/uefi/guard_install/backup.o

$(BUILD)/tools/guardlist/%.o: tools/guardlist/%.c
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -c $< -o $@

$(BUILD)/guardlist: $(GUARDLIST_OBJ) $(BUILD)/libokram.a
	$(CC) $(HOST_CFLAGS) $(GUARDLIST_OBJ) $(BUILD)/libokram.a -o $@
