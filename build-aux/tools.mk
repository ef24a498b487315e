# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: run_schedule, and the demo.

run_schedule_objects = $(call objects,$(wildcard tools/run_schedule/*.cpp))

$(B)/obj/tools/%.o: private all_cppflags += -Ilib
$(B)/obj/tools/%.o: tools/%.cpp $(B)/flags | $(B)/program-options
	$(compile_program)

$(B)/program-options: $(B)/flags
	@echo '\#include <boost/program_options.hpp>' | \
		$(CXX) $(all_cppflags) $(all_cxxflags) -E -x c++ - >/dev/null || \
		{ echo 'make: run_schedule needs Boost.Program_options: "make deps" installs it,' \
		'TOOLS=no leaves run_schedule out' >&2; exit 1; }
	@touch $@

.PHONY: tools
tools: $(B)/tools/run_schedule

$(B)/tools/run_schedule: $(run_schedule_objects) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) $(BOOST_PROGRAM_OPTIONS_LIBS) -o $@

.PHONY: demo
demo: $(B)/tools/run_schedule
	$(B)/tools/run_schedule --for 5s tools/run_schedule/demo.schedule

# All of it except its command line is tested like units of the library.
$(filter $(B)/test/tools/%,$(unit_tests) $(groups)): $(filter-out %/main.o %/options.o,$(run_schedule_objects))
