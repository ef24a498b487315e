# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: the pictures in doc/pictures, which are drawn from runs of the timers.

$(B)/test/pictures/record: $(call objects,$(wildcard test/pictures/*.cpp)) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) -o $@

# For example `make pictures PICTURES=wheel`. `lateness` takes a minute and `cost` ten, and both differ
# from run to run; RECORD=no draws what was recorded. `cost` leaves out timers that are not installed:
# `make deps-bench` installs them.
PICTURES =

.PHONY: pictures
pictures: $(B)/test/pictures/record $(B)/tools/run_schedule
pictures: $(if $(filter no,$(RECORD)),,$(if $(filter cost,$(or $(PICTURES),cost)),bench-peers-programs))
	@GNUPLOT='$(GNUPLOT)' PYTHON='$(PYTHON)' PEERS='$(peers_dir)' RECORD='$(RECORD)' RUN_SCHEDULE='$(B)/tools/run_schedule' \
		test/pictures/draw.sh $(B)/test/pictures/record $(PICTURES)
