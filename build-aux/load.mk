# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: test/load, a million tasks under churn in each of ROOMS, for SECONDS each; TASKS= for
# fewer.

$(B)/test/load/load: $(call objects,$(wildcard test/load/*.cpp)) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) -o $@

.PHONY: load
load: $(B)/test/load/load
	@failed=; for room in $(ROOMS); do \
		$(B)/test/load/load $$room $(or $(SECONDS),3600) $(TASKS) || failed="$$failed $$room"; \
	done; [ -z "$$failed" ] || { echo "make: load has failed in:$$failed" >&2; exit 1; }
