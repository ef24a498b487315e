# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: comparison with a real JDK, see test/jdk/oracle/README.md.

ORACLE_RANDOM = 10000
ORACLE_SEED = 1
oracle_objects = $(call objects,$(filter-out %/main.cpp,$(wildcard test/jdk/oracle/*.cpp)))
# setPeriod sets a private field of java.util.TimerTask. Java 8 needs no --add-opens, and ignores it.
oracle_jvm = -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+IgnoreUnrecognizedVMOptions \
	--add-opens=java.base/java.util=ALL-UNNAMED
oracle = ORACLE_SCRATCH='$(B)/oracle' \
	ORACLE_JAVA='$(JAVA) $(oracle_jvm) -cp $(B)/oracle Oracle' \
	$(B)/test/jdk/oracle/oracle

.PHONY: oracle oracle-golden
oracle: $(B)/test/jdk/oracle/oracle
	@if ! command -v $(JAVA) >/dev/null || ! command -v $(JAVAC) >/dev/null; then \
		echo 'make: $(JAVA) or $(JAVAC) not found: nothing was compared with a real JDK'; exit 0; fi; \
	mkdir -p $(B)/oracle && $(JAVAC) -encoding UTF-8 -d $(B)/oracle test/jdk/oracle/*.java && \
	{ $(oracle) compare test/jdk/oracle/scenarios/*.scenario; written=$$?; \
	$(oracle) random $(ORACLE_SEED) $(ORACLE_RANDOM) && exit $$written; }

# Records the golden transcripts, with which `make check` compares, from the JDK.
oracle-golden: $(B)/test/jdk/oracle/oracle
	$(Q)mkdir -p $(B)/oracle test/jdk/oracle/golden
	$(Q)$(JAVAC) -encoding UTF-8 -d $(B)/oracle test/jdk/oracle/*.java
	$(Q)$(oracle) record 1 100

$(B)/test/jdk/oracle/oracle: $(B)/obj/test/jdk/oracle/main.o $(oracle_objects) $(tested_lib)
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) -o $@

$(B)/test/jdk/oracle_golden_test: $(oracle_objects)
