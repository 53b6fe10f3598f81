# SPDX-License-Identifier: MIT
# `make sbom`: what the image, the programs on it and those for the network are made of, with their
# checksums.

SBOM       := $(BUILD)/okram.spdx.json
SBOM_FILES  = $(IMAGE) okram.elf=$(BUILD)/stripped.elf $(BUILD)/okram.copy $(PROGRAMS) \
              $(BUILD)/okram.lkrn $(BUILD)/okram.0
SBOM_PARTS  = grub=$(GRUB_PC)/cdboot.img gnu-efi=$(EFI_LIB)/libefi.a qrcodegen=$(QR_LIB) \
              bearssl=$(BEARSSL_LIB) \
              $(if $(SHIM_PARTS),shim=$(SHIM_FILE) mokmanager=$(MOKMANAGER)) \
              terminus=$(CONSOLE_FONTS)/Lat15-Terminus16.psf.gz
SBOM_TOOLS  = $(CC) $(LD) $(NASM) $(OBJCOPY) $(GRUB_MKIMAGE) $(XORRISO) mformat

sbom: $(SBOM) ## a software bill of materials: build/okram.spdx.json

$(SBOM): tools/sbom/sbom.py $(foreach f,$(SBOM_FILES),$(call iso_from,$(f)))
	@tools/sbom/sbom.py --version $(VERSION) --date $(ISO_EPOCH) $(SBOM_PARTS:%=--part %) \
	    $(SBOM_TOOLS:%=--tool %) $(SBOM_FILES) > $@

.PHONY: sbom
