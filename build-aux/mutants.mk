# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: test/mutants, changes of one line, which a test should see. The same SEED, by
# default the date, draws the same ones. PARTS=cluster needs PostgreSQL.

COUNT = 20
PARTS = jdk netty brpc go tokio sync thread clock data calendar
MUTANTS_SECONDS = 36000

.PHONY: mutants players
mutants:
	$(call require,$(PYTHON))
	$(Q)$(PYTHON) -B test/mutants/mutants.py --seed $(or $(SEED),$$(date +%Y%m%d)) --count $(COUNT) --parts $(PARTS) \
		--seconds $(MUTANTS_SECONDS)

# Which of them does each random player of a timer see alone?
players: COUNT = 24
players:
	$(call require,$(PYTHON))
	$(Q)$(PYTHON) -B test/mutants/players.py --seed $(or $(SEED),$$(date +%Y%m%d)) --count $(COUNT)
