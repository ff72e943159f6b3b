# Tests.  Every program and script reports in its own way; tests/tally.sh adds
# the counts and ends with "N passed, N failed, N skipped".

TEST_C  = $(sort $(wildcard tests/unit/test_*.c))
TEST_X  = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(TEST_C))
GOLDEN  = $(BUILD)/tests/dsl_golden
MADE_X  = $(BUILD)/tests/sn_tests
TEST_SH = $(sort $(wildcard tests/sh/*.sh))

$(BUILD)/obj/tests/%.o: INC += -Itests -I$(BUILD)/front
$(call obj,$(wildcard tests/unit/*.c tests/*.c tests/tools/*.c tests/onnx/*.c)): \
	$(GEN)/.stamp $(GEN)/onnx.pb-c.c
$(BUILD)/obj/made/gen/sn_tests.o: INC += -Itests
$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(LIB) $(FRONT)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $< $(LIB) $(FRONT) -lcmocka $(LIBS)
$(GOLDEN): $(BUILD)/obj/tests/dsl/dsl_golden.o $(FRONT)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $< $(FRONT) -lxxhash -lm
$(MADE_X): $(BUILD)/obj/made/gen/sn_tests.o $(BUILD)/obj/tests/gen_support.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ -lcmocka $(LIBS)

TOOL_X = $(BUILD)/tests/mkonnx $(BUILD)/tests/mkdata $(BUILD)/tests/node_tests
$(BUILD)/tests/node_tests: $(BUILD)/obj/tests/onnx/node_tests.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/tests/mkonnx: $(BUILD)/obj/tests/tools/mkonnx.o $(BUILD)/obj/made/gen/onnx.pb-c.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ -lprotobuf-c
$(BUILD)/tests/mkdata: $(BUILD)/obj/tests/tools/mkdata.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^

## tests: build the test programs
tests: all $(TEST_X) $(GOLDEN) $(MADE_X) $(TOOL_X)

## check: every test; ends with "N passed, N failed"
check: tests
	@BUILD=$(BUILD) SHARED=$(SHARED) CC=$(CC) MAKE=$(MAKE) SAN='$(SAN)' \
	  sh tests/tally.sh $(TEST_X) $(MADE_X) $(GOLDEN) $(TEST_SH)

## check-long: what takes minutes: the model zoo, peers, long fuzzing
check-long: tests
	@BUILD=$(BUILD) SHARED=$(SHARED) CC=$(CC) MAKE=$(MAKE) SAN='$(SAN)' \
	  sh tests/tally.sh $(sort $(wildcard tests/long/*.sh))

## bless: accept the present output of golden tests; review the diff
bless: tests
	BUILD=$(BUILD) $(GOLDEN) --bless $$(find tests/dsl -name '*.def')
	BUILD=$(BUILD) sh tests/sh/pass.sh --bless
	BUILD=$(BUILD) CC=$(CC) sh tests/sh/gen_rules.sh --bless

.PHONY: tests check check-long bless
