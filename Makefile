# SPDX-License-Identifier: Apache-2.0
# sinter.  One file, no configure; everything made goes to $(BUILD).
CC     ?= gcc
BUILD  ?= build
SHARED ?= ../shared
OPT    ?= -O2 -g
SAN    ?=
PROTO  ?= /usr/include/onnx
LEMPAR ?= /usr/share/lemon/lempar.c
ifeq ($(origin CC),default)
CC = gcc
endif

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
       -Wmissing-prototypes -Wcast-qual -Wundef -Wvla -Wformat=2 -Werror
# What re2c, lemon and protoc-c write is theirs: only plain warnings there.
WARN_TOOL = -Wall -Wno-unused-variable -Wno-unused-but-set-variable
# One set of objects serves programs, libraries and what plugins see.
STD  = -std=c11 -D_GNU_SOURCE -ffp-contract=off -fno-strict-aliasing \
       -fPIC -fno-semantic-interposition
INC  = -Iinclude -Isrc -I. -I$(GEN)
# What is compiled does not depend on where the tree lies.  A debugger looks for
# sources from its current directory.
HERE = -ffile-prefix-map=$(CURDIR)=.
ALL_CFLAGS = $(STD) $(OPT) $(SAN) $(COUNTS) $(INC) $(HERE) -MMD -MP $(CFLAGS)
# make V=1 shows every command.
Q = $(if $(V),,@)
LIBS = -lprotobuf-c -ljansson -lxxhash -lpthread -lm
GEN  = $(BUILD)/gen

# Sources of a room and of the rooms inside it.
below = $(sort $(shell find $(1) -name '*.c'))
BASE_C = $(call below,src/base)
MAP_C  = $(call below,src/map)
DSL_C  = $(call below,dsl) $(BUILD)/front/lex.c $(BUILD)/front/gram.c
GEN_C  = $(call below,gen)
CLI_C  = $(call below,src/cli src/report) $(GEN)/sn_report_page.c
IMAGE_C = $(call below,src/image)
IMAGE_LIBS = -lspng -lturbojpeg
LIB_C  = $(BASE_C) $(MAP_C) $(call below,src/graph src/kernel src/rewrite src/quant \
         src/onnx src/run src/aot src/backend src/api)
# Parts of what is generated of nodes (gen/node/part.h).
PARTS := $(shell seq 0 $$(($$(sed -n 's/.*SN_NPART = \([0-9]*\).*/\1/p' gen/node/part.h) - 1)))
EVAL_C = $(PARTS:%=sn_eval_%.c)
MADE_C = $(addprefix $(GEN)/,sn_kinds.c sn_maps.c sn_arith.c $(EVAL_C) sn_inv.c sn_rules.c \
         sn_where.c onnx.pb-c.c)
# Where nodes.def (with maps.def) and passes.def are taken from, and flags of sinter-gen.
DEFDIR ?= .
GENFLAGS ?=
DEFS   = $(DEFDIR)/nodes.def $(DEFDIR)/passes.def $(sort $(wildcard src/backend/*/*.def))
BACKENDS = $(foreach b,$(sort $(wildcard src/backend/*/*.def)),--backend $(b))

obj = $(patsubst $(BUILD)/%.c,$(BUILD)/obj/made/%.o,\
      $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(BUILD)/%,$(1))) \
      $(filter $(BUILD)/%,$(1)))
BASE_O = $(call obj,$(BASE_C))
MAP_O  = $(call obj,$(MAP_C))
DSL_O  = $(call obj,$(DSL_C))
GEN_O  = $(call obj,$(GEN_C))
CLI_O  = $(call obj,$(CLI_C))
IMAGE_O = $(call obj,$(IMAGE_C))
EP_O   = $(call obj,$(call below,src/ep))
LIB_O  = $(call obj,$(LIB_C)) \
         $(call obj,$(MADE_C) $(GEN)/sn_variants.c $(GEN)/sn_net_text.c $(GEN)/sn_tuned_text.c)

SINTER = $(BUILD)/sinter
SGEN   = $(BUILD)/sinter-gen
LIB    = $(BUILD)/libsinter.a
FRONT  = $(BUILD)/libsinter-dsl.a
EPSO   = $(BUILD)/libsinter_ep.so

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

## all: the generator, the library, the sinter command and the provider
all: $(SINTER) $(SGEN) $(EPSO)

## deps: install the Debian packages that are missing
deps:
	@sh tools/deps.sh

# Everything that compiles waits for the packages.
$(BUILD)/.deps: tools/deps.sh
	@mkdir -p $(BUILD)
	@sh tools/deps.sh
	@touch $@

# ---- the generator ----

$(BUILD)/front/lex.c: dsl/syntax/lex.re | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(Q)re2c --no-debug-info --no-generation-date -W -o $@ $<
# Lemon reads one file.
$(BUILD)/front/gram.c: dsl/syntax/gram.y dsl/syntax/gram_arith.y \
                         dsl/syntax/gram_expr.y | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(Q)cat $^ >$(BUILD)/front/gram.y
	$(Q)lemon -q -l -T$(LEMPAR) -d$(BUILD)/front $(BUILD)/front/gram.y
$(BUILD)/front/gram.h: $(BUILD)/front/gram.c

$(FRONT): $(DSL_O) $(MAP_O) $(BASE_O)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(SGEN): $(GEN_O) $(FRONT)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $(GEN_O) $(FRONT) -lxxhash -lm

$(DSL_O) $(GEN_O): $(BUILD)/front/gram.h
$(DSL_O) $(GEN_O): INC += -I$(BUILD)/front

# ---- what the declarations generate ----

# The header of a kind that is gone must not be found.
$(GEN)/.stamp: $(SGEN) $(DEFS) $(DEFDIR)/maps.def $(DEFDIR)/arith.def
	@mkdir -p $(GEN)
	$(Q)$(SGEN) $(GENFLAGS) --nodes $(DEFDIR)/nodes.def --passes $(DEFDIR)/passes.def \
	  $(BACKENDS) -I $(DEFDIR) -o $(GEN)
	@cd $(GEN) && ls sn_kind_*.h | \
	  grep -vxF "$$(sed -n 's/^#include "\(.*\)"/\1/p' sn_kinds.h)" | \
	  xargs -r rm -f
	@touch $@
$(GEN)/onnx.pb-c.c: | $(BUILD)/.deps
	@mkdir -p $(GEN)
	$(Q)protoc-c --proto_path=$(PROTO) --c_out=$(GEN) onnx.proto
# Packed weights and measured picks that another build has written are not
# used: a hash of what packs and computes.
PACK_C = $(sort $(wildcard src/kernel/conv/*.[chi]* src/kernel/conv_f32/*.[chi]* \
         src/kernel/conv_geo.* src/kernel/sizes.h src/kernel/pack.* src/kernel/pack_file.h src/kernel/tile_rows.h) src/backend/cpu/contract.c)
$(GEN)/sn_pack_id.h: $(PACK_C)
	@mkdir -p $(GEN)
	@printf '#define SN_PACK_ID "%s"\n' \
	  "$$(cat $(PACK_C) | sha256sum | cut -c1-16)" >$@
$(call obj,src/kernel/pack.c src/kernel/tune/tune.c): $(GEN)/sn_pack_id.h
# Variants of kernels register themselves: a call of each function that does.
KERNEL_C = $(call below,src/kernel)
$(GEN)/sn_variants.c: $(KERNEL_C) tools/variants.sh
	@mkdir -p $(GEN)
	@sh tools/variants.sh $(KERNEL_C) >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
# The page of `sinter report`.
PAGE = src/report/page/report.html src/report/page/report.css \
       $(addprefix src/report/page/,layout.js draw.js charts.js report.js)
$(GEN)/sn_report_page.c: $(PAGE) tools/page.sh
	@mkdir -p $(GEN)
	@sh tools/page.sh $(PAGE) >$@
# Functions that programs of `sinter compile` have copies of.
NET_TEXT = src/aot/blocks/soft.h src/aot/blocks/dot.h src/aot/blocks/mve.h src/aot/blocks/wide.h \
           src/base/num.h src/kernel/eval/rows.h src/base/fmath.c $(GEN)/sn_arith.h
$(GEN)/sn_net_text.c: $(NET_TEXT) tools/net_text.sh
	@mkdir -p $(GEN)
	@sh tools/net_text.sh $(NET_TEXT) >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
# Files of kernels, which programs for some processors have.
$(GEN)/sn_tuned_text.c: $(PACK_C) $(wildcard src/kernel/point/*_q8*) src/kernel/codes_avx2.h \
                         src/kernel/codes_avx512.h tools/tuned_text.sh
	@mkdir -p $(GEN)
	@sh tools/tuned_text.sh >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
# The empty recipe makes make look at the file again: sinter-gen leaves what
# did not change alone.
MADE_H = $(addprefix $(GEN)/,sn_kinds.h sn_maps.h sn_arith.h sn_gen.h sn_hooks.h sn_rules.h sn_where.h \
         $(PARTS:%=sn_attr_%.h) $(PARTS:%=sn_eval_%.h)) \
         $(wildcard $(GEN)/sn_kind_*.h $(GEN)/*_kernels.h)
$(filter-out %.pb-c.c,$(MADE_C)) $(GEN)/sn_tests.c: $(GEN)/.stamp
	@:
$(MADE_H): $(GEN)/.stamp
	@:
$(GEN)/onnx.pb-c.h: $(GEN)/onnx.pb-c.c
	@:

# What is compiled of those with functions: with a #line to the declaration
# before each statement.  Where only numbers of lines change it stays, and with
# it the lines that a debugger shows; LINES=1 brings these up to date.
LINED = $(addprefix $(BUILD)/line/,sn_kinds.c $(EVAL_C) sn_inv.c sn_rules.c)
$(BUILD)/line/.stamp: $(LINED:$(BUILD)/line/%=$(GEN)/%) tools/lines.sh \
                      $(if $(LINES),FORCE)
	@mkdir -p $(@D)
	@for f in $(notdir $(LINED)); do \
	  sh tools/lines.sh $(GEN)/$$f $(@D)/$$f $(LINES) || exit 1; done
	@touch $@
$(LINED): $(BUILD)/line/.stamp
	@:

## gen: run sinter-gen only
gen: $(GEN)/.stamp

# ---- compiling ----

# Objects are made again when the compiler or its flags change.
$(BUILD)/.flags: FORCE
	@mkdir -p $(BUILD)
	@echo '$(CC) $(STD) $(OPT) $(SAN) $(CFLAGS)' | cmp -s - $@ || \
	  echo '$(CC) $(STD) $(OPT) $(SAN) $(CFLAGS)' >$@
FORCE:

$(BUILD)/obj/made/front/%.o: $(BUILD)/front/%.c $(BUILD)/.flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC $<")
	$(Q)$(CC) $(ALL_CFLAGS) -Idsl $(WARN_TOOL) -c -o $@ $<
$(BUILD)/obj/made/gen/onnx.pb-c.o: $(GEN)/onnx.pb-c.c $(BUILD)/.flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC $<")
	$(Q)$(CC) $(ALL_CFLAGS) $(WARN_TOOL) -c -o $@ $<
$(LINED:$(BUILD)/line/%.c=$(BUILD)/obj/made/gen/%.o): \
$(BUILD)/obj/made/gen/%.o: $(BUILD)/line/%.c $(BUILD)/.flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC $<")
	$(Q)$(CC) $(ALL_CFLAGS) $(WARN) -c -o $@ $<
$(BUILD)/obj/made/gen/%.o: $(GEN)/%.c $(BUILD)/.flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC $<")
	$(Q)$(CC) $(ALL_CFLAGS) $(WARN) -c -o $@ $<
$(BUILD)/obj/%.o: %.c $(BUILD)/.flags | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC $<")
	$(Q)$(CC) $(ALL_CFLAGS) $(WARN) -c -o $@ $<
# Sources above the generator see its headers: these are there before the
# first object, and later an object is made again when one that it includes
# has changed.
$(call obj,$(filter-out src/base/% src/map/%,$(LIB_C)) $(CLI_C)) $(EP_O): \
	| $(GEN)/.stamp $(GEN)/onnx.pb-c.c

$(LIB): $(LIB_O)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(SINTER): $(CLI_O) $(IMAGE_O) $(LIB)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -rdynamic -o $@ $(CLI_O) $(IMAGE_O) \
	  -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive $(IMAGE_LIBS) $(LIBS)

# ONNX Runtime loads it: only its two functions are visible, and all of the
# library is inside.
$(EPSO): $(EP_O) $(LIB) src/ep/libsinter_ep.map
	$(Q)$(CC) $(SAN) $(LDFLAGS) -shared -Wl,-soname,libsinter_ep.so \
	  -Wl,--version-script=src/ep/libsinter_ep.map -o $@ $(EP_O) $(LIB) $(LIBS)
## ep: the execution provider for ONNX Runtime
ep: $(EPSO)

# ---- installing ----

prefix     ?= /usr/local
bindir      = $(prefix)/bin
libdir      = $(prefix)/lib
includedir  = $(prefix)/include/sinter
datadir     = $(prefix)/share/sinter
docdir      = $(prefix)/share/doc/sinter
VERSION     = $(shell sed -n 's/^#define SN_VERSION "\(.*\)"/\1/p' src/base/version.h)
# What hosts include is include/sinter.h; plugins include one header, too.
PLUGIN_H = $(BUILD)/sinter_plugin.h
$(PLUGIN_H): include/sinter_plugin.h tools/plugin_header.sh $(LIB) src/backend/plugin.h
	@sh tools/plugin_header.sh include/sinter_plugin.h src $(GEN) >$@.$$$$ && mv $@.$$$$ $@
# What hosts link against.  Before 1.0 a minor version may change the interface,
# so that the name of the library has it.  A plugin is linked with nothing: it
# sees the symbols of the program that loads it, or those of this library that
# the headers for plugins declare.
SOVERSION  = $(basename $(VERSION))
PLUGIN_ABI = $(shell sed -n 's/^#define SN_PLUGIN_ABI //p' src/backend/plugin.h)
LIBSO = $(BUILD)/libsinter.so.$(VERSION)
$(BUILD)/libsinter.map: $(LIB) $(PLUGIN_H) tools/exports.sh
	@sh tools/exports.sh $(LIB) $(SOVERSION) $(PLUGIN_ABI) $(PLUGIN_H) >$@.$$$$ && mv $@.$$$$ $@
$(LIBSO): $(LIB_O) $(BUILD)/libsinter.map
	$(Q)$(CC) $(SAN) $(LDFLAGS) -shared -Wl,-soname,libsinter.so.$(SOVERSION) \
	  -Wl,--version-script=$(BUILD)/libsinter.map -o $@ $(LIB_O) $(LIBS)
## lib: the library and the shared library
lib: $(LIB) $(LIBSO)

INSTALLED = $(bindir)/sinter $(bindir)/sinter-gen $(libdir)/libsinter.a \
            $(libdir)/libsinter.so.$(VERSION) $(libdir)/libsinter.so.$(SOVERSION) \
            $(libdir)/libsinter.so $(libdir)/libsinter_ep.so $(libdir)/pkgconfig/sinter.pc
CORE_DEF = $(addprefix $(DEFDIR)/,nodes.def maps.def arith.def passes.def) \
           $(sort $(wildcard src/backend/*/*.def))

## install: programs, libraries, headers, declarations and their reference into DESTDIR/prefix
install: all $(LIBSO) $(PLUGIN_H)
	@mkdir -p $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)/pkgconfig \
	  $(DESTDIR)$(datadir)
	$(Q)install -m 755 $(SINTER) $(SGEN) $(DESTDIR)$(bindir)
	$(Q)sh tools/install_help.sh $(SINTER) $(SGEN) $(DESTDIR)$(prefix)/share
	$(Q)install -m 644 $(LIB) $(DESTDIR)$(libdir)
	$(Q)install -m 755 $(LIBSO) $(EPSO) $(DESTDIR)$(libdir)
	$(Q)ln -sf libsinter.so.$(VERSION) $(DESTDIR)$(libdir)/libsinter.so.$(SOVERSION)
	$(Q)ln -sf libsinter.so.$(SOVERSION) $(DESTDIR)$(libdir)/libsinter.so
	$(Q)install -D -m 644 include/sinter.h $(DESTDIR)$(includedir)/sinter.h
	$(Q)install -m 644 $(PLUGIN_H) $(DESTDIR)$(includedir)
	$(Q)install -m 644 $(CORE_DEF) $(DESTDIR)$(datadir)
	$(Q)install -D -m 644 $(GEN)/reference.md $(DESTDIR)$(docdir)/reference.md
	$(Q)printf '%s\n' $(notdir $(CORE_DEF)) >$(DESTDIR)$(datadir)/core.list
	$(Q)sed -e 's|@prefix@|$(prefix)|' -e 's|@version@|$(VERSION)|' \
	  -e 's|@libs@|$(LIBS)|' \
	  tools/sinter.pc.in >$(DESTDIR)$(libdir)/pkgconfig/sinter.pc

## uninstall: remove what install put there
uninstall:
	$(Q)rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	$(Q)rm -rf $(DESTDIR)$(includedir) $(DESTDIR)$(datadir) $(DESTDIR)$(docdir)
	$(Q)rm -f $(addprefix $(DESTDIR)$(prefix)/share/,man/man1/sinter.1 man/man1/sinter-*.1 \
	  bash-completion/completions/sinter zsh/site-functions/_sinter \
	  fish/vendor_completions.d/sinter.fish)

# ---- Python ----

# Debian's, by the stable ABI: the wheel serves every Python from 3.11 on.
PYTHON ?= /usr/bin/python3
PYINC   = $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')
PYCORE  = $(BUILD)/wheel/_core.abi3.so
PYCORE_C = python/core.c python/py_ports.c
$(PYCORE): $(PYCORE_C) python/py_ports.h $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(OPT) $(SAN) -fPIC -Iinclude -isystem $(PYINC) $(HERE) $(WARN) \
	  $(CFLAGS) -shared -fvisibility=hidden -Wl,--exclude-libs,ALL $(LDFLAGS) -o $@ $(PYCORE_C) $(LIB) $(LIBS)
## wheel: the Python package, $(BUILD)/wheel/sinter-VERSION-*.whl
wheel: $(PYCORE)
	@sh tools/deps.sh python3-dev python3-numpy
	@rm -f $(BUILD)/wheel/*.whl
	$(Q)$(PYTHON) python/wheel.py $(VERSION) $(PYCORE) $(BUILD)/wheel

# ---- the source tarball ----

# The same bytes from every checkout of a commit, and from the tree that the
# tarball unpacks to: times are the commit's, or those of the unpacked files.
DIST = sinter-$(VERSION)
EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell if [ -e .git ]; then \
        git log -1 --format=%ct; else stat -c %Y CHANGELOG.md; fi))
## dist: the source tarball, $(BUILD)/sinter-VERSION.tar.gz
dist:
	@mkdir -p $(BUILD)
	$(Q)sh tools/files.sh >$(BUILD)/dist.list
	$(Q)tar --create --format=ustar --owner=0 --group=0 --numeric-owner \
	  --mode=u=rwX,go=rX --mtime=@$(EPOCH) --transform='s|^|$(DIST)/|' \
	  --no-recursion --files-from=$(BUILD)/dist.list \
	  --file=$(BUILD)/$(DIST).tar
	$(Q)gzip -9nf $(BUILD)/$(DIST).tar
	@echo $(BUILD)/$(DIST).tar.gz

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

include tests/tests.mk

## demo: quantize the bundled LRN network and show what happened
demo: all
	sh examples/demo/demo.sh $(BUILD)

## explain: which rescale families each node joins, and why
explain: $(SGEN)
	@$(SGEN) --explain --nodes $(DEFDIR)/nodes.def \
	  --passes $(DEFDIR)/passes.def $(BACKENDS) -I $(DEFDIR)

## report: why each pass ends, where order matters, what proves each rule
report: $(SGEN)
	@$(SGEN) --report --nodes $(DEFDIR)/nodes.def \
	  --passes $(DEFDIR)/passes.def $(BACKENDS) -I $(DEFDIR)

## certify: z3 and cvc5 on each question that the proofs of rules have answered
certify: $(SGEN)
	@sh tools/deps.sh z3 cvc5
	@sh tools/certify.sh $(BUILD)

## zoo: every model at hand against its stored outputs, then quantized; tables
zoo: all $(BUILD)/tests/zoo_outputs
	sh tools/zoo.sh $(BUILD) $(SHARED)

# -O1 of gcc alone inserts no vzeroupper, and what has no vectors then runs ten times
# slower behind what has.
## san: make check under AddressSanitizer and UBSan
san:
	$(MAKE) check BUILD=build/san OPT='-O1 -fexpensive-optimizations -g' \
	  SAN='-fsanitize=address,undefined -fno-sanitize-recover=all'

# Of every line and branch of src, dsl and gen: counted by clang, tests of all kinds.
# The generator's runs of the build count, too, and are made again each time.
COV = $(BUILD)/cov
# Calls that fail (COV_FAULTS of each kind and command, at most), too.  The figures are
# printed also when a test fails, and the run fails all the same.
COV_FAULTS = 100
## coverage: what make check and calls that fail reach, 92 % of lines, 85 % of branches
coverage:
	@sh tools/deps.sh clang llvm
	@rm -rf $(COV)/raw && mkdir -p $(COV)/raw
	@rm -f $(COV)/gen/.stamp $(COV)/gen/sn_cases.c
	@LLVM_PROFILE_FILE=$(abspath $(COV))/raw/build.%m.profraw $(MAKE) tests BUILD=$(COV) \
	  CC=clang OPT='-O1 -g' SAN='$(COV_FLAGS)'
	@PROFILES=$(abspath $(COV))/raw; export PROFILES; bad=0; \
	$(MAKE) check BUILD=$(COV) CC=clang OPT='-O1 -g' SAN='$(COV_FLAGS)' || bad=1; \
	BUILD=$(COV) SHARED=$(SHARED) SAN='$(COV_FLAGS)' MOST=$(COV_FAULTS) \
	  sh tests/tally.sh tests/long/faults.sh || bad=1; \
	sh tools/coverage.sh $(COV) && exit $$bad
COV_FLAGS = -fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic
# Counts are subtracted from each other, so that threads must not lose one.  The
# generator and most tests have no threads, and need no atomic updates, which are
# slow; a count is still stored in each turn of a loop, since a call in
# it may not return.
ifneq ($(findstring -fprofile-instr,$(SAN)),)
$(DSL_O) $(GEN_O) $(BUILD)/obj/tests/%.o: \
    COUNTS = -fprofile-update=single -mllvm -do-counter-promotion=false
endif

## lint: naming, layout, rooms, headers, reproducible output, cppcheck
lint: all lib
	@sh tools/deps.sh clang clang-format cppcheck
	sh tools/lint.sh $(BUILD)

## repro: built twice under other circumstances, is every file the same?
repro: $(BUILD)/.deps
	@CC='$(CC)' MAKE='$(MAKE)' sh tools/repro.sh

## clean: remove everything made
clean:
	rm -rf build

## help: this list
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

.PHONY: coverage repro dist all lib ep wheel deps gen explain report certify demo zoo san lint clean help install uninstall FORCE
