# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: the unit tests of a folder are compiled up to eight at a time, as suites of one
# program. That halves the time, because most of what g++ compiles is the same for each. Each still
# runs in a process of its own. A file that cannot be a suite says so, and why, in its first comment.
# `make build/test/jdk/purge_test` compiles one file alone, GROUPED=no each of them.
grouped_folders = brpc calendar clock data go jdk netty sync thread tokio $(if $(WINDOWS),,tools)
# Words such as jdk/group1:purge_test.
grouped_suites := $(if $(filter yes,$(GROUPED)),$(shell \
	$(if $(WINDOWS),LEFT_OUT='$(posix_only)') build-aux/test-groups 8 $(grouped_folders)))
group_of = $(firstword $(subst :, ,$(1)))
test_of = $(dir $(1))$(lastword $(subst :, ,$(1)))

groups := $(addprefix $(B)/test/,$(sort $(foreach suite,$(grouped_suites),$(call group_of,$(suite)))))
grouped = $(foreach suite,$(grouped_suites),$(B)/test/$(call test_of,$(suite)))

# What run_tests.sh is to run of the programs $(1).
suites = $(foreach program,$(1),$(or $(filter $(program):%,$(addprefix $(B)/test/,$(grouped_suites))),$(program)))

# A suite is a namespace, so the includes of all files come before the suites.
tests_here = $(foreach suite,$(filter $(*:test/%=%):%,$(grouped_suites)),$(call test_of,$(suite)))
$(groups:$(B)/%=$(B)/obj/%.cpp): $(B)/obj/%.cpp: FORCE
	$(call rewrite,{ grep -hE '^# *(if|el|endif|include)' $(tests_here:%=test/%.cpp); for test in $(tests_here); do \
		printf 'BOOST_AUTO_TEST_SUITE(%s)\n#include "%s.cpp"\nBOOST_AUTO_TEST_SUITE_END()\n' $${test##*/} $$test; \
	done; })

# g++ warns of an anonymous namespace that it believes to be a header's.
group_flags := $(shell $(CXX) -Wno-subobject-linkage -Werror -fsyntax-only -x c++ /dev/null 2>/dev/null && \
	echo -Wno-subobject-linkage)
$(groups:$(B)/%=$(B)/obj/%.o): private test_flags += $(group_flags)
$(groups:$(B)/%=$(B)/obj/%.o): $(B)/obj/%.o: $(B)/obj/%.cpp
	$(QUIET) CXX '$*'
	$(Q)$(compile) $(test_flags) -c $< -o $@
