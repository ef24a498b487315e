# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: builds for a purpose, each in a folder of its own.

# SANITIZE=thread, address, undefined, or address,undefined builds everything again, in a folder of
# its own.
comma = ,
sanitizers = $(subst $(comma), ,$(SANITIZE))
ifneq ($(filter-out thread address undefined,$(sanitizers)),)
$(error SANITIZE=$(SANITIZE): expected thread, address or undefined)
endif
ifeq ($(SANITIZE),)
B = build
else
B = build/$(subst $(comma),-,$(SANITIZE))
SANITIZE_FLAGS = -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all
# What g++ defines, and tests ask for.
ifneq ($(findstring clang,$(CXX)),)
SANITIZE_FLAGS += $(if $(filter address,$(sanitizers)),-D__SANITIZE_ADDRESS__) \
	$(if $(filter thread,$(sanitizers)),-D__SANITIZE_THREAD__)
# clang++ before 17 cannot compile each coroutine with it: "Cannot represent a difference across sections".
$(B)/obj/samples/tokio/%.o: SANITIZE_FLAGS += $(if $(filter undefined,$(sanitizers)),-fno-sanitize=function)
endif
endif

# So does SHAKEN=yes, for check-shaken: with a call of test/support/hold_up.cpp at each branch.
SHAKEN =
ifeq ($(SHAKEN),yes)
B = build/shaken
SHAKEN_FLAGS = -fsanitize-coverage=trace-pc
endif

# So does HARDENED=yes: with checks of the standard library's preconditions, of buffers and of the
# stack. The unit tests have no _FORTIFY_SOURCE, which needs optimization, and no build has it that
# is sanitized: the sanitizers would not see what it checks.
ifeq ($(HARDENED),yes)
HARDENED_FLAGS = -D_GLIBCXX_ASSERTIONS -fstack-protector-strong
ifeq ($(SANITIZE),)
B = build/hardened
fortify = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE
# Before g++ 12 and glibc 2.34 there is no level 3.
fortify_level := $(shell $(CXX) -O2 -Werror $(fortify)=3 -include cstdlib -fsyntax-only -x c++ /dev/null \
	2>/dev/null && echo 3 || echo 2)
HARDENED_FLAGS += $(fortify)=$(fortify_level)
HARDENED_TEST_FLAGS = -U_FORTIFY_SOURCE
endif
endif

# So does FUZZED=yes, for `make fuzz`: with libFuzzer's counters and both of these sanitizers.
FUZZED =
ifeq ($(FUZZED),yes)
B = build/fuzz
SANITIZE_FLAGS = -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer \
	-fno-sanitize-recover=all
endif

# So does COVERED=yes, for `make coverage`: with g++'s counters of the library's lines and branches.
COVERED =
ifeq ($(COVERED),yes)
B = build/covered
SANITIZE_FLAGS = --coverage -fprofile-update=atomic -O0 -fprofile-filter-files=^lib/\;^./lib/\;^include/
endif

# So does WINDOWS=yes, for `make check-windows`: with MinGW, for wine. See windows.mk.
WINDOWS =
ifeq ($(WINDOWS),yes)
B = build/windows
EMULATOR = wine
MINGW = x86_64-w64-mingw32
CXX = $(MINGW)-g++-posix
AR = $(MINGW)-ar
# Windows 10. Boost's headers without the rest of /usr/include.
CPPFLAGS = -D_WIN32_WINNT=0x0A00 -isystem $(B)/include
# It has Boost.Test, too, but no library of it: test/support/main.cpp.
BOOST_THREAD_LIBS = -lmincore
BOOST_TEST_LIBS =
TOOLS = no
# Programs that bring all that they need. g++ would add .exe to their names; the linker does not.
LDFLAGS = -static -Wl,-o,$@
endif

# ASSERTIONS=yes: everything checks the library's own promises (lib/sync/assert.hpp), as each build above
# does. In the plain build only the tests do, which for that are linked with a library of their own: what
# is installed checks nothing. ASSERTIONS=no: nothing does, as in `make coverage`, where each assertion
# would be a branch that no test takes.
assertions = $(or $(ASSERTIONS),$(if $(COVERED),no,$(if $(SANITIZE)$(SHAKEN)$(HARDENED)$(FUZZED),yes,tests)))
ifeq ($(filter yes tests no,$(assertions)),)
$(error ASSERTIONS=$(ASSERTIONS): expected yes, tests or no)
endif
lib_assertions = $(if $(filter yes,$(assertions)),-DJTIMER_ASSERTIONS)
test_assertions = $(if $(filter tests,$(assertions)),-DJTIMER_ASSERTIONS)
tested_lib = $(if $(filter tests,$(assertions)),$(B)/asserted/libjtimer.a,$(B)/libjtimer.a)
