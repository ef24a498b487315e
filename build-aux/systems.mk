# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: what other systems have, on this one. Each target builds and runs the fast tests
# that are programs, the samples, and the scripts that test run_schedule, in a folder of its own;
# doc/building.md has what came out. `make deps check-arm64` first installs what it needs.

.PHONY: check-no-linux check-libcxx check-arm64 check-s390x

# What depends on what was built, and on no more. Those of run_schedule start too many programs for an
# emulator, each of which it would translate.
built_scripts = $(wildcard test/samples/*_test.sh $(if $(EMULATOR),,test/tools/*_test.sh))
# Not test/interleave, whose engine plays the same orders everywhere.
built_tests = $(filter-out $(B)/test/interleave/%,$(tests))
.PHONY: check-built
check-built: samples tools $(without_http) $(built_tests)
	@$(run_tests) $(built_scripts) $(call suites,$(built_tests))

# With the assertions everywhere, so that one library serves all.
built_here = UNITS=folders ASSERTIONS=yes
optimized = $(if $(filter command%,$(origin CXXFLAGS)),,CXXFLAGS='-O1 -Werror')
# clang++ 19 warns of a capture that has the name of the structured binding that it copies, and of what
# the headers of g++ 12 deprecate and use.
by_clang = $(built_here) $(optimized:%-Werror'=%-Werror -Wno-shadow -Wno-deprecated-declarations')

# As on macOS and the BSDs: without what only Linux has, though with this system's headers.
check-no-linux: | $(first)
	$(Q)$(MAKE) check-built B=$(B)/no-linux $(built_here) $(optimized) CPPFLAGS='$(CPPFLAGS) -U__linux__'

# LLVM's C++ library, in which a Date counts microseconds. Debian's Boost is built for another one; its
# headers before 1.79 use what C++17 has removed. The cluster is compiled with its tests, which
# need no server for that.
LIBCXX = clang++-19 -stdlib=libc++
libcxx = $(B)/libcxx
with_libcxx = B=$(libcxx) $(by_clang) CXX='$(LIBCXX)' \
	CPPFLAGS='$(CPPFLAGS) -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION' \
	BOOST_LDFLAGS='-L$(abspath $(libcxx))/boost $(BOOST_LDFLAGS)'
check-libcxx: | $(first)
	$(call require,$(firstword $(LIBCXX)))
	$(Q)CXX='$(LIBCXX)' build-aux/boost-from-source $(libcxx)/boost
	$(Q)$(MAKE) compile-cluster $(with_libcxx)
	$(Q)$(MAKE) check-built $(with_libcxx)

# The library of the cluster, and its tests, if libpq is there.
.PHONY: compile-cluster
ifneq ($(filter compile-cluster,$(MAKECMDGOALS)),)
compile-cluster: $(if $(libpq_libs),$(B)/libjtimer-cluster.a $(cluster_programs))
	@$(if $(libpq_libs),:,echo '    skipped: the cluster, as there is no libpq')
endif

# Other processors: the libraries of a cross compiler, and the emulator of QEMU that runs one program.
# clang++ takes a third of the time of the cross compiler itself. ARM orders memory weakly, though an
# emulator on x86 does not show it; s390x stores the highest byte first.
CROSS = clang++-19
check-arm64: triplet = aarch64-linux-gnu
check-arm64: qemu = qemu-aarch64
# clang++ 19 crashes when it makes an object of the tests' precompiled header for ARM64.
check-arm64: no_codegen = codegen=
check-s390x: triplet = s390x-linux-gnu
check-s390x: qemu = qemu-s390x

check-arm64 check-s390x: check-%: | $(first)
	$(call require,$(CROSS))
	$(call require,$(triplet)-g++)
	$(call require,$(qemu))
	$(Q)build-aux/foreign-boost $* $(B)/$*/boost
	$(Q)$(MAKE) check-built B=$(B)/$* $(by_clang) CXX='$(CROSS) --target=$(triplet)' AR=$(triplet)-ar \
		$(no_codegen) EMULATOR='$(qemu) -L /usr/$(triplet)' BOOST_CPPFLAGS='-isystem $(abspath $(B))/$*/boost/usr/include' \
		BOOST_LDFLAGS='-L$(abspath $(B))/$*/boost/usr/lib/$(triplet) -Wl,-rpath,$(abspath $(B))/$*/boost/usr/lib/$(triplet)'
