# itable_fdw: a foreign data wrapper for Azure Table Storage with index tables.
# `make help` lists the targets.
#
# This file must parse on a machine without PostgreSQL: the targets that need
# it (test, demo, dev, bench) install what is missing and call make again.

PG_CONFIG ?= pg_config
PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))

MODULE_big = itable_fdw
EXTENSION = itable_fdw
DATA = $(sort $(wildcard itable_fdw--*.sql))
SRCS := $(sort $(wildcard src/*.c src/*/*.c))
OBJS = $(SRCS:.c=.o)

# Headers are tracked by -MMD: PGXS does not do it.  PostgreSQL wants
# declarations first; the code below model/ and store/ need not.
PG_CPPFLAGS = -Isrc
PG_CFLAGS = -std=gnu11 -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -Wno-declaration-after-statement \
	-Werror=implicit-function-declaration \
	-Werror=incompatible-pointer-types -MMD -MP
EXPORTS = build/exports.map
SHLIB_LINK = -lcurl -lcrypto -Wl,--version-script=$(EXPORTS)
NO_INSTALLCHECK = 1
EXTRA_CLEAN = build $(OBJS:.o=.d)

# Bitcode for the JIT would double the build for functions it cannot inline.
override with_llvm := no

.DEFAULT_GOAL := all
Q := $(if $(V),,@)
SAY := @$(if $(V),:,echo)

ifneq ($(PGXS),)
include $(PGXS)

itable_fdw.so: $(EXPORTS)

# One short line per file; V=1 shows the commands.
src/%.o: src/%.c
	$(SAY) "CC $<"
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) -c -o $@ $<

else
all install uninstall installdirs: need-postgres

.PHONY: all install uninstall installdirs need-postgres clean
need-postgres:
	@echo "'$(PG_CONFIG) --pgxs' finds no build files of PostgreSQL:" \
	  "run 'make deps' first, or give PG_CONFIG=/path/to/pg_config" >&2
	@exit 1

clean:
	rm -rf itable_fdw.so $(OBJS) $(EXTRA_CLEAN)
endif

-include $(OBJS:.o=.d)

# Rewritten only when the list changes, so that it does not relink each time.
$(EXPORTS): $(SRCS) tools/make-exports.sh
	@mkdir -p build
	@tools/make-exports.sh $(SRCS) >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# The unit tests: model/ and store/ without PostgreSQL, under ASan and UBSan.
UNIT_SRCS := $(sort $(wildcard src/model/*.c src/store/*.c test/unit/*.c))
UNIT_OBJS := $(UNIT_SRCS:%.c=build/unit/%.o)
UNIT_CC ?= gcc
UNIT_CFLAGS := -std=gnu11 -g -O1 -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-Wall -Wextra -Wshadow -Wvla -Wmissing-prototypes -Wno-unused-parameter \
	-Wno-sign-compare -Wno-missing-field-initializers \
	-Werror=implicit-function-declaration -Werror=incompatible-pointer-types

build/unit/unit: $(UNIT_OBJS)
	$(SAY) "LD $@"
	$(Q)$(UNIT_CC) $(UNIT_CFLAGS) -o $@ $(UNIT_OBJS) -lcurl -lcrypto -lm

build/unit/%.o: %.c
	@mkdir -p $(@D)
	$(SAY) "CC $< (sanitized)"
	$(Q)$(UNIT_CC) -D_GNU_SOURCE -Isrc -Itest/unit $(UNIT_CFLAGS) -MMD -MP \
	  -c -o $@ $<

-include $(UNIT_OBJS:.o=.d)

##@ Build
.PHONY: deps mock
all: ## build the extension (default)
install: ## install it into the PostgreSQL that PG_CONFIG names
deps: ## install the Debian packages that are missing (root or sudo)
	@PG_CONFIG='$(PG_CONFIG)' tools/install-deps.sh

mock: ## build the bundled store, mock-tablestore
	@$(MAKE) --no-print-directory -C mock-tablestore

clean: clean-more ## remove everything that was built
.PHONY: clean-more
clean-more:
	@if [ -f mock-tablestore/Makefile ]; then \
	  $(MAKE) --no-print-directory -C mock-tablestore clean; fi
	@if [ -f test/model/Makefile ]; then \
	  $(MAKE) --no-print-directory -C test/model clean; fi

##@ Try it
.PHONY: demo demo-stop dev
demo: deps ## tell the story in psql on a throw-away cluster and store
	@tools/demo.sh

demo-stop: ## stop what `make demo` left running
	@tools/demo.sh --stop

dev: deps ## psql on a temporary cluster; STORE=mock|azurite
	@tools/run-dev.sh --$(or $(STORE),mock)

##@ Test
.PHONY: test unit model model-full installcheck isolation tap fuzz-sql lint bench
test: deps ## run everything; SUITES='unit lint ...' runs some
	@tools/run-tests.sh $(SUITES)

unit: build/unit/unit ## unit tests under ASan and UBSan; TEST=part of a name
	@tools/run-unit.sh $(TEST)

model: ## explore the index protocol: the real machines in C, its models in Promela
	@$(MAKE) --no-print-directory -C test/model check
	@test/model/promela/check.sh

model-full: ## the Promela models in full: up to an hour and 8 GB
	@test/model/promela/check.sh --full

installcheck: ## pg_regress; REGRESS='x y' runs some, STORE=mock|azurite
	@tools/run-regress.sh --$(or $(STORE),mock) $(REGRESS)

isolation: ## isolation tests; ISOLATION='x y' runs some, STORE=mock|azurite
	@tools/run-regress.sh --isolation --$(or $(STORE),mock) $(ISOLATION)

tap: ## tests across processes in t/; TAP='t/x.pl' runs some
	@tools/run-tap.sh --$(or $(STORE),mock) $(TAP)

fuzz-sql: ## random statements against plain tables; SEED=N COUNT=N STORE=mock|azurite
	@FUZZ_SEED=$(or $(SEED),$(shell date +%s)) FUZZ_COUNT=$(or $(COUNT),20000) ITABLE_TAP_TIMEOUT=36000 \
	  tools/run-tap.sh --$(or $(STORE),mock) t/differential.py

lint: ## the house rules: one script per rule, tools/check-*.sh
	@tools/lint.sh

bench: deps ## ratios beside other clients; CSV=file STORE=mock|azurite loads a real file
	@$(if $(CSV),tools/bench-movies.sh --$(or $(STORE),mock) '$(CSV)',tools/bench-clients.sh)

.PHONY: bench-memory
bench-memory: deps ## a backend's peak memory while it reads 1 M and 10 M rows
	@tools/bench-memory.sh

.PHONY: help
help: ## list the targets
	@tools/help.sh Makefile
