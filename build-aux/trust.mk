# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: what tries to break the library, and takes longer than `make check` may.

# Mutants: changes of one line, which a test should see. The same SEED draws the same ones.
SEED = $(shell date +%Y%m%d)
COUNT = 20
PARTS = jdk netty brpc go tokio sync thread clock data
MUTANTS_SECONDS = 36000

.PHONY: mutants
mutants:
	$(call require,$(PYTHON))
	$(Q)$(PYTHON) test/mutants/mutants.py --seed $(SEED) --count $(COUNT) --parts $(PARTS) \
		--seconds $(MUTANTS_SECONDS)
