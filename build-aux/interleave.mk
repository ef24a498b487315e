# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: test/interleave, which plays the library's threads in all orders.

# The library and these tests are compiled for ThreadSanitizer, and linked with an engine that takes
# its place: for what g++ calls, which is not all that clang++ does. Neither exists for each system,
# nor together with a sanitizer.
explored_flag = -fsanitize=thread
explores := $(if $(WINDOWS)$(SANITIZE)$(SHAKEN)$(FUZZED)$(COVERED),,$(shell ! $(CXX) -dM -E -x c++ /dev/null 2>/dev/null | \
	grep -q __clang__ && echo 'int main() {}' | $(CXX) $(explored_flag) -x c++ -c - -o /dev/null \
	2>/dev/null && uname -s | sed -n s/Linux/yes/p))
explored_tests = $(patsubst test/%.cpp,$(B)/test/%,$(wildcard test/interleave/*_test.cpp))
ifeq ($(explores),yes)
tests += $(explored_tests)
endif

explored_flags = -Itest/interleave/instead $(explored_flag)
# Before -Ilib: what is instead of its files.
explored_compile = $(CXX) $(1) $(all_cppflags) $(all_cxxflags) -MMD -MP $(test_flags) -O1 -g1 \
	-U_FORTIFY_SOURCE
engine_objects = $(call objects,$(wildcard test/interleave/engine/*.cpp))

$(engine_objects): $(B)/obj/test/interleave/engine/%.o: test/interleave/engine/%.cpp $(B)/flags
	$(QUIET) CXX $<
	@mkdir -p $(@D)
	$(Q)$(call explored_compile) -O2 -c $< -o $@

$(B)/obj/test/interleave/%.o: test/interleave/%.cpp $(B)/flags
	$(QUIET) CXX $<
	@mkdir -p $(@D)
	$(Q)$(call explored_compile,$(explored_flags)) -c $< -o $@

# The mutex itself; for the other tests, a folder of the library in one unit each, with the engine's
# locks.
explored_folders = base brpc go jdk netty tokio
explored_units = $(explored_folders:%=$(B)/obj/explored/%.o)
explored_base = $(filter lib/clock/% lib/data/% lib/sync/% lib/thread/%,$(lib_sources))
sources_of = $(if $(filter base,$(1)),$(filter-out lib/sync/mutex.cpp,$(explored_base)),$(filter lib/$(1)/%,$(lib_sources)))

$(foreach folder,$(explored_folders),$(eval $(B)/obj/explored/$(folder).o: $(call sources_of,$(folder))))
$(explored_units): $(B)/obj/explored/%.o: build-aux/interleave.mk $(B)/flags
	$(QUIET) CXX 'lib/$* (explored)'
	@mkdir -p $(@D)
	@printf '#include "%s"\n' $(call sources_of,$*) >$(@:.o=.cpp)
	$(Q)$(call explored_compile,-Itest/interleave/instead_of_locks $(explored_flags)) -I. -c $(@:.o=.cpp) \
		-o $@

$(B)/explored/libjtimer.a: $(explored_units)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

with_mutex = $(patsubst %,$(B)/obj/explored/lib/sync/%.o,mutex process_barrier process_mutex)
$(B)/obj/explored/lib/%.o: lib/%.cpp $(B)/flags
	$(QUIET) CXX '$< (explored)'
	@mkdir -p $(@D)
	$(Q)$(call explored_compile,$(explored_flags)) -c $< -o $@

# Whole timers, by seeds: what each room does with its timer, and what is not explored itself.
simulation = $(B)/test/interleave/simulation_test
simulated = $(patsubst test/%.cpp,$(B)/obj/test/%.o,$(wildcard test/interleave/simulation/*.cpp))
ifeq ($(explores),yes)
tests += $(simulation)
endif
$(filter-out %/world.o,$(simulated)): private explored_flags += -Itest/interleave/instead_of_locks
$(B)/obj/test/interleave/simulation/world.o: private explored_flags = -O2

with_real_mutex = $(patsubst %,$(B)/test/interleave/%_test,engine mutex)
$(B)/test/interleave/mutex_test: $(with_mutex)
$(filter-out $(with_real_mutex),$(explored_tests)): $(B)/explored/libjtimer.a
$(patsubst $(B)/%,$(B)/obj/%.o,$(filter-out $(with_real_mutex),$(explored_tests))): private \
	explored_flags += -Itest/interleave/instead_of_locks

$(simulation): $(simulated) $(B)/explored/libjtimer.a
$(explored_tests) $(simulation): $(B)/test/%: $(engine_objects) $(B)/obj/test/support/main.o
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CXX) $(filter %.o,$^) $(filter %.a,$^) $(all_ldflags) $(BOOST_TEST_LIBS) $(BOOST_THREAD_LIBS) -ldl -o $@

$(explored_tests): $(B)/test/%: $(B)/obj/test/%.o

# The whole timers of ROOMS, each by SEEDS seeds from FROM on, several rooms at a time.
ROOMS = jdk netty brpc go tokio
FROM = 1
.PHONY: simulate
simulate: SEEDS = 100000
ifeq ($(explores),yes)
simulate: $(simulation)
	$(Q)printf '%s\n' $(ROOMS) | SIMULATE_FROM=$(FROM) SIMULATE_SEEDS=$(SEEDS) \
		xargs -P $$(nproc 2>/dev/null || echo 2) -I ROOM $(simulation) --log_level=message \
		--color_output=no --run_test=ROOM
else
simulate:
	@echo 'make: only g++ on Linux compiles for the engine: nothing was simulated'
endif

# The same tests with greater bounds, a minute each, and with mistakes, each of which must be found.
.PHONY: explore
ifeq ($(explores),yes)
explore: $(explored_tests)
	EXPLORE_DEEPER=1 LOGS='$(B)/test/explore-logs' $(run_tests) $(explored_tests)
	$(PYTHON) test/interleave/mutants.py
else
explore:
	@echo 'make: only g++ on Linux compiles for the engine: nothing was explored'
endif
