# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: what tries to break the library, and takes longer than `make check` may.

# Mutants: changes of one line, which a test should see. The same SEED draws the same ones.
SEED = $(shell date +%Y%m%d)
COUNT = 20
PARTS = jdk netty brpc go tokio sync thread clock data calendar
MUTANTS_SECONDS = 36000

.PHONY: mutants
mutants:
	$(call require,$(PYTHON))
	$(Q)$(PYTHON) -B test/mutants/mutants.py --seed $(SEED) --count $(COUNT) --parts $(PARTS) \
		--seconds $(MUTANTS_SECONDS)

# Fuzzers, one for each test/fuzz/NAME.cpp, for SECONDS each. Each goes on from what it has found, in
# build/fuzz/corpus, and from test/fuzz/corpus, which `make check` plays without libFuzzer.
fuzz_targets = $(filter-out main corpus_test,$(basename $(notdir $(wildcard test/fuzz/*.cpp))))
parser_objects = $(filter-out %/main.o %/options.o,$(run_schedule_objects))
FUZZERS = $(fuzz_targets)
FUZZ_CXX = clang++

$(B)/test/fuzz/corpus_test: $(fuzz_targets:%=$(B)/obj/test/fuzz/%.o) $(parser_objects)

fuzz_programs = $(fuzz_targets:%=$(B)/fuzz/%)
$(B)/fuzz/schedule: $(parser_objects)
$(fuzz_programs): $(B)/fuzz/%: $(B)/obj/test/fuzz/%.o $(B)/obj/test/fuzz/main.o $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) -fsanitize=fuzzer $(BOOST_THREAD_LIBS) -o $@

.PHONY: fuzz
ifeq ($(FUZZED),yes)
fuzz: $(FUZZERS:%=$(B)/fuzz/%)
	@for name in $(FUZZERS); do \
		echo "$$name:"; \
		mkdir -p $(B)/corpus/$$name $(B)/crashes && \
		$(B)/fuzz/$$name -max_total_time=$(or $(SECONDS),60) -timeout=60 -print_final_stats=1 \
			-artifact_prefix=$(B)/crashes/$$name- $(B)/corpus/$$name test/fuzz/corpus/$$name \
			2>$(B)/$$name.log || { cat $(B)/$$name.log; exit 1; }; \
		grep -E '^stat::(number|average)' $(B)/$$name.log; \
	done
else
fuzz: | $(first)
	@$(MAKE) FUZZED=yes CXX='$(FUZZ_CXX)' PRECOMPILED=no fuzz
endif

# A million tasks under churn in each of ROOMS, for SECONDS each; TASKS= for fewer.
$(B)/test/load/load: $(call objects,$(wildcard test/load/*.cpp)) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) -o $@

.PHONY: load
load: $(B)/test/load/load
	@failed=; for room in $(ROOMS); do \
		$(B)/test/load/load $$room $(or $(SECONDS),3600) $(TASKS) || failed="$$failed $$room"; \
	done; [ -z "$$failed" ] || { echo "make: load has failed in:$$failed" >&2; exit 1; }

# Which lines and branches of the library its fast tests run. Each of the others needs a reason, in
# test/coverage/uncovered.txt.
GCOVR = gcovr
covered_folders = jdk netty brpc go tokio sync thread clock data calendar
covered_tests = $(filter $(covered_folders:%=$(B)/test/%/%),$(tests))

.PHONY: coverage
ifeq ($(COVERED),yes)
$(covered_tests): $(B)/obj/test/coverage/exit.o

coverage: $(covered_tests)
	@find $(B)/obj -name '*.gcda' -exec rm {} +
	@$(run_tests) $(call suites,$(covered_tests))
	@GCOVR='$(GCOVR)' $(PYTHON) test/coverage/coverage.py $(B)/obj
else
coverage: | $(first)
	$(call require,$(GCOVR))
	$(call require,$(PYTHON))
	@$(MAKE) COVERED=yes coverage
endif
