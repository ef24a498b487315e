# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: the unit tests of a folder are compiled six at a time, as suites of one
# program. That halves the time, because most of what g++ compiles is the same for each. Each still
# runs in a process of its own. A file that cannot be a suite says so, and why, in its first comment.
# `make build/test/jdk/purge_test` compiles one file alone, GROUPED=no each of them.
grouped_folders = brpc calendar clock data go jdk netty sync thread tokio tools
ungrouped := $(shell grep -l '^// A program of its own' test/*/*_test.cpp)

# The groups, and the files of each in a variable of its own, $(group)_files.
groups =
define add_group
groups += $(1)
$(1)_files = $(2)
endef
# $(1): a folder; $(2): its files without a group; $(3): a word for each group that it has
add_groups = $(if $(2),$(eval $(call add_group,$(B)/test/$(1)/group$(words x $(3)),$(wordlist 1,6,$(2)))) \
	$(call add_groups,$(1),$(wordlist 7,$(words $(2)),$(2)),x $(3)))
ifeq ($(GROUPED),yes)
$(foreach folder,$(grouped_folders),$(call add_groups,$(folder),\
	$(filter-out $(ungrouped),$(wildcard test/$(folder)/*_test.cpp))))
endif
grouped = $(foreach group,$(groups),$(patsubst %.cpp,$(B)/%,$($(group)_files)))

# What run_tests.sh is to run of the programs $(1).
suites = $(foreach program,$(1),$(or $(patsubst %.cpp,$(program):%,$(notdir $($(program)_files))),$(program)))

# A suite is a namespace, so the includes of all files come before the suites.
$(groups:$(B)/%=$(B)/obj/%.cpp): $(B)/obj/%.cpp: FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; { grep -hE '^# *(if|el|endif|include)' $($(B)/$*_files); \
	for file in $(patsubst test/%.cpp,%,$($(B)/$*_files)); do \
		printf 'BOOST_AUTO_TEST_SUITE(%s)\n#include "%s.cpp"\nBOOST_AUTO_TEST_SUITE_END()\n' $${file##*/} $$file; \
	done; } >$$new; if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

# g++ warns of an anonymous namespace that it believes to be a header's.
group_flags := $(shell $(CXX) -Wno-subobject-linkage -Werror -fsyntax-only -x c++ /dev/null 2>/dev/null && \
	echo -Wno-subobject-linkage)
$(groups:$(B)/%=$(B)/obj/%.o): private test_flags += $(group_flags)
$(groups:$(B)/%=$(B)/obj/%.o): $(B)/obj/%.o: $(B)/obj/%.cpp
	$(QUIET) CXX '$*'
	$(Q)$(compile) $(test_flags) -c $< -o $@
