# SPDX-License-Identifier: MIT
# `make sign KEY=db.key CERT=db.crt`: all UEFI programs of the image, and an image with them, signed for
# Secure Boot by a key of one's own (both files are PEM). docs/guard.md says how a machine learns the key.

SIGNED       := $(BUILD)/signed
SBSIGN_FLAGS := # of sbsign, such as --engine for a key in a token

PROGRAMS := $(filter %.efi,$(foreach f,$(ISO_FILES),$(call iso_from,$(f))))

sign: $(PROGRAMS) ## UEFI programs and image signed with KEY= and CERT=, in build/signed
	$(if $(and $(KEY),$(CERT)),,$(error make sign needs a key and its certificate: KEY=db.key CERT=db.crt))
	@mkdir -p $(SIGNED)
	@rm -f $(SIGNED)/*.efi $(SIGNED)/okram.iso
	@for program in $(PROGRAMS); do \
	    signed=$(SIGNED)/$${program##*/}; \
	    sbsign $(SBSIGN_FLAGS) --key "$(KEY)" --cert "$(CERT)" --output $$signed $$program && \
	    sbverify --cert "$(CERT)" $$signed || { rm -f $$signed; exit 1; }; \
	done
	@$(MAKE) --no-print-directory LOADERS=$(SIGNED) ISO=$(SIGNED)/iso IMAGE=$(SIGNED)/okram.iso \
	    $(SIGNED)/okram.iso

.PHONY: sign
