# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: jtimer::cluster beside the bare statements of plain libpq, and beside Graphile
# Worker and Quartz where they are installed (doc/benchmarks/cluster.md).

bench_cluster = $(B)/bench-cluster/bench_cluster
bench_cluster_objects = $(call objects,$(wildcard test/bench/cluster/*.cpp))
# Quartz reaches the server by this port of the computer itself: JDBC knows no Unix sockets.
BENCH_PORT = 54329
GRAPHILE = $(B)/bench-cluster

$(bench_cluster_objects): private all_cppflags += $(libpq_cppflags)
$(bench_cluster_objects): $(B)/cluster-flags

$(bench_cluster): $(bench_cluster_objects) $(B)/libjtimer-cluster.a $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CXX) $(filter %.o,$^) $(B)/libjtimer-cluster.a $(B)/libjtimer.a $(all_ldflags) \
		$(libpq_libs) $(BOOST_THREAD_LIBS) -o $@

quartz_path = $(subst $(space),:,$(strip $(B)/bench-cluster $(addprefix $(QUARTZ_JARS)/,\
	$(addsuffix .jar,quartz2 postgresql HikariCP slf4j-api slf4j-nop))))

# What is not installed is left out.
$(B)/bench-cluster/QuartzPeer.class: test/bench/cluster/QuartzPeer.java | $(first)
	@mkdir -p $(@D)
	$(QUIET) JAVAC $@
	$(Q)if command -v $(JAVAC) >/dev/null && [ -e '$(QUARTZ_JARS)/quartz2.jar' ]; then \
		$(JAVAC) -encoding UTF-8 -cp '$(quartz_path)' -d $(@D) $<; \
	else echo 'make: no $(QUARTZ_JARS)/quartz2.jar found: skipping Quartz ("make deps-cluster bench-cluster" installs it)'; fi

# ROUNDS, WORKLOADS and QUICK are those of bench-peers.
.PHONY: bench-cluster
bench-cluster: $(bench_cluster) $(B)/test/cluster/with_server $(B)/bench-cluster/QuartzPeer.class \
		| $(filter bench check check-slow check-cluster,$(MAKECMDGOALS))
	@$(server_programs)
	@[ -e '$(GRAPHILE)/node_modules/graphile-worker' ] || \
		echo 'make: skipping Graphile Worker ("npm install --prefix $(GRAPHILE) graphile-worker@0.17" installs it)'
	@$(B)/test/cluster/with_server --fsync --port $(BENCH_PORT) $< --rounds $(ROUNDS) \
		$(if $(WORKLOADS),--workloads '$(WORKLOADS)') $(if $(QUICK),--quick) \
		$$([ ! -e '$(GRAPHILE)/node_modules/graphile-worker' ] || echo --graphile '$(abspath $(GRAPHILE))') \
		$$([ ! -e $(B)/bench-cluster/QuartzPeer.class ] || echo --quartz '$(quartz_path)')
