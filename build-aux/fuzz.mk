# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: a program with libFuzzer for each test/fuzz/NAME.cpp, run for SECONDS each. Each
# goes on from what it has found, in build/fuzz/corpus, and from test/fuzz/corpus, which `make check` plays
# without libFuzzer.

fuzz_targets = $(filter-out main corpus_test,$(basename $(notdir $(wildcard test/fuzz/*.cpp))))
parser_objects = $(filter-out %/main.o %/options.o,$(run_schedule_objects))
FUZZERS = $(fuzz_targets)
FUZZ_CXX = clang++

$(B)/test/fuzz/corpus_test: $(fuzz_targets:%=$(B)/obj/test/fuzz/%.o) $(parser_objects)

fuzz_programs = $(fuzz_targets:%=$(B)/fuzz/%)
$(B)/fuzz/form $(B)/fuzz/schedule: $(parser_objects)
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
