# SPDX-License-Identifier: Apache-2.0
# Tests.  Every program and script reports in its own way; tests/tally.sh adds
# the counts and ends with "N passed, N failed, N skipped".

TEST_C  = $(sort $(wildcard tests/unit/test_*.c))
TEST_X  = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(TEST_C))
GOLDEN  = $(BUILD)/tests/dsl_golden
MADE_X  = $(BUILD)/tests/sn_tests
# Calls cannot be replaced under a sanitizer, and what extend.sh builds has no SAN:
# these are of a plain build, as are those that read the tree alone.
PLAIN   = $(if $(findstring -fsanitize,$(SAN)),crash cut threads) \
          $(if $(SAN),extend dist lines lists words tally)
TEST_SH = $(filter-out $(PLAIN:%=tests/sh/%.sh),$(sort $(wildcard tests/sh/*.sh)))

COMMA = ,
$(BUILD)/obj/tests/%.o: INC += -Itests -I$(BUILD)/front
$(call obj,$(wildcard tests/unit/*.c tests/*.c tests/tools/*.c tests/onnx/*.c tests/fuzz/*.c tests/ep/*.c)): \
	| $(GEN)/.stamp $(GEN)/onnx.pb-c.c
$(BUILD)/obj/made/gen/sn_tests.o: INC += -Itests
# What several test programs share.
TESTLIB = $(BUILD)/libtest.a
TESTLIB_C = $(sort $(wildcard tests/random/*.c))
$(call obj,$(TESTLIB_C)): | $(GEN)/.stamp
# With the cases of each rule instance, with which random graphs begin.
$(TESTLIB): $(call obj,$(TESTLIB_C)) $(BUILD)/obj/made/gen/sn_cases.o
	@rm -f $@
	$(Q)ar rcs $@ $^
$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(TESTLIB) $(LIB) $(FRONT)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $< $(TESTLIB) $(LIB) $(FRONT) \
	  -lcmocka $(LIBS)
$(BUILD)/tests/test_image: $(IMAGE_O)
$(BUILD)/tests/test_image: LDFLAGS += $(IMAGE_O)
$(BUILD)/tests/test_image: LIBS := $(IMAGE_LIBS) $(LIBS)
# A calculus that errs stands in the place of the prover's own.
$(BUILD)/tests/test_prove: LDFLAGS += -Wl,--wrap=sn_calculus_lemma
# Calls on the system that fail.
$(BUILD)/tests/test_files: LDFLAGS += $(addprefix -Wl$(COMMA)--wrap=,open read write close fstat \
    fsync fchmod rename mkdir flock mmap)
$(GOLDEN): $(BUILD)/obj/tests/dsl/dsl_golden.o $(FRONT)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $< $(FRONT) -lxxhash -lm
$(MADE_X): $(BUILD)/obj/made/gen/sn_tests.o $(BUILD)/obj/tests/gen_support.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ -lcmocka $(LIBS)

# Cases of each rule instance, from the tree's own declarations also where
# DEFDIR has others: what those change must be noticed.
$(GEN)/sn_cases.c: $(GEN)/.stamp
	$(Q)$(SGEN) --cases --nodes nodes.def --passes passes.def \
	  $(BACKENDS) -I . -o $(GEN)
$(BUILD)/obj/made/gen/sn_cases.o: INC += -Itests
$(call obj,tests/cases/run_cases.c): | $(GEN)/.stamp
CASES_X = $(BUILD)/tests/run_cases
$(CASES_X): $(BUILD)/obj/made/gen/sn_cases.o $(call obj,tests/cases/run_cases.c) \
            $(TESTLIB) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)

TOOL_X = $(BUILD)/tests/mkonnx $(BUILD)/tests/mkdata $(BUILD)/tests/node_tests \
         $(BUILD)/tests/differ $(BUILD)/tests/zoo_outputs \
         $(BUILD)/tests/written $(BUILD)/tests/random_graphs $(BEFORE_X) $(BUILD)/tests/fault.so \
         $(BUILD)/tests/spoil $(BUILD)/tests/use_api
$(BUILD)/tests/node_tests: $(BUILD)/obj/tests/onnx/node_tests.o \
                           $(BUILD)/obj/tests/onnx/share.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/tests/mkonnx: $(BUILD)/obj/tests/tools/mkonnx.o $(BUILD)/obj/made/gen/onnx.pb-c.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ -lprotobuf-c
$(BUILD)/tests/mkdata: $(BUILD)/obj/tests/tools/mkdata.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^

# What a program does with sinter.h (tests/long/faults.sh).
$(BUILD)/tests/use_api: $(BUILD)/obj/tests/tools/use_api.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)

# Preloaded: calls that fail, or before which the process is killed.
$(BUILD)/tests/fault.so: $(BUILD)/obj/tests/tools/fault.o
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -o $@ $< -ldl

# Models with one thing changed (tests/sh/spoil.sh).
$(BUILD)/tests/spoil: $(BUILD)/obj/tests/tools/spoil.o $(TESTLIB) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/obj/tests/tools/spoil.o: INC += -Itests

# Random models, and stored vectors, against ONNX Runtime.
DIFFER_O = $(call obj,$(sort $(wildcard tests/differ/*.c)))
$(DIFFER_O): | $(GEN)/.stamp $(GEN)/onnx.pb-c.c
$(BUILD)/tests/differ: $(DIFFER_O) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS) -ldl

# Random graphs as files (tests/long/same.sh).
$(BUILD)/tests/random_graphs: $(BUILD)/obj/tests/tools/random_graphs.o $(TESTLIB) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)

# Nodes over one map, and their values (tests/long/before.sh).
BEFORE_X = $(BUILD)/tests/before_draw $(BUILD)/tests/before_run
$(BEFORE_X): $(BUILD)/tests/before_%: $(BUILD)/obj/tests/tools/before_%.o $(TESTLIB) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)

# The models at hand against their stored outputs.
$(BUILD)/tests/zoo_outputs: $(BUILD)/obj/tests/onnx/zoo_outputs.o \
    $(patsubst %,$(BUILD)/obj/tests/differ/%.o,check sinter_run) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)

# Models in ONNX Runtime, with and without the provider.
EP_HOST = $(patsubst %,$(BUILD)/tests/ep_%,host models context)
$(EP_HOST): $(BUILD)/tests/%: $(BUILD)/obj/tests/ep/%.o $(BUILD)/obj/tests/differ/peer.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS) -ldl

$(BUILD)/tests/ep_differ: $(BUILD)/obj/tests/ep/ep_differ.o \
    $(filter-out %/differ.o %/shrink.o %/vectors.o,$(DIFFER_O)) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS) -ldl

# The provider, which looks at each graph first (ep_slots.c).
$(BUILD)/tests/libep_slots.so: $(BUILD)/obj/tests/ep/ep_slots.o $(EP_O) $(LIB) src/ep/libsinter_ep.map
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -shared -Wl,--version-script=src/ep/libsinter_ep.map \
	  -Wl,--wrap=sn_ep_capability -o $@ $(filter %.o %.a,$^) $(LIBS)

# The provider in a runtime that answers as it is told; how it divides graphs.
EP_ALONE = $(patsubst %,$(BUILD)/tests/ep_%,fake memory parts)
$(BUILD)/obj/tests/ep/fake.o $(patsubst %,$(BUILD)/obj/tests/ep/ep_%.o,fake memory): INC += -Itests
$(BUILD)/tests/ep_memory: LDFLAGS += $(addprefix -Wl$(COMMA)--wrap=,malloc calloc aligned_alloc \
    free strdup mmap)
$(patsubst %,$(BUILD)/tests/ep_%,fake memory): $(BUILD)/obj/tests/ep/fake.o
$(EP_ALONE): $(BUILD)/tests/%: \
    $(BUILD)/obj/tests/ep/%.o $(EP_O) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ -lcmocka $(LIBS)

# What the exporter writes, in ONNX Runtime.
$(BUILD)/tests/written: $(BUILD)/obj/tests/onnx/written.o \
    $(BUILD)/obj/tests/differ/peer.o $(TESTLIB) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS) -ldl
$(BUILD)/obj/tests/onnx/written.o: INC += -Itests

# Fuzz targets, replayed on their corpus here and run by `make fuzz`.
FUZZ   = $(sort $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_X = $(patsubst %,$(BUILD)/tests/replay_%,$(FUZZ))
$(BUILD)/tests/replay_model $(BUILD)/fuzz_model: $(BUILD)/obj/tests/fuzz/pb_mutate.o
$(BUILD)/obj/tests/fuzz/fuzz_pack.o: $(GEN)/sn_pack_id.h
$(BUILD)/tests/replay_image $(BUILD)/fuzz_image: $(IMAGE_O)
$(BUILD)/obj/tests/fuzz/fuzz_ep.o: INC += -Itests
$(BUILD)/tests/replay_ep $(BUILD)/fuzz_ep: $(BUILD)/obj/tests/ep/fake.o $(EP_O)
$(BUILD)/planted_ep: $(BUILD)/obj/tests/ep/fake.o $(filter-out %/ep_compute.o,$(EP_O))
$(BUILD)/planted_image: $(filter-out %/steps.o,$(IMAGE_O)) # which has the bug
$(BUILD)/tests/replay_image $(BUILD)/fuzz_image $(BUILD)/planted_image: LIBS := $(IMAGE_LIBS) $(LIBS)
$(BUILD)/tests/replay_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o \
                         $(BUILD)/obj/tests/fuzz/entry.o \
                         $(BUILD)/obj/tests/fuzz/replay.o $(TESTLIB) $(LIB) $(FRONT)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o \
                 $(BUILD)/obj/tests/fuzz/entry.o $(TESTLIB) $(LIB) $(FRONT)
	$(Q)$(CC) $(SAN) -fsanitize=fuzzer $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

# The same targets with a bug that they must find: planted/NAME.sed makes it in
# the file that its first line names.
$(BUILD)/planted/%.c: tests/fuzz/planted/%.sed FORCE
	@mkdir -p $(@D)
	$(Q)f=$$(sed -n '1s/^# //p' $<) && sed -f $< $$f >$@ && ! cmp -s $$f $@
$(BUILD)/planted_model: $(BUILD)/obj/tests/fuzz/pb_mutate.o
$(BUILD)/planted_%: $(BUILD)/planted/%.c $(BUILD)/fuzz_%
	$(Q)f=$$(sed -n '1s/^# //p' tests/fuzz/planted/$*.sed) && \
	  $(CC) $(ALL_CFLAGS) -MF $(@D)/planted/$*.d -Idsl -I$(BUILD)/front -I$$(dirname $$f) \
	  -c -o $(BUILD)/planted/$*.o $< && \
	  $(CC) $(SAN) -fsanitize=fuzzer $(LDFLAGS) -o $@ $(BUILD)/planted/$*.o \
	  $(BUILD)/obj/tests/fuzz/fuzz_$*.o $(BUILD)/obj/tests/fuzz/entry.o \
	  $(filter %.o,$^) $(TESTLIB) $(LIB) $(FRONT) $(LIBS)

## tests: build the test programs
tests: all lib $(TEST_X) $(EP_ALONE) $(GOLDEN) $(MADE_X) $(CASES_X) $(TOOL_X) $(FUZZ_X) \
       $(BUILD)/tests/mutants

# As many tests at a time as make has jobs.
JOBS = $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),1)
# ONLY='test_pack words': these tests alone.
TESTS = $(TEST_X) $(EP_ALONE) $(MADE_X) $(GOLDEN) $(TEST_SH)
CHOSEN = $(if $(ONLY),$(foreach t,$(TESTS),$(if $(filter $(ONLY),$(basename $(notdir $t))),$t)),$(TESTS))
## check: every test (or ONLY='NAMES'); ends with "N passed, N failed"
check: tests
	@sh tools/deps.sh python3-dev python3-numpy python3-venv || true
	@BUILD=$(BUILD) SHARED=$(SHARED) CC=$(CC) MAKE=$(MAKE) SAN='$(SAN)' \
	  JOBS=$(JOBS) sh tests/tally.sh $(CHOSEN)

## cases: a case and near misses of each rule instance; DEFDIR: other rules
cases: $(CASES_X)
	$(CASES_X)

BENCH_X = $(patsubst %,$(BUILD)/bench/%,layers model mkmodel versus import load)
$(BUILD)/bench/import $(BUILD)/bench/versus: $(BUILD)/obj/tests/differ/peer.o
# The rivals of single layers, where they are installed.
$(BUILD)/bench/layers: $(addprefix $(BUILD)/obj/tests/bench/,peer_dnnl.o peer_xnnpack.o)
$(BUILD)/bench/layers: LIBS += $(if $(wildcard /usr/include/oneapi/dnnl/dnnl.h),-ldnnl) \
	$(if $(and $(wildcard /usr/include/xnnpack.h),$(wildcard /usr/include/pthreadpool.h)),-lXNNPACK)
$(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LIBS) -ldl
$(call obj,$(wildcard tests/bench/*.c)): | $(GEN)/.stamp $(GEN)/onnx.pb-c.c

## bench: time layers and models, against ONNX Runtime where it is installed
bench: all
	sh tools/deps.sh libdnnl-dev libxnnpack-dev libpthreadpool-dev || \
	  echo "oneDNN and XNNPACK could not be fetched" >&2
	@$(MAKE) --no-print-directory $(BENCH_X)
	sh tests/bench/bench.sh $(BUILD) $(SHARED)
## bench-import: a model of 100 MB, read by sinter and by ONNX Runtime
bench-import: $(BUILD)/bench/import
	sh tests/bench/import.sh $(BUILD) $(SHARED)
## bench-compile: time programs of `sinter compile` against the CPU backend
bench-compile: $(SINTER) $(BUILD)/bench/compiled
	sh tests/bench/compiled.sh $(BUILD) $(SHARED)

## bench-nets: networks drawn with SEED (1), against ONNX Runtime; 20 minutes about
bench-nets: all $(BUILD)/bench/versus
	sh tools/deps.sh python3-onnx
	sh tools/oracle/install.sh $(BUILD)/oracle
	tests/bench/nets $(or $(SEED),1) $(BUILD)

## check-long: what takes minutes: the model zoo, peers, long fuzzing
check-long: tests
	@BUILD=$(BUILD) SHARED=$(SHARED) CC=$(CC) MAKE=$(MAKE) SAN='$(SAN)' \
	  sh tests/tally.sh $(sort $(wildcard tests/long/*.sh))

## check-ep: the execution provider in ONNX Runtime, which is fetched
check-ep: tests
	@BUILD=$(BUILD) SHARED=$(SHARED) CC=$(CC) MAKE=$(MAKE) SKIPS=allowed sh tests/tally.sh tests/long/ep.sh

## coverage-rules: how often pass tests and cases fire each rule
coverage-rules: tests
	@BUILD=$(BUILD) sh tests/sh/coverage.sh -v

$(BUILD)/tests/mutants: $(BUILD)/obj/tools/mutants.o \
                        $(filter-out %/main.o,$(GEN_O)) $(FRONT)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ -lxxhash -lm
## mutants: damage every rule, written or derived; what do the checks refuse?
mutants: tests
	BUILD=$(BUILD) CC=$(CC) SAN='$(SAN)' $(BUILD)/tests/mutants -t $(DEFS)

## bless: accept the present output of golden tests; review the diff
bless: tests
	BUILD=$(BUILD) $(GOLDEN) --bless $$(find tests/dsl tests/corpus tests/gen -name '*.def')
	BUILD=$(BUILD) sh tests/sh/pass.sh --bless
	BUILD=$(BUILD) CC=$(CC) sh tests/sh/gen_rules.sh --bless

# Seconds for each target.
FUZZ_TIME ?= 60
## fuzz: run the fuzz targets under ASan and UBSan, FUZZ_TIME seconds each
fuzz:
	@sh tools/deps.sh clang libclang-rt-14-dev
	$(MAKE) BUILD=$(BUILD)/fuzz CC=clang OPT='-O1 -g' fuzz-run \
	  SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'
fuzz-run: $(patsubst %,$(BUILD)/fuzz_%,$(FUZZ))
	@BUILD=$(BUILD) sh tests/fuzz/run.sh $(FUZZ_TIME) $(FUZZ)
## fuzz-planted: does each fuzz target find the bug that is planted for it?
fuzz-planted:
	@sh tools/deps.sh clang libclang-rt-14-dev
	$(MAKE) BUILD=$(BUILD)/fuzz CC=clang OPT='-O1 -g' fuzz-plant \
	  SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'
fuzz-plant: $(patsubst %,$(BUILD)/planted_%,$(FUZZ))
	@BUILD=$(BUILD) sh tests/fuzz/planted.sh $(FUZZ_TIME) $(FUZZ)

# What is generated is that of $(BUILD), and so is the front end, which has no
# threads.
TSAN_X = $(patsubst %,$(BUILD)/tests/test_%,team spread late run budget api api_pool)
## tsan: the tests of threads under ThreadSanitizer
tsan: all $(GEN)/sn_cases.c
	@mkdir -p $(BUILD)/tsan
	@cp -a $(GEN) $(BUILD)/line $(SGEN) $(FRONT) $(BUILD)/tsan
	@$(MAKE) tsan-run BUILD=$(BUILD)/tsan OPT='-O1 -g' SAN=-fsanitize=thread \
	  -o $(SGEN:$(BUILD)/%=$(BUILD)/tsan/%) -o $(FRONT:$(BUILD)/%=$(BUILD)/tsan/%)
tsan-run: $(TSAN_X)
	@BUILD=$(BUILD) SHARED=$(SHARED) JOBS=$(JOBS) TSAN_OPTIONS=halt_on_error=1 \
	  sh tests/tally.sh $(TSAN_X)

.PHONY: tsan tsan-run check-ep cases fuzz fuzz-run fuzz-plant fuzz-planted tests check check-long bench bench-compile bench-nets \
        bless
