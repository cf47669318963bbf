# SPDX-License-Identifier: GPL-3.0-or-later
# llmtape: the only makefile.  `make help` lists the targets.
#
#   FLAVOUR   release (default), asan, debug, tsan, fuzz; a build/ dir each
#   PREFIX    /usr/local; BINDIR, MANDIR, DOCDIR, DESTDIR as usual
#   WERROR    -Werror in CI
#   V         1 shows every command
#   CASE      CLI cases, for check and golden: CASE=trace-gen/help, 'trace-*/*'
#   FUZZ_SECONDS   20, for each target of fuzz
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

DEPS := gcc libc6-dev pkg-config libcurl4-openssl-dev libcjson-dev \
	libzstd-dev libgsl-dev zlib1g-dev perl zstd curl jq
DEPS_DEV := clang clang-format clang-tidy mandoc shellcheck nginx-light \
	openssl libclang-rt-14-dev prometheus-node-exporter libxml2-utils

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
DOCDIR  ?= $(PREFIX)/share/doc/llmtape
INSTALL ?= install
FLAVOUR ?= release
B       := build/$(FLAVOUR)
VERSION := $(shell cat VERSION 2>/dev/null || echo unknown)

PKGS := libcurl libzstd libcjson gsl zlib
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
FLAV_fuzz    := -O1 -g -DTAPE_DEBUG $(SAN) -fsanitize=fuzzer-no-link
ifneq ($(filter-out clean help uninstall format,$(or $(MAKECMDGOALS),all)),)
ifeq ($(shell pkg-config --exists $(PKGS) 2>/dev/null && echo found),)
$(error a compiler or library is missing: run `make deps` first)
endif
endif
CPP := -D_GNU_SOURCE -Ilib -Itests -I$(B) $(CPPFLAGS)
CF  := -std=c17 -pthread -ffp-contract=off $(WARN) $(WERROR) \
	$(FLAV_$(FLAVOUR)) $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(CFLAGS)
LD  := -pthread $(FLAV_$(FLAVOUR)) -Wl,--as-needed $(LDFLAGS)
LL  := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm $(LDLIBS)

LIB_C  := $(sort $(wildcard lib/*/*.c))
BIN_C  := $(sort $(wildcard bin/*.c))
UNIT_C := $(sort $(wildcard tests/unit/*.c))
FUZZ_C := $(sort $(wildcard tests/fuzz/fuzz_*.c))
SUP_C  := $(sort $(wildcard tests/support/*.c))
PRE_C  := $(sort $(wildcard tests/support/preload/*.c))
BENCH_C := $(sort $(wildcard tests/bench/*.c))
ORACLE_C := $(sort $(wildcard tests/oracle/*.c))
ALL_C  := $(sort $(wildcard lib/*/*.[ch] bin/*.c tests/*/*.[ch] \
	tests/support/preload/*.c))
ALL_SH := $(sort $(wildcard tests/*/*.sh tests/*/*.t tests/cli/*/*.sh \
	tests/bench/*/*.sh analysis/*/*.sh .ci/run))
MAN    := $(sort $(wildcard man/*.[1-8]))
TOOLS  := $(BIN_C:bin/%.c=%)
LIB    := $(B)/libllmtape.a
UNITS  := $(UNIT_C:tests/unit/%.c=$(B)/unit/%.t)
FUZZ   := $(FUZZ_C:tests/fuzz/%.c=$(B)/fuzz/%)
SUPS   := $(SUP_C:tests/support/%.c=$(B)/support/%) \
	$(PRE_C:tests/support/preload/%.c=$(B)/support/%.so)
BENCH  := $(BENCH_C:tests/bench/%.c=$(B)/bench/%)
ORACLE := $(ORACLE_C:tests/oracle/%.c=$(B)/oracle/%)
CLI_T  := $(sort $(wildcard tests/cli/*.t tests/bench/*.t))
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
ifeq ($(FLAVOUR),fuzz)
$(FUZZ): LD += -fsanitize=fuzzer
else
$(FUZZ): $(B)/obj/tests/fuzz/regress.o
endif
$(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LD) -o $@ $(filter %.o,$^) $(LIB) $(LL)
$(B)/support/%: $(B)/obj/tests/support/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LD) -o $@ $^ $(LL)
$(B)/support/%.so: tests/support/preload/%.c
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -D_GNU_SOURCE -std=c17 $(WARN) $(WERROR) -O2 -g -fPIC -shared \
		-o $@ $< -ldl
$(B)/bench/%: $(B)/obj/tests/bench/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LD) -o $@ $^ $(LL)

$(B)/oracle/%: $(B)/obj/tests/oracle/%.o $(LIB)
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

# What tests run under: the tools of this flavour come first.
ENV := B='$(CURDIR)/$(B)' PATH="$(CURDIR)/$(B)/bin:$$PATH" CASE='$(CASE)' \
	ASAN_OPTIONS=allocator_may_return_null=1:verify_asan_link_order=0

.PHONY: check test tests sanitize golden
tests: all $(UNITS) $(FUZZ) $(SUPS) $(BENCH) $(ORACLE) ## tests: build all tests, run none
check test: all $(UNITS) $(FUZZ) $(SUPS) $(BENCH) ## check: unit, CLI and seed tests, under prove
	@$(ENV) prove -j2 \
		$(if $(CASE),tests/cli/cli.t,$(UNITS) $(FUZZ) $(CLI_T))
sanitize:                              ## sanitize: check, under ASan and UBSan
	+@$(MAKE) --no-print-directory FLAVOUR=asan WERROR=-Werror check
golden: all $(SUPS)                    ## golden: rewrite what CLI cases expect (CASE=...)
	@test -n '$(CASE)' || { echo 'golden: say which CASE' >&2; exit 2; }
	@$(ENV) GOLDEN=1 sh tests/cli/cli.t

.PHONY: deps-clients
deps-clients:                          ## deps-clients: the OpenAI clients for a test, by pip and npm
	@sh tests/support/clients.sh build/clients

.PHONY: demo
demo: all                              ## demo: replay a trace against two servers, compare
	@$(ENV) sh analysis/demo/run.sh $(DEMO) || test $$? -eq 1

.PHONY: fuzz fuzz-run bench defects
FUZZ_SECONDS ?= 20
fuzz:                                  ## fuzz: each target for FUZZ_SECONDS
	+@$(MAKE) --no-print-directory FLAVOUR=fuzz CC=clang fuzz-run
fuzz-run: $(FUZZ)
	@set -e; for f in $(FUZZ); do \
		t=$${f##*/}; mkdir -p $(B)/corpus/$$t; \
		d=tests/fuzz/$${t#fuzz_}.dict; \
		echo "  FUZZ $$t"; \
		$$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 \
		    -print_final_stats=1 -verbosity=0 \
		    -artifact_prefix=$(B)/corpus/$$t- \
		    $$(test -f $$d && echo "-dict=$$d") \
		    $(B)/corpus/$$t $$(ls -d tests/fuzz/seeds/$$t 2>/dev/null); \
	done
defects: all $(SUPS)                   ## defects: which wrong experiments are named (CASES='trend 05')
	@$(ENV) sh tests/defects/run.sh $(CASES)
bench: all $(BENCH) $(SUPS)            ## bench: measure (BENCHES='fidelity memory'); judges nothing
	@$(ENV) sh tests/bench/all.sh $(BENCHES)

.PHONY: calibrate changes coverage oracle real
INPUTS ?= 10000
oracle: $(B)/oracle/against_r          ## oracle: random inputs of each statistic, done again by R (r-base-core)
	@$< $(INPUTS) | Rscript tests/oracle/against.R
EXPERIMENTS ?= 2000
SCENARIO ?= real
TABLE ?= all
SEED ?= 1
CELLS ?=                               # of the table: PAIRS,... PERCENT,...
calibrate: $(B)/oracle/calibrate       ## calibrate: ab-compare's errors and power, simulated
	@$< $(EXPERIMENTS) $(SCENARIO) $(TABLE) $(SEED) $(CELLS)
REPLICATES ?= 4000
coverage: $(B)/oracle/coverage         ## coverage: how often metrics-reduce's intervals hold the truth
	@$< $(REPLICATES)
changes: $(B)/oracle/changes           ## changes: how often --steady sees a change that is not there, and one that is
	@$< $(REPLICATES)
SESSIONS ?= 200
SLOWER ?= 30
real: all                              ## real: ab-compare's errors over real sessions on this machine, 45 minutes; goes on where it stopped
	@$(ENV) sh tests/oracle/real.sh $(B)/real $(SESSIONS) $(SLOWER)

.PHONY: lint lint-tidy format
LINTS := layers banned headers size unique marks
lint: all $(GEN_H)                     ## lint: layers, names, sizes, format, shell, man pages
	@bad=0; \
	for l in $(LINTS); do CC='$(CC)' sh tests/lint/$$l.sh || bad=1; done; \
	sh tests/lint/options.sh . $(B)/bin || bad=1; \
	clang-format --dry-run -Werror $(ALL_C) || bad=1; \
	shellcheck $(ALL_SH) || bad=1; \
	for m in $(MAN); do mandoc -T lint -W warning $$m || bad=1; done; \
	prove tests/lint/*.t || bad=1; \
	test $$bad = 0 && echo 'lint: clean'
lint-tidy: $(GEN_H)                    ## lint-tidy: clang-tidy, with its limits on functions
	@printf '%s\n' $(LIB_C) $(BIN_C) | xargs -P2 -n2 sh -c \
		'clang-tidy --quiet "$$@" -- -std=c17 $(CPP) 2>/dev/null' tidy
	@echo 'lint-tidy: clean'
format:                                ## format: clang-format everything
	@clang-format -i $(ALL_C)

.PHONY: install uninstall dist
install: all                           ## install: tools and man pages under PREFIX
	$(INSTALL) -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(DOCDIR)' $(foreach n,1 5 7, \
		'$(DESTDIR)$(MANDIR)/man$(n)')
	$(foreach t,$(TOOLS),$(INSTALL) -m 755 $(B)/bin/$(t) \
		'$(DESTDIR)$(BINDIR)/$(t)' &&) :
	$(foreach m,$(MAN),$(INSTALL) -m 644 $(m) \
		'$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(m)))/$(notdir $(m))' &&) :
	$(INSTALL) -m 644 COPYING '$(DESTDIR)$(DOCDIR)/COPYING'
	$(INSTALL) -m 644 traces/vocab/README.md \
		'$(DESTDIR)$(DOCDIR)/vocabulary.md'
uninstall:                             ## uninstall: remove what install put there
	rm -f $(TOOLS:%='$(DESTDIR)$(BINDIR)/%') \
		'$(DESTDIR)$(DOCDIR)/COPYING' \
		'$(DESTDIR)$(DOCDIR)/vocabulary.md' $(foreach m,$(MAN), \
		'$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(m)))/$(notdir $(m))')
DIST := llmtape-$(VERSION)
dist:                                  ## dist: a tarball of HEAD that builds and installs
	@rm -rf build/dist && mkdir -p build/dist/root
	@git archive --prefix=$(DIST)/ HEAD | gzip -9n > build/dist/$(DIST).tar.gz
	@tar -xzf build/dist/$(DIST).tar.gz -C build/dist
	+@$(MAKE) --no-print-directory -C build/dist/$(DIST) install \
		DESTDIR='$(CURDIR)/build/dist/root' >/dev/null
	@cd build/dist/root && for t in $(TOOLS); do \
		test "$$(".$(BINDIR)/$$t" --version | wc -l)" -ge 2; done
	+@$(MAKE) --no-print-directory -C build/dist/$(DIST) uninstall \
		DESTDIR='$(CURDIR)/build/dist/root' >/dev/null
	@test -z "$$(find build/dist/root ! -type d)" || \
		{ find build/dist/root ! -type d; exit 1; }
	@rm -rf build/dist/root build/dist/$(DIST)
	@echo 'dist: build/dist/$(DIST).tar.gz builds, installs and uninstalls'

.PHONY: clean
clean:                                 ## clean: remove what make made
	rm -rf build $(TOOLS:%=bin/%)

.PHONY: help
help:                                  ## help: this list
	@sed -n 's/^[a-z].*## //p' $(firstword $(MAKEFILE_LIST)) | sort

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
endif
