# okram.elf: the Multiboot2 kernel.

KERNEL_DIRS := $(sort $(wildcard kernel/*/))
KERNEL_SRC  := $(wildcard kernel/*.c $(KERNEL_DIRS:%=%*.c) boot/multiboot2/*.c)
KERNEL_ASM  := $(wildcard kernel/*/*.asm boot/multiboot2/*.asm)
KERNEL_OBJ  := $(KERNEL_SRC:%.c=$(BUILD)/kernel/%.o) $(KERNEL_ASM:%.asm=$(BUILD)/kernel/%.asm.o)

$(BUILD)/kernel/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(KERNEL_CFLAGS) $(ISA) -c $< -o $@

$(BUILD)/kernel/%.asm.o: %.asm
	@mkdir -p $(@D)
	$(NASM) -f elf64 -g -F dwarf -w+error -I $(BUILD)/ -MD $(@:.o=.d) -MP -o $@ $<

$(BUILD)/okram.elf: $(KERNEL_OBJ) boot/kernel.ld
	$(CC) -nostdlib -static -no-pie -Wl,-T,boot/kernel.ld -Wl,-z,max-page-size=4096 \
	    -Wl,--build-id=none -Wl,-z,noexecstack -Wl,--fatal-warnings -o $@ $(KERNEL_OBJ)
