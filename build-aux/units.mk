# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: a folder of sources compiled as one unit. Most of the time of a source goes to
# headers, so a folder takes three to seven times as long source by source. What is installed has an object
# for each source, which shows that each includes what it uses; what is only tested need not show it again.
# UNITS=folders, the default with a sanitizer: the libraries and run_schedule; UNITS=files: only those
# libraries that nothing but the tests has.
units_of = $(or $(UNITS),$(if $(SANITIZE)$(SHAKEN)$(FUZZED),folders,files))
ifeq ($(filter files folders,$(units_of)),)
$(error UNITS=$(UNITS): expected files or folders)
endif

# What is linked for the sources $(1), of which $(2) is the unit.
objects_or_unit = $(if $(filter folders,$(units_of)),$(2),$(call objects,$(1)))

units = $(B)/obj/units
lib_folders = $(patsubst lib/%/,%,$(sort $(dir $(lib_sources))))
lib_units = $(lib_folders:%=$(units)/lib/%.o)
asserted_units = $(lib_folders:%=$(units)/asserted/%.o)

# Those of the unit that is being made: of build/obj/units/asserted/jdk.cpp, for instance, lib/jdk/*.cpp.
unit_sources = $(wildcard lib/$(basename $(@F))/*.cpp)
all_units = $(lib_units) $(asserted_units) $(addprefix $(units)/,lib/cluster.o failpoints/cluster.o \
	tools/run_schedule.o tools/text.o tools/cluster.o tools/page.o)
$(all_units:.o=.cpp): FORCE | $(first)
	$(call rewrite,printf '#include "%s"\n' $(unit_sources))

define compile_unit
	$(QUIET) CXX '$(@:$(units)/%.o=%)'
	@mkdir -p $(@D)
	$(Q)$(compile_lib) -I. $(1) $(precompiled_lib:%=-include %) -c $< -o $@
endef

$(units)/lib/%.o: $(units)/lib/%.cpp $(B)/flags $(precompiled_lib:%=%.gch)
	$(call compile_unit)

$(units)/asserted/%.o: $(units)/asserted/%.cpp $(B)/flags $(precompiled_lib:%=%.gch)
	$(call compile_unit,$(test_assertions))
