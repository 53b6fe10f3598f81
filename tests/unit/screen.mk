# SPDX-License-Identifier: MIT
# The screen and the reports for the host: not pure folders, but these files touch no hardware.

SHOWN_SRC := $(patsubst tests/unit/console/test_%,kernel/show/console/%, \
                 $(filter-out %/test_keyboard.c %/test_serial.c, \
                     $(wildcard tests/unit/console/test_*.c))) \
             $(wildcard kernel/show/screen/*.c kernel/show/report/*.c tests/unit/screen/scenes*.c)
SHOWN_OBJ := $(SHOWN_SRC:%.c=$(BUILD)/host/%.san.o) $(BUILD)/host/big_letters_data.o
SHOWN_LIB := $(BUILD)/libshown.san.a $(BUILD)/libokram.san.a $(BUILD)/host/font_data.o

$(BUILD)/libshown.san.a: $(SHOWN_OBJ) ; @rm -f $@; ar rcs $@ $^

$(foreach folder,console display screen report,$(eval UNIT_LIB_$(folder) := $(SHOWN_LIB)))

$(BUILD)/host/font_data.o: kernel/core/display/font_data.asm $(FONTS)
$(BUILD)/host/big_letters_data.o: kernel/show/screen/big_letters_data.asm $(LETTERS)
$(BUILD)/host/font_data.o $(BUILD)/host/big_letters_data.o:
	@mkdir -p $(@D)
	$(NASM) -f elf64 -w+error -I $(BUILD)/ -o $@ $<
