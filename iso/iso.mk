$(BUILD)/okram.iso:
	@echo "the image is not built yet"; false
