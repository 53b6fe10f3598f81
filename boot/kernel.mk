# SPDX-License-Identifier: MIT
# okram.elf: the Multiboot2 kernel; okram.copy: its image as it is in memory, without bss.

# Of kernel/core the image has what it uses.
KERNEL_SRC  := $(filter-out $(CORE_SRC),$(sort $(wildcard kernel/*.c kernel/*/*.c kernel/*/*/*.c))) \
               $(wildcard boot/multiboot2/*.c) boot/check/image_check.c
KERNEL_ASM  := $(sort $(wildcard kernel/*/*/*.asm boot/multiboot2/*.asm))
KERNEL_OBJ  := $(KERNEL_SRC:%.c=$(BUILD)/kernel/%.o) $(KERNEL_ASM:%.asm=$(BUILD)/kernel/%.asm.o)
KERNEL_CORE := $(CORE_SRC:%.c=$(BUILD)/kernel/%.o)

$(BUILD)/kernel/%.o: %.c $(SETTINGS)
	@mkdir -p $(@D)
	$(CC) $(KERNEL_CFLAGS) $(ISA) -c $< -o $@

$(BUILD)/kernel/%.asm.o: %.asm $(SETTINGS)
	@mkdir -p $(@D)
	$(NASM) -f elf64 -g -F dwarf -w+error -I $(BUILD)/ -MD $(@:.o=.d) -MP -o $@ $<

$(BUILD)/kernel/libcore.a: $(KERNEL_CORE) $(LIBRARY_OBJ) ; @rm -f $@; ar rcs $@ $^

$(BUILD)/kernel/linked.elf: $(KERNEL_OBJ) $(BUILD)/kernel/libcore.a boot/kernel.ld
	$(CC) -nostdlib -static -Wl,-T,boot/kernel.ld -Wl,-z,max-page-size=4096 \
	    -Wl,--build-id=none -Wl,-z,noexecstack -Wl,--fatal-warnings -o $@ $(KERNEL_OBJ) \
	    $(BUILD)/kernel/libcore.a

# --- the stub's C code: 32-bit ----------------------------------------------------------------------

# What both loaders are made of.
LOADER_SRC  := boot/check/image_check.c \
               $(wildcard boot/load/*.c boot/stop/*.c) kernel/io/fw_cfg.c kernel/core/lib/crc32c.c \
               kernel/core/lib/string.c kernel/core/formats/options/words.c

STUB_SRC    := $(wildcard boot/multiboot2/stub/*.c boot/long_mode/*.c) $(LOADER_SRC)
STUB_OBJ    := $(STUB_SRC:%.c=$(BUILD)/stub/%.o)
STUB_CFLAGS := $(filter-out -O2,$(COMMON)) $(FREE) -m32 -march=i586 -Os -fpie \
               -fvisibility=hidden -ffunction-sections -fno-jump-tables

$(BUILD)/stub/%.o: %.c $(SETTINGS)
	@mkdir -p $(@D)
	$(CC) $(STUB_CFLAGS) $(or $(STUB_ISA),-mgeneral-regs-only) -c $< -o $@

$(BUILD)/stub/boot/load/page_march.o: STUB_ISA := -msse2 -O2

$(BUILD)/stub/stub.elf: $(STUB_OBJ) boot/multiboot2/stub/stub.ld
	$(LD) -m elf_i386 -pie --no-dynamic-linker --gc-sections -z norelro -z noexecstack \
	    --build-id=none --fatal-warnings -T boot/multiboot2/stub/stub.ld -o $@ $(STUB_OBJ)

$(BUILD)/stub.bin: $(BUILD)/stub/stub.elf
	$(OBJCOPY) -O binary -j .text $< $@

$(BUILD)/kernel/boot/multiboot2/stub.asm.o: $(BUILD)/stub.bin

# --- the checksums ------------------------------------------------------------------------------------

$(BUILD)/stamp: boot/check/stamp.c boot/check/image_check.c kernel/core/lib/crc32c.c
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -MF $@.d -o $@ $(filter %.c,$^)

$(BUILD)/okram.elf $(BUILD)/okram.copy &: $(BUILD)/kernel/linked.elf $(BUILD)/stamp
	$(BUILD)/stamp $< $(BUILD)/okram.elf $(BUILD)/okram.copy
	@chmod +x $(BUILD)/okram.elf

# As it goes onto the image.
$(BUILD)/stripped.elf: $(BUILD)/okram.elf
	$(OBJCOPY) --strip-all $< $@
