# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: run_schedule, and the demo.

# The second of the two has the HTTP server, and needs the headers of Boost.Beast.
http_sources = tools/http/address.cpp tools/http/form.cpp \
	$(if $(filter no,$(HTTP)),tools/http/without_beast.cpp,tools/http/with_beast/http.cpp)
# Other programs have others of the first.
run_schedule_own = $(patsubst %,tools/run_schedule/%.cpp,main options without_cluster)
run_schedule_sources = $(filter-out $(run_schedule_own),$(wildcard tools/run_schedule/*.cpp))
# Of jtimer-cluster, too.
text_sources = $(wildcard tools/text/*.cpp)
text_objects = $(call objects_or_unit,$(text_sources),$(units)/tools/text.o)
run_schedule_objects = $(call objects,$(run_schedule_own) $(http_sources)) $(text_objects) \
	$(call objects_or_unit,$(run_schedule_sources),$(units)/tools/run_schedule.o)

$(units)/tools/run_schedule.cpp: unit_sources = $(run_schedule_sources)
$(units)/tools/text.cpp: unit_sources = $(text_sources)
$(units)/tools/%.o: $(units)/tools/%.cpp $(B)/flags $(precompiled_lib:%=%.gch)
	$(call compile_unit)

$(B)/obj/tools/%.o: private all_cppflags += -Ilib
$(B)/obj/tools/%.o: tools/%.cpp $(B)/flags | $(B)/program-options
	$(compile_program)

$(B)/program-options: $(B)/flags
	@echo '\#include <boost/program_options.hpp>' | \
		$(CXX) $(all_cppflags) $(all_cxxflags) -E -x c++ - >/dev/null || \
		{ echo 'make: run_schedule needs Boost.Program_options: "make deps" installs it,' \
		'TOOLS=no leaves run_schedule out' >&2; exit 1; }
	@touch $@

$(B)/obj/tools/http/with_beast/%.o: | $(B)/beast
ifeq ($(SANITIZE),thread)
# g++ warns of Asio's fences, which ThreadSanitizer does not understand.
$(B)/obj/tools/http/with_beast/%.o: private all_cppflags += -DBOOST_ASIO_DISABLE_FENCED_BLOCK
endif

$(B)/beast: $(B)/flags
	@echo '\#include <boost/beast/http.hpp>' | \
		$(CXX) $(all_cppflags) $(all_cxxflags) -E -x c++ - >/dev/null || \
		{ echo 'make: run_schedule --listen needs the headers of Boost.Beast, a part of Boost:' \
		'HTTP=no leaves it out' >&2; exit 1; }
	@touch $@

.PHONY: tools
tools: $(B)/tools/run_schedule

# What `make HTTP=no` builds, for a test.
without_http = $(B)/test/tools/run_schedule_without_http
$(without_http): $(filter-out %/with_beast/http.o,$(run_schedule_objects)) $(B)/obj/tools/http/without_beast.o

$(B)/tools/run_schedule: $(run_schedule_objects)
$(B)/tools/run_schedule $(without_http): $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) $(BOOST_PROGRAM_OPTIONS_LIBS) -o $@

.PHONY: demo
demo: $(B)/tools/run_schedule
	$(B)/tools/run_schedule --for 5s tools/run_schedule/demo.schedule

# All of it except its command line is tested like units of the library.
$(filter $(B)/test/tools/%,$(unit_tests) $(groups)): $(filter-out %/main.o %/options.o,$(run_schedule_objects))
