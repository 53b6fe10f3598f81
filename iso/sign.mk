# SPDX-License-Identifier: MIT
# `make sign KEY=db.key CERT=db.crt`: all UEFI programs of the image, and an image with them, signed for
# Secure Boot by a key of one's own (both files are PEM). docs/guard.md says how a machine learns the key.
# shim gets a second signature: so the image starts where firmware knows Microsoft's key, and where it
# knows this one alone. MokManager needs none: shim knows its distribution's key.

SIGNED       := $(BUILD)/signed
SBSIGN_FLAGS := # of sbsign, such as --engine for a key in a token

SHIM_SIGNED := $(filter-out $(MOKMANAGER),$(SHIM_PARTS))

PROGRAMS := $(sort $(filter $(BUILD)/%.efi,$(foreach f,$(ESP_FILES),$(call iso_from,$(f)))))

sign: $(PROGRAMS) $(SHIM_SIGNED) ## UEFI programs and image signed with KEY= and CERT=, in build/signed
	$(if $(and $(KEY),$(CERT)),,$(error make sign needs a key and its certificate: KEY=db.key CERT=db.crt))
	@mkdir -p $(SIGNED)
	@rm -f $(SIGNED)/*.efi $(SIGNED)/*.signed $(SIGNED)/okram.iso
	@openssl x509 -in "$(CERT)" -outform DER -out $(SIGNED)/okram.cer
	@for program in $(PROGRAMS) $(SHIM_SIGNED); do \
	    signed=$(SIGNED)/$${program##*/}; \
	    sbsign $(SBSIGN_FLAGS) --key "$(KEY)" --cert "$(CERT)" --output $$signed $$program && \
	    sbverify --cert "$(CERT)" $$signed || { rm -f $$signed; exit 1; }; \
	done
	@$(MAKE) --no-print-directory LOADERS=$(SIGNED) ISO=$(SIGNED)/iso IMAGE=$(SIGNED)/okram.iso \
	    SHIM_X64=$(SIGNED)/$(notdir $(SHIM_X64)) ENROLL=ENROLL-THIS-okram.cer=$(SIGNED)/okram.cer \
	    $(SIGNED)/okram.iso

.PHONY: sign
