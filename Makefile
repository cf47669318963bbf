# SPDX-License-Identifier: GPL-3.0-or-later
# llmtape: the only makefile.  `make help` lists the targets.
#
#   FLAVOUR   release (default), asan, debug, fuzz; each has its own build/ dir
#   PREFIX    /usr/local; BINDIR, MANDIR, DESTDIR as usual
#   WERROR    -Werror in CI
#   V         1 shows every command
#   CASE      one CLI test, for check and golden: CASE=trace-gen/help
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

DEPS := gcc libc6-dev pkg-config libcurl4-openssl-dev libcjson-dev \
	libzstd-dev libgsl-dev perl zstd curl
DEPS_DEV := clang clang-format clang-tidy mandoc shellcheck jq nginx-light \
	openssl libclang-rt-14-dev

ifneq ($(filter deps deps-dev,$(MAKECMDGOALS)),)
# What is to be installed comes first, and alone: the other goals then run in
# a make of their own, which finds the packages there.
REST := $(filter-out deps deps-dev,$(MAKECMDGOALS))
.PHONY: deps deps-dev rest $(REST)
rest: deps $(filter deps-dev,$(MAKECMDGOALS))
ifneq ($(REST),)
	+@$(MAKE) --no-print-directory $(REST)
endif
$(REST): rest
	@:
deps:                                  ## deps: install what is missing of Debian's packages
	@sh tests/support/deps.sh $(DEPS)
deps-dev: deps                         ## deps-dev: also what lint, sanitizers and CI need
	@sh tests/support/deps.sh $(DEPS_DEV)
else

PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
INSTALL ?= install
FLAVOUR ?= release
B       := build/$(FLAVOUR)
VERSION := $(shell cat VERSION 2>/dev/null || echo unknown)

PKGS := libcurl libzstd libcjson gsl
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wvla -Wformat=2 \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wcast-qual -Wpointer-arith -Wwrite-strings -Wswitch-enum \
	-Wconversion -Wsign-conversion -Wdouble-promotion -Wnull-dereference
SAN  := -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all
V ?= 0
Q := $(if $(filter 0,$(V)),@)
say  = $(if $(filter 0,$(V)),@echo '  $(1) $(2)')
FLAV_release := -O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-strong
FLAV_asan    := -O1 -g -DTAPE_DEBUG $(SAN)
FLAV_debug   := -O0 -g -DTAPE_DEBUG
FLAV_tsan    := -O1 -g -DTAPE_DEBUG -fsanitize=thread
FLAV_fuzz    := -O1 -g -DTAPE_DEBUG $(SAN)
CPP := -D_GNU_SOURCE -Ilib -Itests -I$(B) $(CPPFLAGS)
CF  := -std=c17 -pthread -ffp-contract=off $(WARN) $(WERROR) \
	$(FLAV_$(FLAVOUR)) $(shell pkg-config --cflags $(PKGS)) $(CFLAGS)
LD  := -pthread $(FLAV_$(FLAVOUR)) -Wl,--as-needed $(LDFLAGS)
LL  := $(shell pkg-config --libs $(PKGS)) -lm $(LDLIBS)

LIB_C  := $(sort $(wildcard lib/*/*.c))
BIN_C  := $(sort $(wildcard bin/*.c))
UNIT_C := $(sort $(wildcard tests/unit/*.c))
FUZZ_C := $(sort $(wildcard tests/fuzz/fuzz_*.c))
SUP_C  := $(sort $(wildcard tests/support/*.c))
TOOLS  := $(BIN_C:bin/%.c=%)
LIB    := $(B)/libllmtape.a
UNITS  := $(UNIT_C:tests/unit/%.c=$(B)/unit/%.t)
FUZZ   := $(FUZZ_C:tests/fuzz/%.c=$(B)/fuzz/%)
SUPS   := $(SUP_C:tests/support/%.c=$(B)/support/%)
CLI_T  := $(sort $(wildcard tests/cli/*.t))
GEN_H  := $(B)/tape_build.h $(B)/vocab_en1.h
OBJ     = $(patsubst %.c,$(B)/obj/%.o,$(1))

.PHONY: all
all: $(TOOLS:%=$(B)/bin/%)             ## all: build; leave runnable copies in bin/
ifeq ($(FLAVOUR),release)
	@for t in $(TOOLS); do \
		cmp -s $(B)/bin/$$t bin/$$t || cp $(B)/bin/$$t bin/$$t; done
endif

$(B)/obj/%.o: %.c | $(GEN_H)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPP) $(CF) -MMD -MP -c -o $@ $<
$(LIB): $(call OBJ,$(LIB_C))
	@rm -f $@
	@$(AR) rcs $@ $^
$(B)/bin/%: $(B)/obj/bin/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LD) -o $@ $^ $(LL)
$(B)/unit/%.t: $(B)/obj/tests/unit/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LD) -o $@ $^ $(LL)
$(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(B)/obj/tests/fuzz/regress.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LD) -o $@ $^ $(LL)
$(B)/support/%: $(B)/obj/tests/support/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LD) -o $@ $^ $(LL)

$(B)/tape_build.h: FORCE
	@mkdir -p $(@D)
	@printf '#define TAPE_VERSION "%s"\n' '$(VERSION)' | cmp -s - $@ || \
		printf '#define TAPE_VERSION "%s"\n' '$(VERSION)' > $@
# The words of the built-in vocabulary as arrays; first holds indices of words.
$(B)/vocab_en1.h: traces/vocab/en1.txt traces/vocab/en1-first.txt
	@mkdir -p $(@D)
	@awk 'FNR == 1 { nf++ } nf == 1 { at[$$1] = n++; \
	    w = w "\t{ \"" $$1 "\", " length($$1) " },\n"; next } \
	    { f = f "\t" at[$$1] ",\n" } \
	    END { print "static const struct tape_str vocab_words[] = {"; \
	    printf "%s};\n\n", w; \
	    print "static const int64_t vocab_first[] = {"; \
	    printf "%s};\n", f }' $^ > $@
.PHONY: FORCE
FORCE:

.PHONY: check test
check test: all $(UNITS) $(FUZZ) $(SUPS) ## check: unit, CLI and seed tests, under prove
	@B='$(CURDIR)/$(B)' PATH="$(CURDIR)/$(B)/bin:$$PATH" CASE='$(CASE)' \
		prove -j2 $(if $(CASE),tests/cli/cli.t,$(UNITS) $(CLI_T))

.PHONY: clean
clean:                                 ## clean: remove what make made
	rm -rf build $(TOOLS:%=bin/%)

.PHONY: help
help:                                  ## help: this list
	@sed -n 's/^[a-z].*## //p' $(firstword $(MAKEFILE_LIST)) | sort

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
endif
