# okram.efi: our loader with the kernel inside.

$(BUILD)/okram.efi:
	@echo "the UEFI loader is not built yet"; false
