# build/badram: the cover of kernel/faults as a host program, which `tools/okram badram` calls.

$(BUILD)/badram: tools/badram/badram.c $(BUILD)/libokram.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $< $(BUILD)/libokram.a -o $@
