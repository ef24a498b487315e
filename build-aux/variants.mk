# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: builds for a purpose, each in a folder of its own.

# SANITIZE=thread, address, undefined, or address,undefined builds everything again, in a folder of
# its own.
SANITIZE =
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
endif

# So does SHAKEN=yes, for check-shaken: with a call of test/support/hold_up.cpp at each branch.
SHAKEN =
ifeq ($(SHAKEN),yes)
B = build/shaken
SHAKEN_FLAGS = -fsanitize-coverage=trace-pc
endif
