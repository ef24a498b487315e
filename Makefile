# jtimer: java.util.Timer for C++. `make help` lists the targets.
#
# Works in a fresh clone without ./configure. Settings, later ones override earlier ones: the defaults in
# build-aux/settings.mk, config.mak.autogen (from the optional ./configure), config.mak (yours), the command line.

VERSION := $(shell build-aux/version)
SOVERSION := $(shell build-aux/version --soname)

include build-aux/settings.mk
settings := $(shell sed -n 's/^\([A-Za-z_]*\) =.*/\1/p' build-aux/settings.mk)
DESTDIR =

-include config.mak.autogen
-include config.mak

# Not the environment's PREFIX, which some systems set.
ifneq ($(filter command% file,$(origin PREFIX)),)
ifeq ($(MAKELEVEL),0)
$(warning PREFIX is ignored: the setting is called prefix)
endif
endif

include build-aux/variants.mk

# One job per processor, unless the command line or a parent make sets the number.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
endif

ifeq ($(V),)
Q = @
QUIET = @printf '    %-8s %s\n'
else
QUIET = @:
endif

all_cppflags = -Iinclude $(BOOST_CPPFLAGS) $(CPPFLAGS) $(lib_assertions)
all_cxxflags = -std=c++17 $(WARNINGS) $(if $(findstring clang,$(CXX)),-Wthread-safety) $(CXXFLAGS) $(SANITIZE_FLAGS) $(SHAKEN_FLAGS) $(HARDENED_FLAGS) -pthread
all_ldflags = $(BOOST_LDFLAGS) $(LDFLAGS) $(SANITIZE_FLAGS) -pthread
all_libs = $(BOOST_THREAD_LIBS) $(BOOST_TEST_LIBS) $(BOOST_PROGRAM_OPTIONS_LIBS) $(BENCHMARK_LIBS)

# No rules of make's own: make 4.4 prefers that for %.o from %.cpp where ours needs a file that another
# pattern makes, such as a precompiled header.
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: FORCE

# The names of the shared library: the file, the name recorded in programs, the name for the linker.
ifeq ($(shell uname -s),Darwin)
shared_real = libjtimer.$(VERSION).dylib
shared_soname = libjtimer.$(SOVERSION).dylib
shared_link = libjtimer.dylib
shared_flags = -dynamiclib -Wl,-install_name,$(libdir)/$(shared_soname)
else
shared_real = libjtimer.so.$(VERSION)
shared_soname = libjtimer.so.$(SOVERSION)
shared_link = libjtimer.so
# Never unloaded: some of its threads never end, such as that of the default timers of go and brpc.
shared_flags = -shared -Wl,-soname,$(shared_soname) -Wl,-z,nodelete \
	-Wl,--version-script=build-aux/exports.map
endif

package_files = jtimer.pc jtimerConfig.cmake jtimerConfigVersion.cmake

.PHONY: all
all: $(B)/libjtimer.a $(B)/$(shared_link) $(addprefix $(B)/,$(package_files)) man
ifneq ($(TOOLS),no)
all: tools
endif

# Dependencies.

install_deps = $(foreach setting,$(settings),$(setting)='$($(setting))') build-aux/install-deps

# The other goals on the command line, by default the usual ones. A file in build/ counts as a test.
usual_goals = all demo check check-install
other_goals = $(filter-out deps deps-dev deps-bench deps-cluster deps-page clean distclean,$(MAKECMDGOALS))

.PHONY: deps deps-dev deps-bench deps-cluster deps-page
deps:
	@$(install_deps) $(or $(patsubst $(B)/%,check,$(other_goals)),$(usual_goals)) \
		$(sanitizers:%=sanitize-%)

deps-dev: | $(filter deps,$(MAKECMDGOALS))
	@$(install_deps) $(usual_goals) bench bench-count doc configure dist format tidy cppcheck ci

deps-bench: | $(filter deps deps-dev,$(MAKECMDGOALS))
	@$(install_deps) $(usual_goals) bench-peers

# All other goals wait for these.
first = $(filter deps deps-dev deps-bench deps-cluster deps-page clean distclean,$(MAKECMDGOALS))
deps deps-dev deps-bench deps-cluster deps-page: | $(filter clean distclean,$(first))

# Compiling.

# Writes what the command $(1) prints to the target unless the target holds it already, so that whatever
# depends on it is rebuilt only when that changes. Before it changes, the command $(2) must succeed, if
# given. The new file's name is the process's own: .ci/run has two makes side by side.
define rewrite
	@mkdir -p $(@D)
	@new=$@.$$$$; $(1) >$$new || exit; \
	if cmp -s $$new $@; then rm $$new; else $(if $(2),$(2) &&) mv $$new $@; fi
endef
remember = $(call rewrite,echo '$(1)',$(2))

# Without a compiler or Boost, the output ends with this message, and not with one for each file.
try_compiler = { echo '\#include <boost/thread/mutex.hpp>' | \
	$(CXX) $(all_cppflags) $(all_cxxflags) -E -x c++ - >/dev/null || \
	{ echo 'make: $(CXX) does not compile with Boost; "make deps" installs what is missing' >&2; \
	exit 1; }; }

# Everything compiled depends on the first, everything linked on the second.
$(B)/flags: FORCE | $(first)
	$(call remember,$(CXX) $(all_cppflags) $(all_cxxflags) $(TEST_CXXFLAGS) $(precompiled_headers) $(assertions),$(try_compiler))

$(B)/link-flags: FORCE | $(first)
	$(call remember,$(CXX) $(AR) $(shared_flags) $(all_ldflags) $(all_libs) $(lib_objects) $(HTTP))

compile = $(CXX) $(all_cppflags) $(all_cxxflags) -MMD -MP

include build-aux/precompiled.mk

# One set of objects serves both libraries, hence -fPIC. Only what is JTIMER_API is exported.
compile_lib = $(compile) -Ilib $(if $(WINDOWS),,-fPIC) -fvisibility=hidden -fvisibility-inlines-hidden
$(B)/obj/lib/%.o: lib/%.cpp $(B)/flags $(precompiled_lib:%=%.gch)
	$(QUIET) CXX $<
	@mkdir -p $(@D)
	$(Q)$(compile_lib) $(precompiled_lib:%=-include %) -c $< -o $@

# Tests also see the private headers. Of lib/cluster, only this unit needs no PostgreSQL.
cluster_sources = $(wildcard lib/cluster/backoff.cpp)
cluster_tests = $(patsubst lib/%.cpp,test/%_test.cpp,$(cluster_sources))
unit_tests = $(patsubst test/%.cpp,$(B)/test/%,$(cluster_tests) \
	$(filter-out test/bench/% test/cluster/% test/interleave/%,$(wildcard test/*/*_test.cpp)))
ifeq ($(WINDOWS),yes)
posix_only = Only for POSIX
posix_tests := $(shell grep -l '^// $(posix_only)' test/*/*_test.cpp)
unit_tests := $(filter-out $(B)/test/fuzz/% $(B)/test/tools/% $(patsubst test/%.cpp,$(B)/test/%,\
	$(posix_tests)),$(unit_tests))
endif
slow_tests = $(patsubst test/%.cpp,$(B)/test/%,$(filter-out test/cluster/%,$(wildcard test/*/slow/*_test.cpp)))
include build-aux/test-groups.mk
tests = $(filter-out $(grouped),$(unit_tests)) $(groups)
test_flags = $(if $(BOOST_TEST_LIBS),-DBOOST_TEST_DYN_LINK) $(if $(WINDOWS),-Itest/windows) -Ilib -Itest -Itools $(test_assertions)
# These measure, and are linked with what is installed.
$(foreach folder,bench pictures load,$(B)/obj/test/$(folder)/%.o): private test_assertions =

$(B)/obj/test/%.o: test/%.cpp $(B)/flags
	$(QUIET) CXX $<
	@mkdir -p $(@D)
	$(Q)$(compile) $(test_flags) -c $< -o $@

# The unit tests take most of the time, mostly for Boost.Test: they are compiled with TEST_CXXFLAGS,
# which come last. So are the fuzzers, unless they are to be fast.
unit_test_objects = $(patsubst $(B)/%,$(B)/obj/%.o,$(unit_tests) $(groups) $(slow_tests)) \
	$(if $(FUZZED),,$(patsubst %.cpp,$(B)/obj/%.o,$(filter-out %_test.cpp,$(wildcard test/fuzz/*.cpp))))

$(unit_test_objects): private test_flags += $(TEST_CXXFLAGS) $(HARDENED_TEST_FLAGS) $(with_precompiled)
$(unit_test_objects): $(precompiled:%=%.gch)

# Coroutines are compiled as C++20 if the compiler supports it, unless CXXFLAGS set a standard. The
# precompiled header is C++17.
coroutine_objects = $(patsubst %.cpp,$(B)/obj/%.o,\
	$(wildcard test/tokio/await*_test.cpp) $(addprefix samples/tokio/,coroutine.cpp idle_cache.cpp))
cxx20 = $(if $(findstring -std=,$(CXXFLAGS)),,$(shell \
	for flags in '-std=c++20 -fcoroutines' '-std=c++20'; do \
		$(CXX) $$flags -Werror -fsyntax-only -x c++ /dev/null 2>/dev/null && echo "$$flags" && break; \
	done))
$(coroutine_objects): private all_cxxflags += $(cxx20)
$(coroutine_objects): private precompiled =

define compile_program
	$(QUIET) CXX $<
	@mkdir -p $(@D)
	$(Q)$(compile) -c $< -o $@
endef

$(B)/obj/samples/%.o: samples/%.cpp $(B)/flags
	$(compile_program)

objects = $(patsubst %.cpp,$(B)/obj/%.o,$(1))
# lib/cluster is a library of its own.
lib_sources = $(filter-out lib/cluster/%,$(wildcard lib/*/*.cpp))
include build-aux/units.mk
lib_objects = $(call objects_or_unit,$(lib_sources),$(lib_units))

$(B)/libjtimer.a: $(lib_objects) $(B)/link-flags
	$(QUIET) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $(lib_objects)

$(B)/asserted/libjtimer.a: $(asserted_units) $(B)/link-flags
	$(QUIET) AR $@
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $(asserted_units)

$(B)/$(shared_link): $(B)/$(shared_real)
	$(Q)ln -sf $(shared_real) $(B)/$(shared_soname)
	$(Q)ln -sf $(shared_soname) $@

$(B)/$(shared_real): $(lib_objects) $(B)/link-flags build-aux/exports.map
	$(QUIET) LINK $@
	$(Q)$(CXX) $(shared_flags) $(lib_objects) $(all_ldflags) $(BOOST_THREAD_LIBS) -o $@

link = $(CXX) $(filter %.o,$^) $(filter %/libjtimer.a,$^) $(all_ldflags)

# Samples.

# Each file is a program.
samples = $(patsubst samples/%.cpp,%,$(filter-out samples/cluster/%,\
	$(wildcard samples/*.cpp samples/*/*.cpp)))
ifeq ($(SANITIZE),thread)
# g++ warns of Asio's fences, which ThreadSanitizer does not understand.
$(B)/obj/samples/tokio/asio_loop.o: private all_cppflags += -DBOOST_ASIO_DISABLE_FENCED_BLOCK
endif

.PHONY: samples
samples: $(addprefix $(B)/samples/,$(samples))

$(addprefix $(B)/samples/,$(samples)): $(B)/samples/%: $(B)/obj/samples/%.o $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) -o $@

include build-aux/tools.mk

# Tests.

test_scripts = $(filter-out test/install/% test/windows/%,$(wildcard test/*/*_test.sh))
ifneq ($(SANITIZE),)
# The other scripts install, or do not depend on what is built.
test_scripts := $(wildcard test/samples/*_test.sh test/tools/*_test.sh)
endif
test_support_objects = $(call objects,$(wildcard test/support/*.cpp $(if $(WINDOWS),test/windows/*.cpp))) $(precompiled_object)
$(B)/obj/test/support/hold_up.o: private SHAKEN_FLAGS =

$(unit_tests) $(groups) $(slow_tests): $(B)/test/%: $(B)/obj/test/%.o $(test_support_objects) $(tested_lib)
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_TEST_LIBS) $(BOOST_THREAD_LIBS) -o $@

$(patsubst test/%.cpp,$(B)/test/%,$(cluster_tests)): $(B)/test/%_test: $(B)/obj/lib/%.o

include build-aux/interleave.mk

# The test scripts may call make, with the same settings.
run_tests = BUILD='$(B)' EMULATOR='$(EMULATOR)' SANITIZE='$(SANITIZE)' CXX='$(CXX)' TESTED_CXXFLAGS='$(CXXFLAGS)' \
	TESTED_ASSERTIONS='$(assertions)' MAKE='$(MAKE_COMMAND)' PYTHON='$(PYTHON)' test/run_tests.sh

.PHONY: tests check check-tools check-install check-slow
tests: all samples tools $(without_http) $(tests) $(if $(SANITIZE),,$(B)/test/pictures/record)

# The scripts first: the longest of them takes as long as all unit tests.
check: tests
	@for goal in $(filter-out $(MAKECMDGOALS),check-install check-cluster); do echo "    not run: make $$goal"; done
	@$(run_tests) $(test_scripts) $(call suites,$(tests))

# What tests run_schedule.
tools_tests = $(filter $(B)/test/tools/%,$(tests))
check-tools: tools $(without_http) $(tools_tests)
	@LOGS='$(B)/test/tools-logs' $(run_tests) $(filter test/tools/%,$(test_scripts)) $(call suites,$(tools_tests))

# Installs in every way that there is. In most of them, CMake builds the library again.
check-install: all tools | $(filter check,$(MAKECMDGOALS))
	@LOGS='$(B)/test/install-logs' $(run_tests) $(wildcard test/install/*_test.sh)

# One at a time, after the fast tests: these measure real time.
check-slow: $(slow_tests) | $(filter check,$(MAKECMDGOALS))
	@TEST_JOBS=1 LOGS='$(B)/test/slow-logs' $(run_tests) $(slow_tests)

# Runs the fast tests once for each of SEEDS, with threads delayed at random.
SEEDS = 1 2 3

.PHONY: check-shaken
ifeq ($(SHAKEN),yes)
check-shaken: $(tests)
	@for seed in $(SEEDS); do \
		echo "HOLD_UP_SEED=$$seed"; \
		HOLD_UP_SEED=$$seed TEST_JOBS=8 $(run_tests) $(call suites,$(tests)) || exit; \
	done
else
check-shaken:
	@$(MAKE) SHAKEN=yes check-shaken
endif

# The real JDK as the judge.
include build-aux/oracle.mk

# Models of interleaving threads, searched by spin.
.PHONY: model
model:
	@SPIN='$(SPIN)' sh test/search_models.sh

# Benchmarks, also against other timers.

include build-aux/bench.mk build-aux/pictures.mk build-aux/install.mk build-aux/cluster.mk
include build-aux/cluster-programs.mk build-aux/bench-cluster.mk build-aux/maintain.mk build-aux/package.mk

# What tries to break the library, and takes longer than `make check` may.
include build-aux/mutants.mk build-aux/fuzz.mk build-aux/load.mk build-aux/coverage.mk

# Other systems and processors, as far as this one can run them.
include build-aux/systems.mk build-aux/windows.mk

.PHONY: clean distclean help
clean:
	rm -rf build

distclean: clean
	rm -rf compile_commands.json configure configure~ config.log config.status \
		config.mak.autogen autom4te.cache \
		jtimer-*.tar.gz

define help_text
Usage: make [GOAL...] [SETTING=VALUE...], for example `make deps check'

  all            (the default) the libraries, pkg-config and CMake files, run_schedule unless
                 TOOLS=no, and the manual pages, in build/
  deps           installs what the other goals need, by default all, demo and check (apt-get,
                 dnf, pacman, brew)
  deps-dev       installs what is needed for development: also bench, doc, configure and .ci/run
  deps-bench     installs what is needed for all, demo, check and bench-peers
  deps-cluster   installs what is needed for all, demo, check and check-cluster
  deps-page      installs a browser and what else check-page needs
  demo           runs build/tools/run_schedule on its demo.schedule for five seconds
  samples, tools builds the samples, and run_schedule, in build/samples/ and build/tools/
  tests, check   builds all fast tests, and what they test; check also runs them
  check-tools    builds and runs those of run_schedule, without --cluster: a minute
  check-install  installs with make, CMake and vcpkg's port, and builds a program with each
  check-slow     builds and runs the real-time and stress tests
  demo-cluster   three workers share ten tasks on a private PostgreSQL server, and one is killed: 15 s
  cluster        builds libjtimer-cluster (libpq); check-cluster and check-cluster-slow test it,
                 stress-cluster for DURATION seconds (1800), beside private PostgreSQL servers;
                 rolling-update runs nodes of the first schema's library beside; install-cluster
  check-page     runs the page of jtimer-cluster in a browser; a part of check-cluster after deps-page
  check-windows  compiles the library for Windows (MinGW-w64), and runs tests and samples under wine
  check-syntax   compiles everything without writing objects, for CXXFLAGS=-std=c++20 and so on
  nightly        runs what .ci/run has no time for: check-shaken, model, explore, other builds
  fuzz, load     libFuzzer (clang++), SECONDS=60 for each of FUZZERS=; a million tasks, 3600 for ROOMS=
  check-shaken   runs the fast tests once for each of SEEDS, with threads delayed at random
  check-no-linux, check-libcxx, check-arm64, check-s390x
                 builds and runs the fast tests as other systems and processors do (apt-get)
  oracle         plays scenarios on a real java.util.Timer and on jtimer, and compares (a JDK)
  oracle-golden  records what the JDK does in test/jdk/oracle/golden/, for check
  model          searches the models of interleaving threads (spin)
  explore        searches the interleavings of the code further, and makes mistakes, to be found
  simulate       plays whole timers by seeds, which replay; ROOMS='jdk go' SEEDS=100000 FROM=1
  coverage       runs the fast tests, and tells which lines and branches they have not run (g++, gcovr);
                 PARTS=
  mutants        changes one line at a time, and says which changes no test sees; SEED= COUNT= PARTS=
  players        plays such changes of jtimer::Timer in each random player alone; SEED= COUNT=
  bench          builds and runs the benchmarks (Google Benchmark)
  bench-count    counts instructions, and prints how they have changed (valgrind);
                 bench-count-record records them in test/bench/instructions.txt
  bench-peers    compares jtimer with other timers, for hours; ROUNDS= WORKLOADS= PEERS= QUICK=1
  bench-peers-report  rewrites the report of the last bench-peers
  bench-cluster  compares jtimer::cluster with plain libpq; ROUNDS= WORKLOADS= QUICK=1 (a minute)
  pictures       draws doc/pictures from runs of the timers (gnuplot); PICTURES=
  exports        writes build-aux/exports.txt, with which check-install compares
  install        installs below prefix (/usr/local), without debug information unless STRIP=:,
                 DESTDIR is prepended to each path; TOOLS=no leaves run_schedule out,
                 HTTP=no its --listen
  uninstall      removes what install has installed
  configure      generates ./configure, which is optional (autoconf)
  doc            generates the reference, build/doc/html/index.html (doxygen)
  man            generates the manual pages, in build/man/; all does so too
  behaviour      writes the column of tests in doc/internals/behaviour.md, which check compares with
  dist           packs the last commit into jtimer-$(VERSION).tar.gz
  deb            builds Debian packages of the last commit, in build/deb (debhelper, lintian)
  check-deb      the same in a fresh Debian, and installs and uses them (root, debootstrap)
  release        checks that everything is ready for a release, and tags it
  format         formats the sources (clang-format); check-format only checks
  tidy           runs clang-tidy with the checks in .clang-tidy
  cppcheck       runs cppcheck; build-aux/cppcheck.txt lists what it reports without cause
  compile_commands.json  how each file is compiled, for editors
  clean          removes build/; distclean also what configure and dist have generated

Settings: $(settings) DESTDIR
V=1 prints the commands. doc/building.md explains the settings.
endef

help:
	$(info $(help_text)) @:

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
