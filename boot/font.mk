# SPDX-License-Identifier: MIT
# The framebuffer's fonts and the large letters: unpacked from the distribution's package into
# build/font, where kernel/core/display/font_data.asm and kernel/show/screen/big_letters_data.asm take
# them from.

CONSOLE_FONTS ?= /usr/share/consolefonts
FONTS := $(addprefix $(BUILD)/font/,16.psf 20x10.psf 24x12.psf 28x14.psf 32x16.psf)
LETTERS := $(addprefix $(BUILD)/font/,Bold16.psf Bold20x10.psf Bold24x12.psf Bold32x16.psf)

$(BUILD)/font/%.psf: $(CONSOLE_FONTS)/Lat15-Terminus%.psf.gz
	@mkdir -p $(@D)
	gunzip -c $< > $@

$(foreach program,kernel uefi uefi32,$(BUILD)/$(program)/kernel/core/display/font_data.asm.o): $(FONTS)
$(BUILD)/kernel/kernel/show/screen/big_letters_data.asm.o: $(LETTERS)
