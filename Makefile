# jtimer: java.util.Timer for C++. `make help` lists the targets.
#
# Works in a fresh clone with no configure. Settings, the later ones winning: the defaults here,
# config.mak.autogen (written by the optional ./configure), config.mak (yours), the command line.

VERSION := $(shell sed -n 's/^#define JTIMER_VERSION "\(.*\)"/\1/p' include/jtimer/version.hpp)
SOVERSION = $(word 1,$(subst ., ,$(VERSION)))

CXX = g++
AR = ar
CPPFLAGS =
CXXFLAGS = -O2 -g
LDFLAGS =
WARNINGS = -Wall -Wextra -Wshadow -Wconversion -Wpedantic
BOOST_CPPFLAGS =
BOOST_LDFLAGS =
BOOST_THREAD_LIBS = -lboost_thread -lboost_chrono
BOOST_TEST_LIBS = -lboost_unit_test_framework
BOOST_PROGRAM_OPTIONS_LIBS = -lboost_program_options
BENCHMARK_LIBS = -lbenchmark
POCO_LIBS = -lPocoUtil -lPocoFoundation
LIBUV_LIBS = -luv
INSTALL = install
CLANG_FORMAT = clang-format
DOXYGEN = doxygen
AUTOCONF = autoconf
VALGRIND = valgrind
GNUPLOT = gnuplot
JAVA = java
JAVAC = javac

prefix = /usr/local
exec_prefix = $(prefix)
includedir = $(prefix)/include
libdir = $(exec_prefix)/lib
datarootdir = $(prefix)/share
docdir = $(datarootdir)/doc/jtimer
pkgconfigdir = $(libdir)/pkgconfig
cmakedir = $(libdir)/cmake/jtimer
DESTDIR =

-include config.mak.autogen
-include config.mak

# SANITIZE=thread, address or undefined builds everything once more, in a folder of its own.
SANITIZE =
ifneq ($(filter-out thread address undefined,$(SANITIZE)),)
$(error SANITIZE=$(SANITIZE): expected thread, address or undefined)
endif
ifeq ($(SANITIZE),)
B = build
else
B = build/$(SANITIZE)
SANITIZE_FLAGS = -fsanitize=$(SANITIZE) -fno-omit-frame-pointer
ifeq ($(SANITIZE),undefined)
SANITIZE_FLAGS += -fno-sanitize-recover=all
endif
endif

# As many jobs as there are processors, unless the command line, or a make above us, says otherwise.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
endif

ifeq ($(V),)
Q = @
QUIET = @printf '    %-8s %s\n'
else
QUIET = @:
endif

all_cppflags = -Iinclude $(BOOST_CPPFLAGS) $(CPPFLAGS)
all_cxxflags = -std=c++17 $(WARNINGS) $(CXXFLAGS) $(SANITIZE_FLAGS) -pthread
all_ldflags = $(BOOST_LDFLAGS) $(LDFLAGS) $(SANITIZE_FLAGS) -pthread
all_libs = $(BOOST_THREAD_LIBS) $(BOOST_TEST_LIBS) $(BOOST_PROGRAM_OPTIONS_LIBS) $(BENCHMARK_LIBS)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: FORCE

# What the shared library is called: the file, the name in programs linked with it, the name for the
# linker.
ifeq ($(shell uname -s),Darwin)
shared_real = libjtimer.$(VERSION).dylib
shared_soname = libjtimer.$(SOVERSION).dylib
shared_link = libjtimer.dylib
shared_flags = -dynamiclib -Wl,-install_name,$(libdir)/$(shared_soname)
else
shared_real = libjtimer.so.$(VERSION)
shared_soname = libjtimer.so.$(SOVERSION)
shared_link = libjtimer.so
shared_flags = -shared -Wl,-soname,$(shared_soname) -Wl,--version-script=build-aux/exports.map
endif

package_files = jtimer.pc jtimerConfig.cmake jtimerConfigVersion.cmake

.PHONY: all
all: $(B)/libjtimer.a $(B)/$(shared_link) $(addprefix $(B)/,$(package_files))

# --- what the machine needs -----------------------------------------------------------------------

install_deps = CXX='$(CXX)' CXXFLAGS='$(CXXFLAGS)' BOOST_CPPFLAGS='$(BOOST_CPPFLAGS)' \
	BOOST_LDFLAGS='$(BOOST_LDFLAGS)' BOOST_THREAD_LIBS='$(BOOST_THREAD_LIBS)' \
	BOOST_TEST_LIBS='$(BOOST_TEST_LIBS)' \
	BOOST_PROGRAM_OPTIONS_LIBS='$(BOOST_PROGRAM_OPTIONS_LIBS)' \
	BENCHMARK_LIBS='$(BENCHMARK_LIBS)' CLANG_FORMAT='$(CLANG_FORMAT)' \
	DOXYGEN='$(DOXYGEN)' AUTOCONF='$(AUTOCONF)' VALGRIND='$(VALGRIND)' \
	POCO_LIBS='$(POCO_LIBS)' LIBUV_LIBS='$(LIBUV_LIBS)' GNUPLOT='$(GNUPLOT)' \
	JAVA='$(JAVA)' JAVAC='$(JAVAC)' \
	build-aux/install-deps

.PHONY: deps deps-dev deps-bench
deps:
	@$(install_deps)

deps-dev: deps
	@$(install_deps) --dev

deps-bench: deps
	@$(install_deps) --bench

# With these among the goals, nothing else is begun before they are done.
first = $(filter deps deps-dev deps-bench clean distclean,$(MAKECMDGOALS))
deps: | $(filter clean distclean,$(first))

# --- compiling ------------------------------------------------------------------------------------

# Makes the target a file that holds the text $(1), and leaves it alone if it does already: what
# depends on it is made again when the text changes.
define remember
	@mkdir -p $(@D)
	@echo '$(1)' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
endef

# Everything compiled depends on the one, everything linked on the other.
$(B)/flags: FORCE | $(first)
	$(call remember,$(CXX) $(all_cppflags) $(all_cxxflags))

$(B)/link-flags: FORCE | $(first)
	$(call remember,$(CXX) $(AR) $(shared_flags) $(all_ldflags) $(all_libs) $(lib_objects))

compile = $(CXX) $(all_cppflags) $(all_cxxflags) -MMD -MP

# One set of objects serves both libraries, hence -fPIC. What is not JTIMER_API stays inside.
$(B)/obj/lib/%.o: lib/%.cpp $(B)/flags
	$(QUIET) CXX $<
	@mkdir -p $(@D)
	$(Q)$(compile) -Ilib -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -c $< -o $@

# Tests see the private headers too.
$(B)/obj/test/%.o: test/%.cpp $(B)/flags
	$(QUIET) CXX $<
	@mkdir -p $(@D)
	$(Q)$(compile) -DBOOST_TEST_DYN_LINK -Ilib -Itest -Isamples -c $< -o $@

$(B)/obj/samples/%.o: samples/%.cpp $(B)/flags
	$(QUIET) CXX $<
	@mkdir -p $(@D)
	$(Q)$(compile) -c $< -o $@

objects = $(patsubst %.cpp,$(B)/obj/%.o,$(1))
lib_objects = $(call objects,$(wildcard lib/*/*.cpp))

$(B)/libjtimer.a: $(lib_objects) $(B)/link-flags
	$(QUIET) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $(lib_objects)

$(B)/$(shared_link): $(B)/$(shared_real)
	$(Q)ln -sf $(shared_real) $(B)/$(shared_soname)
	$(Q)ln -sf $(shared_soname) $@

$(B)/$(shared_real): $(lib_objects) $(B)/link-flags build-aux/exports.map
	$(QUIET) LINK $@
	$(Q)$(CXX) $(shared_flags) $(lib_objects) $(all_ldflags) $(BOOST_THREAD_LIBS) -o $@

link = $(CXX) $(filter %.o,$^) $(B)/libjtimer.a $(all_ldflags)

# --- samples --------------------------------------------------------------------------------------

samples = $(patsubst samples/%.cpp,%,$(wildcard samples/*.cpp))
run_schedule_objects = $(call objects,$(wildcard samples/run_schedule/*.cpp))

.PHONY: samples
samples: $(addprefix $(B)/samples/,$(samples) run_schedule)

$(addprefix $(B)/samples/,$(samples)): $(B)/samples/%: $(B)/obj/samples/%.o $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) -o $@

$(B)/samples/run_schedule: $(run_schedule_objects) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) $(BOOST_PROGRAM_OPTIONS_LIBS) -o $@

.PHONY: demo
demo: $(B)/samples/run_schedule
	$(B)/samples/run_schedule --for 5s samples/demo.schedule

# --- tests ----------------------------------------------------------------------------------------

tests = $(patsubst test/%.cpp,$(B)/test/%,$(wildcard test/*/*_test.cpp))
slow_tests = $(patsubst test/%.cpp,$(B)/test/%,$(wildcard test/*/slow/*_test.cpp))
test_scripts = $(wildcard test/*/*_test.sh)
ifneq ($(SANITIZE),)
# Nobody installs such a build.
test_scripts := $(filter-out test/build/install_test.sh,$(test_scripts))
endif
test_support_objects = $(call objects,$(wildcard test/support/*.cpp))

$(tests) $(slow_tests): $(B)/test/%: $(B)/obj/test/%.o $(test_support_objects) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_TEST_LIBS) $(BOOST_THREAD_LIBS) -o $@

# The parser of run_schedule is tested like a unit of the library.
$(B)/test/samples/schedule_file_test: $(filter-out %/main.o,$(run_schedule_objects))

# The scripts among the tests may call make, with the same settings.
run_tests = BUILD='$(B)' SANITIZE='$(SANITIZE)' CXX='$(CXX)' MAKE='$(MAKE_COMMAND)' \
	test/run_tests.sh

.PHONY: check check-slow
check: all samples $(tests)
	@$(run_tests) $(tests) $(test_scripts)

# Not beside the others: these measure real time.
check-slow: $(slow_tests) | $(filter check,$(MAKECMDGOALS))
	@TEST_JOBS=1 LOGS='$(B)/test/slow-logs' $(run_tests) $(slow_tests)

# --- the real JDK as the judge (test/jdk/oracle/README.md) -----------------------------------------

ORACLE_RANDOM = 10000
ORACLE_SEED = 1
oracle_objects = $(call objects,$(filter-out %/main.cpp,$(wildcard test/jdk/oracle/*.cpp)))
oracle = ORACLE_SCRATCH='$(B)/oracle' \
	ORACLE_JAVA='$(JAVA) -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp $(B)/oracle Oracle' \
	$(B)/test/jdk/oracle/oracle

.PHONY: oracle oracle-golden
oracle: $(B)/test/jdk/oracle/oracle
	@if ! command -v $(JAVA) >/dev/null || ! command -v $(JAVAC) >/dev/null; then \
		echo 'make: $(JAVA) or $(JAVAC) is not here: nothing was compared with a real JDK'; exit 0; fi; \
	mkdir -p $(B)/oracle && $(JAVAC) -encoding UTF-8 -d $(B)/oracle test/jdk/oracle/*.java && \
	{ $(oracle) compare test/jdk/oracle/scenarios/*.scenario; written=$$?; \
	$(oracle) random $(ORACLE_SEED) $(ORACLE_RANDOM) && exit $$written; }

# The golden transcripts, which `make check` compares with: recorded again from the JDK.
oracle-golden: $(B)/test/jdk/oracle/oracle
	$(Q)mkdir -p $(B)/oracle test/jdk/oracle/golden
	$(Q)$(JAVAC) -encoding UTF-8 -d $(B)/oracle test/jdk/oracle/*.java
	$(Q)$(oracle) record 1 500

$(B)/test/jdk/oracle/oracle: $(B)/obj/test/jdk/oracle/main.o $(oracle_objects) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) -o $@

$(B)/test/jdk/oracle_golden_test: $(oracle_objects)

# --- benchmarks -----------------------------------------------------------------------------------

# For example `make bench BENCH_FLAGS=--benchmark_filter=queue`.
BENCH_FLAGS =

.PHONY: bench
bench: $(B)/test/bench/jtimer_bench | $(filter check check-slow,$(MAKECMDGOALS))
	$< $(BENCH_FLAGS)

$(B)/test/bench/jtimer_bench: $(call objects,$(wildcard test/bench/*.cpp)) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) $(BENCHMARK_LIBS) -o $@

# Instructions, compared with test/bench/instructions.txt, which tells other flags apart by FLAGS.
bench_count = VALGRIND='$(VALGRIND)' FLAGS='$(strip $(CPPFLAGS) $(CXXFLAGS) $(SANITIZE_FLAGS))' \
	SCRATCH='$(B)/test/bench/count' test/bench/count/count.sh

.PHONY: bench-count bench-count-record
bench-count bench-count-record: $(B)/test/bench/count/count \
		| $(filter check check-slow,$(MAKECMDGOALS))
	@$(bench_count) $(if $(filter %-record,$@),record,compare) $<

$(B)/test/bench/count/count: $(call objects,$(wildcard test/bench/count/*.cpp)) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) -o $@

# --- jtimer beside other timers (doc/benchmarks.md) ----------------------------------------------

# Each peer's header, by which one sees whether it is here, and its libraries.
peers = jtimer jtimer_1ms poco asio boost_executor libuv
header_jtimer = jtimer/timer.hpp
header_jtimer_1ms = jtimer/timer.hpp
header_poco = Poco/Util/Timer.h
header_asio = boost/asio/steady_timer.hpp
header_boost_executor = boost/thread/executors/scheduled_thread_pool.hpp
header_libuv = uv.h
libs_jtimer = $(BOOST_THREAD_LIBS)
libs_jtimer_1ms = $(BOOST_THREAD_LIBS)
libs_poco = $(POCO_LIBS)
libs_boost_executor = $(BOOST_THREAD_LIBS)
libs_libuv = $(LIBUV_LIBS)

# For example `make bench-peers ROUNDS=1 WORKLOADS=W1,W4 PEERS=jtimer,jdk-timer`; QUICK=1 tries it
# all out in a minute. Only all workloads and peers in eight rounds or more change doc/benchmarks.md.
ROUNDS = 8
WORKLOADS =
PEERS =
QUICK =
peers_dir = $(B)/bench-peers
peer_programs = $(patsubst %,$(peers_dir)/%_peer,$(peers))
peers_whole = $(if $(WORKLOADS)$(PEERS)$(QUICK)$(filter 1 2 3 4 5 6 7,$(ROUNDS)),,--write doc)
bench_peers = $(peers_dir)/bench_peers --dir $(peers_dir) --java '$(JAVA)' --gnuplot '$(GNUPLOT)' \
	--goals test/bench/peers/goals.tsv

.PHONY: bench-peers bench-peers-programs bench-peers-report
bench-peers: bench-peers-programs
	$(bench_peers) --rounds $(ROUNDS) $(if $(WORKLOADS),--workloads $(WORKLOADS)) \
		$(if $(PEERS),--peers $(PEERS)) $(if $(QUICK),--quick) $(peers_whole)

# Once more from what was measured last.
bench-peers-report: $(peers_dir)/bench_peers
	$(bench_peers) --report-only --write doc

bench-peers-programs: $(peers_dir)/bench_peers $(peer_programs) $(peers_dir)/TimerPeers.class \
	| $(filter bench check check-slow,$(MAKECMDGOALS))

$(peers_dir)/bench_peers: $(call objects,$(wildcard test/bench/peers/runner*.cpp)) $(B)/link-flags
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CXX) $(filter %.o,$^) $(all_ldflags) $(BOOST_PROGRAM_OPTIONS_LIBS) -o $@

# A peer that is not here is left out; the next make looks again.
$(peer_programs): $(peers_dir)/%_peer: test/bench/peers/%_peer.cpp \
		$(call objects,test/bench/peers/measure.cpp) $(B)/libjtimer.a $(B)/flags
	@mkdir -p $(@D) $(B)/obj/test/bench/peers
	$(QUIET) PEER $@
	$(Q)if echo '#include <$(header_$*)>' | \
		$(CXX) $(all_cppflags) $(all_cxxflags) -fsyntax-only -x c++ - 2>/dev/null; then \
		$(compile) -MF $(B)/obj/test/bench/peers/$*_peer.d $< $(filter %.o,$^) $(B)/libjtimer.a \
			$(all_ldflags) $(libs_$*) -o $@; \
	else rm -f $@; \
		echo 'make: no <$(header_$*)> here: $* is left out ("make deps-bench" installs it)'; fi

$(peers_dir)/TimerPeers.class: $(wildcard test/bench/peers/*.java) | $(first)
	@mkdir -p $(@D)
	$(QUIET) JAVAC $@
	$(Q)if command -v $(JAVAC) >/dev/null; then $(JAVAC) -encoding UTF-8 -d $(@D) $^; \
	else echo 'make: no $(JAVAC) here: the JDK is left out ("make deps-bench" installs it)'; fi

# --- installing -----------------------------------------------------------------------------------

public_headers = $(patsubst include/%,%,$(wildcard include/jtimer/*.hpp include/jtimer/*/*.hpp))
header_dirs = $(sort $(dir $(public_headers)))
doc_files = $(wildcard README.md ChangeLog LICENSE)
doc_pages = $(wildcard doc/*.md)
doc_pictures = $(wildcard doc/benchmarks/*.svg)

# What a static jtimer needs besides itself.
private_libs = $(strip $(BOOST_LDFLAGS) $(BOOST_THREAD_LIBS) -pthread)
empty =
space = $(empty) $(empty)
from_cmake = $$(build-aux/relative-path '$(cmakedir)' '$(1)')
# A folder below the prefix, said by way of it, so that pkg-config can move it.
below_prefix = $(patsubst $(prefix)/%,$${prefix}/%,$(patsubst $(prefix),$${prefix},$(1)))

$(B)/settings: FORCE | $(first)
	$(call remember,$(VERSION) $(exec_prefix) $(private_libs) $(install_dirs))

$(addprefix $(B)/,$(package_files)): $(B)/%: build-aux/%.in $(B)/settings
	$(QUIET) GEN $@
	$(Q)sed -e 's|@VERSION@|$(VERSION)|g' -e 's|@SOVERSION@|$(SOVERSION)|g' \
		-e 's|@prefix@|$(prefix)|' -e 's|@exec_prefix@|$(call below_prefix,$(exec_prefix))|' \
		-e 's|@includedir@|$(call below_prefix,$(includedir))|' \
		-e 's|@libdir@|$(call below_prefix,$(libdir))|' \
		-e 's|@PRIVATE_LIBS@|$(private_libs)|' \
		-e 's|@PRIVATE_LIBS_LIST@|$(subst $(space),;,$(private_libs))|' \
		-e "s|@INCLUDE_FROM_CMAKE@|$(call from_cmake,$(includedir))|" \
		-e "s|@LIB_FROM_CMAKE@|$(call from_cmake,$(libdir))|" \
		-e 's|@SHARED_REAL@|$(shared_real)|g' -e 's|@SHARED_SONAME@|$(shared_soname)|' $< >$@

install_dirs = $(prefix) $(includedir) $(libdir) $(docdir) $(pkgconfigdir) $(cmakedir)

.PHONY: install uninstall check-dirs
check-dirs:
	@for dir in $(install_dirs); do case $$dir in /*) ;; \
		*) echo "make: install folders must be absolute, and $$dir is not" >&2; exit 1 ;; esac; done

install: all check-dirs | $(filter check check-slow,$(MAKECMDGOALS))
	$(QUIET) INSTALL '$(DESTDIR)$(prefix)'
	$(Q)$(INSTALL) -d $(patsubst %,'$(DESTDIR)$(includedir)/%',$(header_dirs)) '$(DESTDIR)$(libdir)' \
		'$(DESTDIR)$(pkgconfigdir)' '$(DESTDIR)$(cmakedir)' '$(DESTDIR)$(docdir)/doc'
	$(Q)for header in $(public_headers); do \
		$(INSTALL) -m 644 include/$$header '$(DESTDIR)$(includedir)'/$$header || exit 1; done
	$(Q)$(INSTALL) -m 644 $(B)/libjtimer.a $(B)/$(shared_real) '$(DESTDIR)$(libdir)'
	$(Q)ln -sf $(shared_real) '$(DESTDIR)$(libdir)/$(shared_soname)'
	$(Q)ln -sf $(shared_soname) '$(DESTDIR)$(libdir)/$(shared_link)'
	$(Q)$(INSTALL) -m 644 $(B)/jtimer.pc '$(DESTDIR)$(pkgconfigdir)'
	$(Q)$(INSTALL) -m 644 $(addprefix $(B)/,$(filter %.cmake,$(package_files))) '$(DESTDIR)$(cmakedir)'
	$(Q)$(INSTALL) -m 644 $(doc_files) '$(DESTDIR)$(docdir)'
	$(Q)$(INSTALL) -m 644 $(doc_pages) '$(DESTDIR)$(docdir)/doc'
	$(if $(doc_pictures),$(Q)$(INSTALL) -d '$(DESTDIR)$(docdir)/doc/benchmarks' && \
		$(INSTALL) -m 644 $(doc_pictures) '$(DESTDIR)$(docdir)/doc/benchmarks')

# Takes away the files that install has put and, where nothing else is in them, the folders named
# jtimer.
uninstall: check-dirs
	$(QUIET) UNINST '$(DESTDIR)$(prefix)'
	$(Q)rm -f $(patsubst %,'$(DESTDIR)$(includedir)/%',$(public_headers)) \
		$(patsubst %,'$(DESTDIR)$(libdir)/%',libjtimer.a $(shared_real) $(shared_soname) $(shared_link)) \
		'$(DESTDIR)$(pkgconfigdir)/jtimer.pc' '$(DESTDIR)$(cmakedir)/jtimerConfig.cmake' \
		'$(DESTDIR)$(cmakedir)/jtimerConfigVersion.cmake' \
		$(patsubst %,'$(DESTDIR)$(docdir)/%',$(doc_files) $(doc_pages) $(doc_pictures))
	$(Q)for dir in $(patsubst %,'$(DESTDIR)$(includedir)/%',$(call reverse,$(header_dirs))) \
		'$(DESTDIR)$(cmakedir)' '$(DESTDIR)$(docdir)/doc/benchmarks' '$(DESTDIR)$(docdir)/doc' \
		'$(DESTDIR)$(docdir)'; do \
		if [ -d "$$dir" ]; then rmdir "$$dir" 2>/dev/null || :; fi; done

reverse = $(if $(1),$(call reverse,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))

# --- distributing, documenting --------------------------------------------------------------------

.PHONY: dist doc
dist_name = jtimer-$(VERSION)

# What is committed, and ./configure where autoconf is there to make it.
dist: | $(first)
	$(Q)if command -v $(AUTOCONF) >/dev/null; then $(MAKE) --no-print-directory configure; \
		else echo 'make: no $(AUTOCONF) here: the archive gets no ./configure' >&2; fi
	$(Q)git diff --quiet HEAD || echo 'make: what is not committed is not in the archive' >&2
	$(QUIET) DIST $(dist_name).tar.gz
	$(Q)git archive --prefix=$(dist_name)/ $$(if command -v $(AUTOCONF) >/dev/null; \
		then echo --add-file=configure; fi) HEAD >$(dist_name).tar
	$(Q)gzip -9nf $(dist_name).tar

require = $(Q)command -v $(1) >/dev/null || \
	{ echo 'make: $(1) is not here; "make deps-dev" installs it' >&2; exit 1; }

configure: configure.ac include/jtimer/version.hpp | $(first)
	$(call require,$(AUTOCONF))
	$(QUIET) AUTOCONF $@
	$(Q)$(AUTOCONF) -W all

doc: | $(first)
	$(call require,$(DOXYGEN))
	$(QUIET) DOXYGEN build/doc/html/index.html
	$(Q)mkdir -p build && rm -rf build/doc
	$(Q)printf '%s\n' '@INCLUDE = doc/Doxyfile' 'PROJECT_NUMBER = $(VERSION)' \
		'OUTPUT_DIRECTORY = build/doc' | $(DOXYGEN) -

# --- tidying --------------------------------------------------------------------------------------

formatted = $(shell find include lib samples test -name '*.[ch]pp' 2>/dev/null | sort)

.PHONY: format check-format clean distclean help
format:
	$(CLANG_FORMAT) -i $(formatted)

check-format: | $(first)
	$(CLANG_FORMAT) --dry-run -Werror $(formatted)

clean:
	rm -rf build

distclean: clean
	rm -rf configure configure~ config.log config.status config.mak.autogen autom4te.cache \
		jtimer-*.tar.gz

define help_text
Usage: make [GOAL...] [SETTING=VALUE...], for example `make deps check'

  all            (the default) the libraries, pkg-config and CMake files, in build/
  deps           installs what this machine lacks for all, demo, check (apt-get, dnf, pacman, brew)
  deps-dev       the same, and for bench, doc, configure and .ci/run
  deps-bench     the same as deps, and for bench-peers (Poco, libuv, a JDK, gnuplot)
  demo           runs build/samples/run_schedule on samples/demo.schedule for five seconds
  samples        builds all samples, in build/samples/
  check          builds and runs all fast tests
  check-slow     builds and runs the real-time and stress tests
  oracle         plays scenarios on a real java.util.Timer and on jtimer, and compares (a JDK)
  oracle-golden  records what the JDK does, for check, in test/jdk/oracle/golden/
  bench          builds and runs the benchmarks (Google Benchmark)
  bench-count    counts instructions, and fails where they grew by more than 3% (valgrind);
                 bench-count-record writes them down, in test/bench/instructions.txt
  bench-peers    measures jtimer beside other timers, an hour long; ROUNDS= WORKLOADS= PEERS=
  bench-peers-report  writes doc/benchmarks.md again from what that has measured
  install        installs below prefix (/usr/local); DESTDIR is put before every path
  uninstall      removes what install has put there
  configure      makes ./configure, which nobody needs (autoconf)
  doc            the reference, in build/doc/html/index.html (doxygen)
  dist           jtimer-$(VERSION).tar.gz of what is committed
  format         formats the sources (clang-format); check-format only looks
  clean          removes build/; distclean also what configure and dist have made

Settings: CXX CPPFLAGS CXXFLAGS LDFLAGS AR BOOST_CPPFLAGS BOOST_LDFLAGS V=1
SANITIZE=thread|address|undefined DESTDIR prefix exec_prefix includedir libdir docdir
pkgconfigdir cmakedir; see doc/building.md.
endef

help:
	$(info $(help_text)) @:

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
