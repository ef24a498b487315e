# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: the programs that use libjtimer-cluster: its samples, its demo, its command
# jtimer-cluster, and run_schedule-cluster, which is run_schedule with --cluster.

cluster_samples = $(patsubst %.cpp,$(B)/%,$(wildcard samples/cluster/*.cpp))
cluster_demo_objects = $(call objects,$(wildcard tools/cluster_demo/*.cpp))
cluster_schedule_objects = $(call objects,$(wildcard tools/run_schedule/with_cluster/*.cpp)) \
	$(filter-out %/without_cluster.o,$(run_schedule_objects))
# The second of the two know values only, and are tested like units of the library.
command_own = $(patsubst %,tools/cluster/%.cpp,commands confirm main many_tasks one_task pauses serve serve_actions \
	serve_reader serve_site session)
command_values = $(filter-out $(command_own),$(wildcard tools/cluster/*.cpp))
command_value_objects = $(call objects_or_unit,$(command_values),$(units)/tools/cluster.o)
$(units)/tools/cluster.cpp: unit_sources = $(command_values)
page_sources = $(wildcard tools/cluster/page/*.cpp)
page_objects = $(call objects_or_unit,$(page_sources),$(units)/tools/page.o)
$(units)/tools/page.cpp: unit_sources = $(page_sources)
$(filter $(B)/test/tools/%,$(unit_tests) $(groups)): $(command_value_objects) $(page_objects)
$(filter $(B)/test/tools/%,$(unit_tests) $(groups)): private BOOST_TEST_LIBS += $(BOOST_PROGRAM_OPTIONS_LIBS)

$(call objects,$(wildcard samples/cluster/*.cpp)) $(cluster_demo_objects): private \
	all_cppflags += $(libpq_cppflags)
$(call objects,$(wildcard samples/cluster/*.cpp)) $(cluster_demo_objects): $(B)/cluster-flags

$(cluster_samples): $(B)/samples/%: $(B)/obj/samples/%.o
# It has the words of the command for states.
$(B)/tools/cluster_demo: $(cluster_demo_objects) $(call objects,tools/cluster/words.cpp) $(text_objects)
# It serves the same pages.
$(B)/tools/run_schedule-cluster: $(cluster_schedule_objects) $(call objects,$(patsubst %,tools/cluster/%.cpp,\
	serve_reader serve_site)) $(command_value_objects) $(page_objects)
$(B)/tools/jtimer-cluster: $(call objects,$(command_own) $(http_sources)) $(command_value_objects) $(page_objects) \
	$(text_objects)
$(B)/tools/jtimer-cluster $(B)/tools/run_schedule-cluster: private BOOST_THREAD_LIBS += $(BOOST_PROGRAM_OPTIONS_LIBS)

# What `make HTTP=no` builds, for a test.
cluster_without_http = $(B)/test/tools/jtimer-cluster_without_http
$(cluster_without_http): $(call objects,$(command_own) tools/http/address.cpp tools/http/form.cpp \
	tools/http/without_beast.cpp) $(command_value_objects) $(page_objects) $(text_objects)
$(cluster_without_http): private BOOST_THREAD_LIBS += $(BOOST_PROGRAM_OPTIONS_LIBS)

installed_cluster_tools = $(addprefix $(B)/tools/,jtimer-cluster run_schedule-cluster)
cluster_tools = $(B)/tools/cluster_demo $(installed_cluster_tools)
$(cluster_samples) $(cluster_tools) $(cluster_without_http): $(B)/libjtimer-cluster.a $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CXX) $(filter %.o,$^) $(B)/libjtimer-cluster.a $(B)/libjtimer.a $(all_ldflags) \
		$(libpq_libs) $(BOOST_THREAD_LIBS) -o $@

# The demo ends the server and the page that it starts.
.PHONY: demo-cluster
demo-cluster: $(B)/tools/cluster_demo $(B)/tools/jtimer-cluster $(B)/test/cluster/with_server
	@$(server_programs)
	@$(B)/test/cluster/with_server sh tools/cluster_demo/with_page.sh $(B)/tools/jtimer-cluster $<

cluster_program_test = test/cluster/programs/programs_test.sh
schedule_program_test = test/cluster/programs/run_schedule_test.sh
command_program_test = test/cluster/programs/jtimer_cluster_test.sh
serve_program_test = test/cluster/programs/serve_test.sh
check-cluster: $(cluster_program_test) $(schedule_program_test) $(command_program_test) $(serve_program_test)
$(cluster_program_test) $(schedule_program_test) $(command_program_test) $(serve_program_test): $(cluster_samples) \
	$(cluster_tools) $(cluster_without_http) $(B)/tools/run_schedule $(B)/test/cluster/with_server

# What is installed, and not with a sanitizer: that would go into a stranger's program.
ifeq ($(SANITIZE),)
check-cluster: test/cluster/programs/install_test.sh
test/cluster/programs/install_test.sh: cluster $(cluster_tools)
endif

# The pages in a browser. What that needs is in a folder that all builds share: `make deps-page` fills it.
page_tools = build/page
page_test = test/cluster/page/page_test.sh
run_page_test = BUILD='$(B)' PAGE_TOOLS='$(page_tools)' NODE='$(NODE)' CHROMIUM='$(CHROMIUM)'
has_page_tools = $(wildcard $(page_tools)/node_modules/axe-core/axe.min.js)

.PHONY: deps-page check-page picture-page
deps-page: | $(filter deps deps-dev deps-bench deps-cluster,$(MAKECMDGOALS))
	@$(install_deps) check-page
	@mkdir -p $(page_tools) && cp test/cluster/page/package.json test/cluster/page/package-lock.json $(page_tools)
	@cd $(page_tools) && npm ci --no-audit --no-fund

$(page_test) check-page picture-page: $(B)/tools/jtimer-cluster $(B)/test/cluster/with_server | $(first)
check-page: | $(filter check-cluster,$(MAKECMDGOALS))
	@$(server_programs)
	@TEST_JOBS=1 LOGS='$(B)/test/page-logs' $(run_page_test) $(run_tests) $(page_test)

# Takes doc/pictures/page.png.
picture-page:
	@$(server_programs)
	@$(run_page_test) $(page_test) doc/pictures/page.png

# Of .ci/run, which must not leave it out.
ifeq ($(SANITIZE),)
ifneq ($(CI)$(has_page_tools),)
check-cluster: $(page_test)
else
check-cluster: | no-page-test
.PHONY: no-page-test
no-page-test:
	@echo 'make: the pages are not run in a browser: `make deps-page` installs what that needs'
endif
endif
