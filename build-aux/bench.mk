# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Part of the Makefile: the benchmarks.

# For example `make bench BENCH_FLAGS=--benchmark_filter=queue`.
BENCH_FLAGS =

.PHONY: bench
bench: $(B)/test/bench/jtimer_bench | $(filter check check-slow,$(MAKECMDGOALS))
	$< $(BENCH_FLAGS)

$(B)/test/bench/jtimer_bench: $(call objects,$(wildcard test/bench/*.cpp)) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) $(BENCHMARK_LIBS) -o $@

# Compares instruction counts with test/bench/instructions.txt, which records the flags as FLAGS.
bench_count = VALGRIND='$(VALGRIND)' FLAGS='$(strip $(CPPFLAGS) $(filter-out -Werror,$(CXXFLAGS)) $(SANITIZE_FLAGS))' \
	SCRATCH='$(B)/test/bench/count' test/bench/count/count.sh

.PHONY: bench-count bench-count-record
bench-count bench-count-record: $(B)/test/bench/count/count \
		| $(filter check check-slow,$(MAKECMDGOALS))
	@$(bench_count) $(if $(filter %-record,$@),record,compare) $<

$(B)/test/bench/count/count: $(call objects,$(wildcard test/bench/count/*.cpp)) $(B)/libjtimer.a
	$(QUIET) LINK $@
	@mkdir -p $(@D)
	$(Q)$(link) $(BOOST_THREAD_LIBS) -o $@

# jtimer beside other timers: doc/benchmarks.md.

# Each *_peer.cpp. header_NAME tells whether the timer is installed, libs_NAME are its libraries; a
# peer without them is one of jtimer's own.
peers = $(patsubst test/bench/peers/%_peer.cpp,%,$(wildcard test/bench/peers/*_peer.cpp))
header_poco = Poco/Util/Timer.h
header_asio = boost/asio/steady_timer.hpp
header_boost_executor = boost/thread/executors/scheduled_thread_pool.hpp
header_libuv = uv.h
header_libevent = event2/event.h
libs_poco = $(POCO_LIBS)
libs_asio =
libs_libuv = $(LIBUV_LIBS)
libs_libevent = $(LIBEVENT_LIBS)
header_of = $(or $(header_$(1)),jtimer/timer.hpp)
libs_of = $(if $(filter undefined,$(origin libs_$(1))),$(BOOST_THREAD_LIBS),$(libs_$(1)))

# For example `make bench-peers ROUNDS=1 WORKLOADS=W1,W4 PEERS=jtimer,jdk-timer`; QUICK=1 runs
# everything briefly, in a few minutes.
ROUNDS = 8
WORKLOADS =
PEERS =
QUICK =
comma = ,
peers_dir = $(B)/bench-peers
peer_programs = $(patsubst %,$(peers_dir)/%_peer,$(peers))
go_peer = $(peers_dir)/go_peer
tokio_peer = $(peers_dir)/tokio_peer
bench_peers = $(PYTHON) test/bench/peers/bench_peers.py --dir $(peers_dir) --java '$(JAVA)' \
	--gnuplot '$(GNUPLOT)'

.PHONY: bench-peers bench-peers-programs bench-peers-report
bench-peers: bench-peers-programs
	$(bench_peers) --rounds $(ROUNDS) $(if $(WORKLOADS),--workloads $(subst $(comma), ,$(WORKLOADS))) \
		$(if $(PEERS),--peers $(subst $(comma), ,$(PEERS))) $(if $(QUICK),--quick)

# Rewrites the report from the last measurements.
bench-peers-report:
	$(bench_peers) --report-only

bench-peers-programs: $(peer_programs) $(peers_dir)/TimerPeers.class \
	$(peers_dir)/NettyTimer.class $(go_peer) $(tokio_peer) $(peers_dir)/core_sharing \
	| $(filter bench check check-slow,$(MAKECMDGOALS))

# A peer that is not installed is skipped; the next make looks again.
$(peer_programs): $(peers_dir)/%_peer: test/bench/peers/%_peer.cpp \
		$(call objects,test/bench/peers/measure.cpp) $(B)/libjtimer.a $(B)/flags
	@mkdir -p $(@D) $(B)/obj/test/bench/peers
	$(QUIET) PEER $@
	$(Q)if echo '#include <$(call header_of,$*)>' | \
		$(CXX) $(all_cppflags) $(all_cxxflags) -fsyntax-only -x c++ - 2>/dev/null; then \
		$(compile) -MF $(B)/obj/test/bench/peers/$*_peer.d $< $(filter %.o,$^) $(B)/libjtimer.a \
			$(all_ldflags) $(call libs_of,$*) -o $@; \
	else rm -f $@; \
		echo 'make: no <$(call header_of,$*)> found: skipping $* ("make deps-bench" installs it)'; fi

# Not a timer: tells bench_peers.py whether other processes share the cores.
$(peers_dir)/core_sharing: test/bench/peers/core_sharing.cpp $(B)/flags
	@mkdir -p $(@D) $(B)/obj/test/bench/peers
	$(QUIET) PEER $@
	$(Q)$(compile) -MF $(B)/obj/test/bench/peers/core_sharing.d $< $(all_ldflags) -o $@

$(peers_dir)/TimerPeers.class: $(wildcard test/bench/peers/*.java) | $(first)
	@mkdir -p $(@D)
	$(QUIET) JAVAC $@
	$(Q)if command -v $(JAVAC) >/dev/null; then $(JAVAC) -encoding UTF-8 -d $(@D) $^; \
	else echo 'make: no $(JAVAC) found: skipping the JDK ("make deps-bench" installs it)'; fi

$(peers_dir)/NettyTimer.class: test/bench/peers/netty/NettyTimer.java $(peers_dir)/TimerPeers.class
	$(QUIET) JAVAC $@
	$(Q)if command -v $(JAVAC) >/dev/null && [ -e '$(NETTY_JAR)' ]; then \
		ln -sf '$(NETTY_JAR)' $(@D)/netty.jar && \
		$(JAVAC) -encoding UTF-8 -cp $(@D):'$(NETTY_JAR)' -d $(@D) $<; \
	else echo 'make: no $(NETTY_JAR) found: skipping Netty ("make deps-bench" installs it)'; fi

# Go caches compiled packages, here in a directory of its own.
$(go_peer): test/bench/peers/go_peer.go | $(first)
	@mkdir -p $(@D)
	$(QUIET) GO $@
	$(Q)if command -v $(GO) >/dev/null; then \
		GO111MODULE=off GOCACHE='$(abspath $(peers_dir))/go-cache' $(GO) build -o $@ $<; \
	else rm -f $@; echo 'make: no $(GO) found: skipping Go ("make deps-bench" installs it)'; fi

# The crates come from CARGO_REGISTRY. Everything that cargo writes stays in the directory of the
# programs.
crates_of_peers = --config 'source.crates-io.replace-with="here"' \
	--config 'source.here.directory="$(abspath $(CARGO_REGISTRY))"'

$(tokio_peer): $(wildcard test/bench/peers/tokio/*) | $(first)
	@mkdir -p $(@D)/tokio
	$(QUIET) CARGO $@
	$(Q)set -- '$(CARGO_REGISTRY)'/tokio-[0-9]*; rm -f $@; \
	if ! command -v $(CARGO) >/dev/null || ! [ -e "$$1" ]; then \
		echo 'make: no $(CARGO), or no Tokio in $(CARGO_REGISTRY): skipping Tokio ("make deps-bench" installs it)'; \
	else cp $^ $(@D)/tokio && rm -f $(@D)/tokio/Cargo.lock && \
		TOKIO_VERSION="$${1##*/tokio-}" $(CARGO) build --quiet --release --offline $(crates_of_peers) \
			--manifest-path $(@D)/tokio/Cargo.toml --target-dir $(@D)/tokio/target && \
		cp $(@D)/tokio/target/release/tokio_peer $@; fi
