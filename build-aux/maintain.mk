# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile, for maintainers: the archive, the reference, the tests of each behaviour,
# formatting, clang-tidy, cppcheck.

.PHONY: dist doc
dist_name = jtimer-$(VERSION)

# Packs the last commit, and ./configure if autoconf is installed.
dist: | $(first)
	$(call require,git)
	$(Q)git rev-parse --verify --quiet HEAD >/dev/null 2>&1 || \
		{ echo 'make: dist packs the last commit of a git clone, and this is none' >&2; exit 1; }
	$(Q)if command -v $(AUTOCONF) >/dev/null; then $(MAKE) --no-print-directory configure; \
		else echo 'make: no $(AUTOCONF) found: the archive will have no ./configure' >&2; fi
	$(Q)git diff --quiet HEAD || echo 'make: uncommitted changes are not in the archive' >&2
	$(QUIET) DIST $(dist_name).tar.gz
	$(Q)git archive --prefix=$(dist_name)/ $$(if command -v $(AUTOCONF) >/dev/null; \
		then echo --add-file=configure; fi) HEAD >$(dist_name).tar
	$(Q)gzip -9nf $(dist_name).tar

require = $(Q)command -v $(1) >/dev/null || \
	{ echo 'make: $(1) not found; "make deps $@" installs it' >&2; exit 1; }

configure: configure.ac build-aux/version include/jtimer/version.hpp | $(first)
	$(call require,$(AUTOCONF))
	$(QUIET) AUTOCONF $@
	$(Q)$(AUTOCONF) -W all

doc: | $(first)
	$(call require,$(DOXYGEN))
	$(QUIET) DOXYGEN build/doc/html/index.html
	$(Q)rm -rf build/doc && mkdir -p build/doc && build-aux/list-samples >build/doc/samples.dox
	$(Q)sed -e 's|](\([a-z_]*\.md\))|](doc/reference/\1)|g' -e 's|](\.\./|](doc/|g' \
		doc/reference/jtimer-cluster.md >build/doc/jtimer_cluster_command.md
	$(Q)printf '%s\n' '@INCLUDE = doc/Doxyfile' 'PROJECT_NUMBER = $(VERSION)' \
		'OUTPUT_DIRECTORY = build/doc' 'INPUT += build/doc/samples.dox build/doc/jtimer_cluster_command.md' '$(DOXYGEN_SETTINGS)' | \
		$(DOXYGEN) -
	$(Q)build-aux/check-links build/doc/html

# Writes the column of tests in doc/internals/behaviour.md from their names; `make check` compares.
.PHONY: behaviour
behaviour:
	$(Q)mkdir -p $(B) && $(PYTHON) build-aux/behaviour >$(B)/behaviour.md && cp $(B)/behaviour.md doc/internals

# Records the exported names, with which `make check-install` compares, also for the Debian package.
.PHONY: exports
exports: $(B)/$(shared_link)
	$(call record_exports,)

# $(1): nothing, or -cluster
define record_exports
	build-aux/list-exports $< >build-aux/exports$(1).txt
	packaging/deb-symbols packaging/debian/libjtimer$(1)$(SOVERSION).symbols $(1:-%=%) >$(B)/symbols
	$(Q)cp $(B)/symbols packaging/debian/libjtimer$(1)$(SOVERSION).symbols
endef

formatted = $(shell find include lib samples tools test -name '*.[ch]pp' 2>/dev/null | sort)

.PHONY: format check-format tidy cppcheck
format: | $(first)
	$(call require,$(CLANG_FORMAT))
	$(CLANG_FORMAT) -i $(formatted)

check-format: | $(first)
	$(call require,$(CLANG_FORMAT))
	$(Q)$(CLANG_FORMAT) --dry-run -Werror $(formatted)

# How each file is compiled, for editors and clang-tidy: the sources $(1), with the flags $(2).
quoted = $(subst ",\",$(subst \,\\,$(1)))
commands = $(foreach source,$(1),printf '%s\n' '{ "directory": "$(CURDIR)", "file": "$(source)", \
	"command": "$(call quoted,$(CXX) $(all_cppflags) $(all_cxxflags) $(2) -c $(source))" },';)

compile_commands.json: FORCE | $(first)
	$(QUIET) GEN $@
	$(Q){ echo '['; { $(call commands,$(lib_sources),-Ilib -fPIC) \
		$(call commands,$(cluster_lib_sources),-Ilib -fPIC $(libpq_cppflags)) \
		$(call commands,$(shell find test -name '*.cpp'),$(test_flags) $(libpq_cppflags)) \
		$(call commands,$(shell find samples tools -name '*.cpp'),-Ilib $(libpq_cppflags)) } | sed '$$s/,$$//'; echo ']'; } >$@

# .clang-tidy lists the checks. Nearly all of the time goes to headers, so each folder is read as one
# unit, in which each main() has a name of its own. Without libpq, only what needs none.
tidied = $(lib_sources) $(if $(libpq_cppflags),$(cluster_lib_sources),$(cluster_sources)) \
	$(shell find samples tools -name '*.cpp' $(if $(libpq_cppflags),,-not -path '*cluster*'))

clang_tidy = $(or $(CLANG_TIDY),$(shell command -v clang-tidy-19 2>/dev/null),clang-tidy)
tidy: | $(first)
	$(call require,$(clang_tidy))
	$(Q)rm -rf $(B)/tidy; n=0; for source in $(tidied); do \
		unit=$(B)/tidy/$${source%/*}.cpp; mkdir -p $${unit%/*}; n=$$((n + 1)); \
		printf '#define main main%d\n#include "%s"  // NOLINT(bugprone-suspicious-include)\n#undef main\n' \
			$$n $$source >>$$unit; done
	$(Q)find $(B)/tidy -name '*.cpp' | xargs -P $$(nproc 2>/dev/null || echo 2) -I {} \
		$(clang_tidy) --quiet {} -- $(all_cppflags) -std=c++17 -Ilib -I. $(libpq_cppflags)

# Not the tests: it does not know the macros of Boost.Test, and skips the files that use them.
cppcheck: | $(first)
	$(call require,$(CPPCHECK))
	$(Q)$(CPPCHECK) --quiet --error-exitcode=1 --std=c++17 --language=c++ \
		--enable=warning,performance,portability --suppressions-list=build-aux/cppcheck.txt \
		-U_WIN32 -U__APPLE__ -Iinclude -Ilib -Itools lib samples tools

# Everything but the benchmarks, for other compilers and versions of C++: half the time of a build.
.PHONY: check-syntax
check-syntax: | $(first)
	$(Q)printf '%s\n' $(lib_sources) $(cluster_sources) $(cluster_tests) $(shell find test samples \
		tools -name '*.cpp' -not -path 'test/bench/*' -not -path 'test/windows/*' -not -path '*cluster*') | \
		xargs -P $$(nproc 2>/dev/null || echo 2) -n 1 \
		$(CXX) $(all_cppflags) $(all_cxxflags) $(test_flags) -fsyntax-only

# What takes too long for .ci/run; CONTRIBUTING.md says why it can wait.
.PHONY: nightly
nightly:
	$(MAKE) check-shaken
	$(MAKE) model
	$(MAKE) explore
	$(MAKE) simulate FROM=$$(date +%Y%m%d)00000
	$(MAKE) deps coverage
	$(MAKE) bench-count
	$(MAKE) mutants
	$(MAKE) deps fuzz SECONDS=300
	$(MAKE) load SECONDS=600
	$(MAKE) oracle ORACLE_RANDOM=100000
	$(MAKE) deps-cluster check-cluster-slow
	$(MAKE) rolling-update DURATION=300
	$(MAKE) stress-cluster DURATION=300
	$(MAKE) mutants PARTS=cluster
	$(MAKE) deps deb
	$(MAKE) deps check-no-linux
	$(MAKE) deps check-libcxx
	$(MAKE) deps check-arm64
	$(MAKE) deps check-s390x
	$(MAKE) deps check-windows
	$(MAKE) check-syntax CXXFLAGS='-Werror -std=c++2b'
	$(MAKE) check-syntax CXX=clang++ CXXFLAGS='-Werror -std=c++2b'
	THOROUGH=yes $(MAKE) check check-install HARDENED=yes CXXFLAGS='-O2 -g -Werror'
	THOROUGH=yes $(MAKE) check check-install CXX=clang++ B=build/clang PRECOMPILED=no GROUPED=no CXXFLAGS='-O2 -g -Werror'
