# SPDX-License-Identifier: MIT
# The schema of the JSON lines and the lists of docs/json.md, from the table of records in
# kernel/show/report/records.c.

SCHEMA_OBJ := $(patsubst %.c,$(BUILD)/host/%.o,tools/schema/table.c kernel/show/report/records.c \
                  kernel/show/report/format_text.c)

$(BUILD)/records: $(SCHEMA_OBJ) $(BUILD)/libokram.a
	$(CC) $(HOST_CFLAGS) $^ -o $@

json-docs: $(BUILD)/records ## the schema of the JSON lines and the lists of docs/json.md, from records.c
	@$< | python3 -B tools/schema/make.py

json-docs-check: $(BUILD)/records
	@$< | python3 -B tools/schema/make.py --check

.PHONY: json-docs json-docs-check
