# SPDX-License-Identifier: MIT
# okram.lkrn: the kernel, twice, as one of the Linux/x86 boot protocol.

LKRN_SRC := $(wildcard boot/linux_protocol/*.c) kernel/core/lib/string.c \
            kernel/core/formats/options/words.c
LKRN_OBJ := $(LKRN_SRC:%.c=$(BUILD)/stub/%.o)
LKRN     := $(BUILD)/linux_protocol

$(LKRN)/start.elf: $(LKRN_OBJ) boot/linux_protocol/start.ld
	@mkdir -p $(@D)
	$(LD) -m elf_i386 -pie --no-dynamic-linker --gc-sections -z norelro -z noexecstack \
	    --build-id=none --fatal-warnings -T boot/linux_protocol/start.ld -o $@ $(LKRN_OBJ)

$(LKRN)/start.bin: $(LKRN)/start.elf
	$(OBJCOPY) -O binary -j .text $< $@

# Of an address of the kernel the lower 32 bits.
LKRN_SYMBOLS := multiboot2_entry image_data_end image_end

$(BUILD)/okram.lkrn: boot/linux_protocol/image.asm $(LKRN)/start.bin $(BUILD)/okram.copy $(SETTINGS)
	$(NASM) -f bin -w+error -D START='"$(LKRN)/start.bin"' -D IMAGE='"$(BUILD)/okram.copy"' \
	    -D VERSION='"okram $(VERSION)"' \
	    $$(nm $(BUILD)/kernel/linked.elf | sed -n \
	        $(foreach s,$(LKRN_SYMBOLS),-e 's/^ffffffff\(........\) . \($(s)\)$$/-D\U\2\E=0x\1/p')) \
	    -o $@ $<
