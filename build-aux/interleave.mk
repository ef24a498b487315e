# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: test/interleave, which plays the library's threads in all orders.

# The library and these tests are compiled for ThreadSanitizer, and linked with an engine that takes
# its place. Neither exists for each system, nor together with a sanitizer.
explored_flag = -fsanitize=thread
explores := $(if $(SANITIZE)$(SHAKEN),,$(shell echo 'int main() {}' | $(CXX) $(explored_flag) -x c++ -c - \
	-o /dev/null 2>/dev/null && uname -s | sed -n s/Linux/yes/p))
explored_tests = $(patsubst test/%.cpp,$(B)/test/%,$(wildcard test/interleave/*_test.cpp))
ifeq ($(explores),yes)
tests += $(explored_tests)
endif

explored_flags = -Itest/interleave/instead $(explored_flag)
explored_compile = $(compile) $(test_flags) -O1 -g1 -U_FORTIFY_SOURCE
engine_objects = $(call objects,$(wildcard test/interleave/engine/*.cpp))

$(engine_objects): $(B)/obj/test/interleave/engine/%.o: test/interleave/engine/%.cpp $(B)/flags
	$(QUIET) CXX $<
	@mkdir -p $(@D)
	$(Q)$(explored_compile) -O2 -c $< -o $@

$(B)/obj/test/interleave/%.o: test/interleave/%.cpp $(B)/flags
	$(QUIET) CXX $<
	@mkdir -p $(@D)
	$(Q)$(explored_compile) $(explored_flags) -c $< -o $@

# The library's sources that each of these tests needs.
$(B)/test/interleave/mutex_test: $(patsubst %,$(B)/obj/explored/lib/sync/%.o,mutex process_mutex)

$(B)/obj/explored/lib/%.o: lib/%.cpp $(B)/flags
	$(QUIET) CXX $<
	@mkdir -p $(@D)
	$(Q)$(explored_compile) $(explored_flags) -c $< -o $@

$(explored_tests): $(B)/test/%: $(B)/obj/test/%.o $(engine_objects) $(B)/obj/test/support/main.o
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CXX) $(filter %.o,$^) $(all_ldflags) $(BOOST_TEST_LIBS) $(BOOST_THREAD_LIBS) -ldl -o $@

# The same tests with greater bounds, a minute each, and with mistakes, each of which must be found.
.PHONY: explore
ifeq ($(explores),yes)
explore: $(explored_tests)
	EXPLORE_DEEPER=1 LOGS='$(B)/test/explore-logs' $(run_tests) $(explored_tests)
	$(PYTHON) test/interleave/mutants.py
else
explore:
	@echo 'make: $(CXX) cannot compile for ThreadSanitizer here: nothing was explored'
endif
