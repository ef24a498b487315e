# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: which lines and branches of the library its fast tests run. Each of the others
# needs a reason, in test/coverage/uncovered.txt. PARTS=go looks at one folder, PARTS=cluster at
# lib/cluster, which needs PostgreSQL.

covered_tests = $(filter $(PARTS:%=$(B)/test/%/%),$(tests) $(filter-out %/stress_test,$(cluster_programs)))

.PHONY: coverage
ifeq ($(COVERED),yes)
$(covered_tests): $(B)/obj/test/coverage/exit.o

coverage: $(covered_tests)
	@find $(B)/obj -name '*.gcda' -exec rm {} +
	@$(if $(filter cluster,$(PARTS)),$(server_programs) && TEST_JOBS=1) $(run_tests) $(call suites,$(covered_tests))
	@GCOVR='$(GCOVR)' $(PYTHON) test/coverage/coverage.py $(B)/obj $(if $(filter command%,$(origin PARTS)),$(PARTS))
else
coverage: | $(first)
	$(call require,$(GCOVR))
	$(call require,$(PYTHON))
	@$(MAKE) COVERED=yes coverage
endif
