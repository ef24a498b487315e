# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: the pictures in doc/pictures, which are drawn from runs of the timers.

$(B)/test/pictures/record: $(call objects,$(wildcard test/pictures/*.cpp)) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) -o $@

# For example `make pictures PICTURES=wheel`. `lateness` takes a minute, and differs from run to run;
# RECORD=no draws what was recorded.
PICTURES =

.PHONY: pictures
pictures: $(B)/test/pictures/record
	@GNUPLOT='$(GNUPLOT)' test/pictures/draw.sh $< $(PICTURES)
