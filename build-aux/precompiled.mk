# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: precompiled headers, one for the library and one for its unit tests. They hold
# Boost's headers, which take half of the time of a unit of the library. PRECOMPILED=no does without
# them, PRECOMPILED=tests without that of the library: the default with a sanitizer, where g++ 12
# warns of std::string's own code if that comes from a precompiled header.
precompiled_headers = $(or $(PRECOMPILED),$(if $(SANITIZE),tests,yes))
precompiled_lib = $(if $(filter yes,$(precompiled_headers)),$(B)/obj/lib/precompiled.hpp)
precompiled = $(if $(filter yes tests,$(precompiled_headers)),$(B)/obj/test/support/precompiled.hpp)

# With the header in memory, g++ soon collects garbage, which takes a tenth of the time of a unit test.
# One needs 350 MB, and eight at a time 1,200 MB, with or without that. clang++ does not know the parameter.
no_collection := $(shell $(CXX) --param ggc-min-heapsize=1000000 -Werror -fsyntax-only -x c++ /dev/null \
	2>/dev/null && echo --param ggc-min-heapsize=1000000)

# clang++ compiles the functions of the header once, into an object of their own, where g++ compiles
# in each unit those that it uses. That saves a fifth of the time of a unit test.
codegen := $(shell flags='-fpch-instantiate-templates -fpch-codegen'; \
	$(CXX) $$flags -Werror -fsyntax-only -x c++ /dev/null 2>/dev/null && echo $$flags)
# Of the flags, it needs no -stdlib=.
unused_flags = -Wno-unused-command-line-argument
precompiled_object = $(if $(codegen),$(precompiled:%.hpp=%.o))
with_precompiled = $(precompiled:%=-include %) $(no_collection)

$(B)/obj/lib/precompiled.hpp.gch: private compile_header = $(compile_lib)
$(B)/obj/test/support/precompiled.hpp.gch: test/support/test.hpp
$(B)/obj/test/support/precompiled.hpp.gch: private compile_header = $(compile) $(test_flags) $(TEST_CXXFLAGS) \
	$(HARDENED_TEST_FLAGS) $(codegen)
$(B)/obj/test/support/precompiled.o: $(B)/obj/test/support/precompiled.hpp.gch
	$(QUIET) CXX $<
	$(Q)$(CXX) $(all_cxxflags) $(TEST_CXXFLAGS) $(HARDENED_TEST_FLAGS) $(unused_flags) -c $< -o $@

# The header itself is copied beside it: g++ occasionally cannot map the compiled one at the address
# where it was made, and then includes the copy.
$(B)/obj/%/precompiled.hpp.gch: %/precompiled.hpp $(B)/flags
	$(QUIET) CXX $<
	@mkdir -p $(@D) && cp $< $(@:.gch=)
	$(Q)$(compile_header) -x c++-header $< -o $@
