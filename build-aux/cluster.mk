# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: libjtimer-cluster, a library of its own on libpq and libjtimer.

deps-cluster: | $(filter deps deps-dev deps-bench,$(MAKECMDGOALS))
	@$(install_deps) $(usual_goals) check-cluster $(filter bench-cluster,$(MAKECMDGOALS)) $(sanitizers:%=sanitize-%)

# Found by build-aux/libpq unless they are set.
libpq_cppflags = $(or $(LIBPQ_CPPFLAGS),$(shell build-aux/libpq --cflags))
libpq_libs = $(or $(LIBPQ_LIBS),$(shell build-aux/libpq --libs))

cluster_lib_sources = $(wildcard lib/cluster/*.cpp)
cluster_objects = $(call objects_or_unit,$(cluster_lib_sources),$(units)/lib/cluster.o)
cluster_headers = $(patsubst include/%,%,$(wildcard include/jtimer/cluster.hpp include/jtimer/cluster/*.hpp \
	include/jtimer/cluster/*/*.hpp))
cluster_package_files = jtimer-cluster.pc jtimerCluster.cmake

cluster_tested_objects = $(cluster_lib_sources:lib/%.cpp=$(units)/failpoints/%.o)

# What the unit tests use too is compiled without libpq.
cluster_pq_objects = $(call objects,$(filter-out $(cluster_sources),$(cluster_lib_sources))) \
	$(units)/lib/cluster.o $(units)/failpoints/cluster.o $(cluster_tested_objects)
$(cluster_pq_objects): private all_cppflags += $(libpq_cppflags)
$(cluster_pq_objects): $(B)/cluster-flags

cluster_real = $(subst libjtimer,libjtimer-cluster,$(shared_real))
cluster_soname = $(subst libjtimer,libjtimer-cluster,$(shared_soname))
cluster_link = $(subst libjtimer,libjtimer-cluster,$(shared_link))
cluster_shared_flags = $(subst libjtimer,libjtimer-cluster,$(shared_flags))
ifeq ($(SANITIZE)$(filter Darwin,$(shell uname -s)),)
# Everything that it uses of libjtimer is exported there.
cluster_shared_flags += -Wl,-z,defs
endif

.PHONY: cluster
cluster: all $(B)/libjtimer-cluster.a $(B)/$(cluster_link) $(addprefix $(B)/,$(cluster_package_files)) \
	$(B)/man/jtimer_cluster.3 $(call tools_if_wanted,$(installed_cluster_tools) $(B)/man/jtimer-cluster.1)

try_libpq = { echo '\#include <libpq-fe.h>' | \
	$(CXX) $(libpq_cppflags) $(all_cppflags) -E -x c++ - >/dev/null || \
	{ echo 'make: no libpq found; "make deps-cluster" installs it' >&2; exit 1; }; }

$(B)/cluster-flags: FORCE | $(first)
	$(call remember,$(libpq_cppflags) $(libpq_libs),$(try_libpq))

$(B)/libjtimer-cluster.a: $(cluster_objects) $(B)/link-flags
	$(QUIET) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $(cluster_objects)

$(B)/$(cluster_link): $(B)/$(cluster_real)
	$(Q)ln -sf $(cluster_real) $(B)/$(cluster_soname)
	$(Q)ln -sf $(cluster_soname) $@

$(B)/$(cluster_real): $(cluster_objects) $(B)/$(shared_link) $(B)/link-flags build-aux/exports.map
	$(QUIET) LINK $@
	$(Q)$(CXX) $(cluster_shared_flags) $(cluster_objects) -L$(B) -ljtimer $(all_ldflags) \
		$(libpq_libs) $(BOOST_THREAD_LIBS) -o $@

.PHONY: exports-cluster
exports-cluster: $(B)/$(cluster_link)
	$(call record_exports,-cluster)

# Tests. Their unit of the library has failpoints, see lib/cluster/failpoint.hpp.

# CLUSTER_UNIT=no, for mutants: an object for each source, as only one of them changes.
CLUSTER_UNIT = yes
compile_failpoints = $(call compile_unit,$(test_assertions) -DJTIMER_CLUSTER_FAILPOINTS)
cluster_tested_unit = $(units)/failpoints/cluster.o
cluster_tested = $(if $(filter no,$(CLUSTER_UNIT)),$(cluster_tested_objects),$(cluster_tested_unit))
$(cluster_tested_unit): $(units)/failpoints/%.o: $(units)/failpoints/%.cpp $(B)/flags $(precompiled_lib:%=%.gch)
	$(compile_failpoints)

$(cluster_tested_objects): $(units)/failpoints/%.o: lib/%.cpp $(B)/flags $(precompiled_lib:%=%.gch)
	$(compile_failpoints)

cluster_support = $(call objects,$(filter-out %_test.cpp test/cluster/with_server.cpp,\
	$(wildcard test/cluster/*.cpp)))
cluster_programs = $(patsubst test/%.cpp,$(B)/test/%,$(filter-out $(cluster_tests),\
	$(wildcard test/cluster/*_test.cpp)))
slow_cluster_tests = $(patsubst test/%.cpp,$(B)/test/%,$(wildcard test/cluster/slow/*_test.cpp))
cluster_test_objects = $(patsubst $(B)/%,$(B)/obj/%.o,$(cluster_programs) $(slow_cluster_tests))

$(cluster_support): private test_flags += $(libpq_cppflags)
$(cluster_test_objects): private test_flags += -DJTIMER_CLUSTER_FAILPOINTS $(TEST_CXXFLAGS) $(with_precompiled) \
	$(libpq_cppflags)
$(cluster_test_objects): $(precompiled:%=%.gch)
$(cluster_test_objects) $(cluster_support): $(B)/cluster-flags

$(cluster_programs) $(slow_cluster_tests): $(B)/test/%: $(B)/obj/test/%.o $(cluster_support) $(cluster_tested) \
		$(test_support_objects) $(tested_lib)
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(libpq_libs) $(BOOST_TEST_LIBS) $(BOOST_THREAD_LIBS) -o $@

# Runs a command beside a private server, for programs that are no test.
$(B)/test/cluster/with_server: $(B)/obj/test/cluster/with_server.o $(B)/obj/test/cluster/server.o
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CXX) $^ $(all_ldflags) -o $@

server_programs = build-aux/find-postgres >/dev/null

# A node with the last library of schema version 1, built from the history by its own Makefile.
version1_commit = add66d73aeff855d540b0dc9b8b2d6b48d6e68f0
version1 = $(B)/version1
old_node = $(version1)/node
has_version1 = git cat-file -e $(version1_commit)^{commit} 2>/dev/null
old_node_if_known := $(if $(filter check-cluster-slow,$(MAKECMDGOALS)),$(shell $(has_version1) && echo $(old_node)))
version1_libraries = $(version1)/build/libjtimer-cluster.a $(version1)/build/libjtimer.a

$(old_node): test/cluster/version1/node.cpp test/cluster/stress_node.hpp test/cluster/plain_session.hpp \
		$(version1)/built $(B)/cluster-flags
	$(QUIET) LINK $@
	$(Q)$(CXX) -std=c++17 $(WARNINGS) -O2 -pthread -I$(version1)/include -Itest $(BOOST_CPPFLAGS) \
		$(libpq_cppflags) $< $(version1_libraries) $(BOOST_LDFLAGS) $(libpq_libs) $(BOOST_THREAD_LIBS) -o $@

$(version1)/built: | $(first)
	@$(has_version1) || { echo 'rolling-update: not run: the history of this clone lacks' \
		'$(version1_commit), the last library of schema version 1' >&2; exit 1; }
	$(QUIET) MAKE $(version1)
	$(Q)rm -rf $(version1) && mkdir -p $(version1) && git archive $(version1_commit) | tar -x -C $(version1)
	$(Q)MAKEFLAGS= $(MAKE) -C $(version1) B=build CXX='$(CXX)' $(version1_libraries:$(version1)/%=%)
	$(Q)touch $@

# One at a time: leases and take-overs are measured in real time.
.PHONY: check-cluster check-cluster-slow stress-cluster rolling-update
check-cluster: $(cluster_programs) $(filter $(B)/test/cluster/%,$(tests)) | $(filter check,$(MAKECMDGOALS))
	@$(server_programs)
	@TEST_JOBS=1 LOGS='$(B)/test/cluster-logs' $(run_tests) $^

check-cluster-slow: $(slow_cluster_tests) $(old_node_if_known) | $(filter check check-cluster,$(MAKECMDGOALS))
	@$(server_programs)
	@STRESS_OLD_NODE='$(old_node_if_known)' TEST_JOBS=1 LOGS='$(B)/test/slow-cluster-logs' $(run_tests) $(slow_cluster_tests)

# DURATION in seconds; SEED= repeats a run. It prints what it does to the processes and the server.
DURATION = 1800
SEED =
stress-cluster: $(B)/test/cluster/stress_test
	@$(server_programs)
	STRESS_DURATION=$(DURATION) STRESS_SEED=$(SEED) $< --log_level=message

# Old nodes and new ones, while the schema is migrated. Half a minute of it is in check-cluster-slow.
rolling-update: $(B)/test/cluster/slow/rolling_update_test $(old_node)
	@$(server_programs)
	STRESS_OLD_NODE='$(old_node)' STRESS_DURATION=$(DURATION) STRESS_SEED=$(SEED) $< --log_level=message

# Installing.

$(addprefix $(B)/,$(cluster_package_files)): $(B)/%: build-aux/%.in $(B)/settings $(B)/cluster-flags
	$(QUIET) GEN $@
	$(Q)$(edit_package) -e 's|@LIBPQ_LIBS@|$(strip $(libpq_libs))|' \
		-e 's|@LIBPQ_LIBS_LIST@|$(subst $(space),;,$(strip $(libpq_libs)))|' \
		-e 's|@CLUSTER_REAL@|$(cluster_real)|g' -e 's|@CLUSTER_SONAME@|$(cluster_soname)|' $< >$@

cluster_dirs = $(patsubst %,'$(DESTDIR)$(includedir)/%',$(sort $(dir $(cluster_headers))))

.PHONY: install-cluster install-cluster-tools uninstall-cluster
install-cluster: cluster install $(call tools_if_wanted,install-cluster-tools)
	$(QUIET) INSTALL '$(DESTDIR)$(prefix)'
	$(Q)$(INSTALL) -d $(cluster_dirs)
	$(Q)for header in $(cluster_headers); do \
		$(INSTALL) -m 644 include/$$header '$(DESTDIR)$(includedir)'/$$header || exit 1; done
	$(Q)$(INSTALL) -m 644 $(B)/libjtimer-cluster.a $(B)/$(cluster_real) '$(DESTDIR)$(libdir)'
	$(Q)$(STRIP) -S -x '$(DESTDIR)$(libdir)/libjtimer-cluster.a' '$(DESTDIR)$(libdir)/$(cluster_real)'
	$(Q)ln -sf $(cluster_real) '$(DESTDIR)$(libdir)/$(cluster_soname)'
	$(Q)ln -sf $(cluster_soname) '$(DESTDIR)$(libdir)/$(cluster_link)'
	$(Q)$(INSTALL) -m 644 $(B)/jtimer-cluster.pc '$(DESTDIR)$(pkgconfigdir)'
	$(Q)$(INSTALL) -m 644 $(B)/jtimerCluster.cmake '$(DESTDIR)$(cmakedir)'
	$(Q)$(INSTALL) -m 644 $(B)/man/jtimer_cluster.3 '$(DESTDIR)$(mandir)/man3'

# The page and the completion of run_schedule-cluster are run_schedule's.
install-cluster-tools: install-tools $(installed_cluster_tools) $(B)/man/jtimer-cluster.1
	$(Q)$(INSTALL) -m 755 $(installed_cluster_tools) '$(DESTDIR)$(bindir)'
	$(Q)$(STRIP) '$(DESTDIR)$(bindir)/jtimer-cluster' '$(DESTDIR)$(bindir)/run_schedule-cluster'
	$(Q)$(INSTALL) -m 644 $(B)/man/jtimer-cluster.1 '$(DESTDIR)$(mandir)/man1'
	$(Q)$(INSTALL) -m 644 tools/cluster/completion.bash '$(DESTDIR)$(bashcompletiondir)/jtimer-cluster'
	$(Q)echo '.so man1/run_schedule.1' >'$(DESTDIR)$(mandir)/man1/run_schedule-cluster.1'
	$(Q)ln -sf run_schedule '$(DESTDIR)$(bashcompletiondir)/run_schedule-cluster'

# Removes what install-cluster has added to install.
uninstall-cluster: check-dirs
	$(QUIET) UNINST '$(DESTDIR)$(prefix)'
	$(Q)rm -f $(patsubst %,'$(DESTDIR)$(includedir)/%',$(cluster_headers)) \
		$(patsubst %,'$(DESTDIR)$(libdir)/%',libjtimer-cluster.a $(cluster_real) $(cluster_soname) \
		$(cluster_link)) '$(DESTDIR)$(pkgconfigdir)/jtimer-cluster.pc' \
		'$(DESTDIR)$(cmakedir)/jtimerCluster.cmake' '$(DESTDIR)$(mandir)/man3/jtimer_cluster.3' \
		$(foreach name,jtimer-cluster run_schedule-cluster,'$(DESTDIR)$(bindir)/$(name)' \
		'$(DESTDIR)$(mandir)/man1/$(name).1' '$(DESTDIR)$(bashcompletiondir)/$(name)')
	$(Q)for dir in $(call reverse,$(cluster_dirs)); do \
		if [ -d "$$dir" ]; then rmdir "$$dir" 2>/dev/null || :; fi; done
