# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: the library on Windows, compiled by MinGW-w64 and run by wine; see variants.mk. The
# unit tests, with test/windows in the place of Boost.Thread. A case that needs what there is not, such as
# fork, is skipped, and counted; a file of such cases says that it is only for POSIX. The samples, compared
# with what they print elsewhere. And CMake's installed DLL and static library, each with a program.
wine_prefix = $(CURDIR)/build/windows/wine
on_wine = WINEDEBUG=-all WINEPREFIX='$(wine_prefix)' EMULATOR='$(EMULATOR)'

.PHONY: check-windows
ifneq ($(WINDOWS),yes)
check-windows:
	@$(install_deps) check-windows
	$(Q)mkdir -p build/windows/include && ln -sfn "$$(echo '#include <boost/version.hpp>' | \
		$(CXX) $(all_cppflags) -M -x c++ - | tr ' ' '\n' | sed -n 's,/version.hpp$$,,p')" build/windows/include/boost
	@$(MAKE) --no-print-directory WINDOWS=yes check-windows
else
# Asio's sockets.
$(B)/samples/tokio/asio_loop: private BOOST_THREAD_LIBS += -lws2_32 -lmswsock

check-windows: $(tests) samples
	$(Q)$(on_wine) wineboot -i >$(B)/wineboot.log 2>&1
	@echo "    left out: run_schedule with its tests and the fuzzers', the cluster, and the" \
		"$$(cat $(posix_tests) | grep -c '^BOOST_.*TEST_CASE') cases of $(posix_tests)"
	@$(on_wine) $(run_tests) test/samples/samples_test.sh test/windows/windows_test.sh $(call suites,$(tests))
endif
