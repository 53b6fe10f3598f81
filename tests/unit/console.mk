# The screen and the reports for the host: not pure folders, but these files touch no hardware.

SHOWN_SRC := $(addprefix kernel/console/,ansi.c font.c framebuffer.c grid.c scancode.c) \
             $(wildcard kernel/console/screen*.c kernel/report/*.c)
SHOWN_OBJ := $(SHOWN_SRC:%.c=$(BUILD)/host/%.san.o) $(BUILD)/host/font_data.o \
             $(BUILD)/host/tests/unit/console/scenes.san.o \
             $(BUILD)/host/tests/unit/console/scenes_measured.san.o
SHOWN_LIB := $(BUILD)/libshown.san.a $(BUILD)/libokram.san.a

$(BUILD)/libshown.san.a: $(SHOWN_OBJ) ; @rm -f $@; ar rcs $@ $^

# Shorter stems than the general rule's, and so preferred.
$(BUILD)/unit/console/%: tests/unit/console/%.c $(SHOWN_LIB)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(SAN) -Itests/unit $< $(SHOWN_LIB) -lcmocka -lm -o $@

$(BUILD)/unit/report/%: tests/unit/report/%.c $(SHOWN_LIB)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(SAN) -Itests/unit $< $(SHOWN_LIB) -lcmocka -lm -o $@

$(BUILD)/host/font_data.o: kernel/console/font_data.asm $(FONTS)
	@mkdir -p $(@D)
	$(NASM) -f elf64 -w+error -I $(BUILD)/ -o $@ $<
