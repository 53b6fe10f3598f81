# SPDX-License-Identifier: MIT
# The flow of the tests on a machine that is faked: what decides which memory is tested, and when
# okram moves, without what sweeps and moves.

FLOW_TESTS := $(addprefix $(BUILD)/unit/testing/,test_passes test_passes_deferred test_rounds \
                                                 test_split_wait test_three_legs)
FLOW_SRC   := $(addprefix kernel/run/testing/,passes.c rounds.c split_wait.c \
                                              three_legs.c relocation.c) \
              $(addprefix kernel/run/faults/,reporter.c fault_emit.c channels.c) \
              $(addprefix kernel/event/,events.c notices.c stop.c) kernel/run/ecc/ecc.c kernel/layout/self/new_place.c \
              $(addprefix kernel/run/progress/,progress.c ram_map.c) \
              $(addprefix kernel/layout/plan/,plan.c share.c tested.c unpaired.c lost_cpus.c)
FLOW_OBJ   := $(FLOW_SRC:%.c=$(BUILD)/host/%.san.o)
FLOW_FAKES := $(patsubst %,$(BUILD)/host/tests/unit/testing/%.san.o,fake_machine fake_sweeps fake_order two_cells)

$(FLOW_OBJ) $(FLOW_FAKES): HOST_CFLAGS += -Itests/unit

$(FLOW_TESTS): $(BUILD)/unit/testing/%: tests/unit/testing/%.c $(FLOW_OBJ) $(MACHINE_LIB) \
                                        $(filter %_machine.san.o %_sweeps.san.o,$(FLOW_FAKES))
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(UNIT_SAN) -Itests/unit $(filter %.c %.o,$^) $(MACHINE_LIB) -lcmocka -o $@

# The order of operations as element.c and the engine make it.
$(BUILD)/unit/testing/test_three_legs_pairs: tests/unit/testing/test_three_legs_pairs.c $(FLOW_OBJ) \
    $(filter-out %/fake_sweeps.san.o,$(FLOW_FAKES)) $(BUILD)/host/kernel/run/testing/element.san.o \
    $(BUILD)/host/tests/coverage/primitive.san.o $(MACHINE_LIB)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(UNIT_SAN) -Itests/unit $(filter %.c %.o,$^) $(MACHINE_LIB) -lcmocka -o $@

# The search for rows, where virtual addresses are physical ones and times those of a published map.
$(BUILD)/unit/testing/test_row_finding: tests/unit/testing/test_row_finding.c kernel/run/testing/row_finding.c kernel/run/testing/read_counting.c \
                                        kernel/hw/controller/traffic.c $$(ROW_MACHINE) $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(SAN) -Itests/unit $(filter %.c %.o %.a,$^) -lcmocka -o $@
