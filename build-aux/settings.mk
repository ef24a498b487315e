# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# The settings and their defaults, listed here only: for the Makefile, for build-aux/install-deps, which
# reads them without make, and for configure, which writes those that it knows to config.mak.autogen. So a
# line is NAME = VALUE, without functions of make. doc/building.md and doc/internals/goals.md explain each.

CXX = g++
AR = ar
STRIP = strip
CPPFLAGS =
# -g1 names functions and lines in reports and backtraces, and takes a quarter less time than -g.
CXXFLAGS = -O2 -g1
LDFLAGS =
WARNINGS = -Wall -Wextra -Wshadow -Wconversion -Wpedantic
# Boost.Test takes most of the time of the unit tests: these come last for them.
TEST_CXXFLAGS = -O0 -g1
BOOST_CPPFLAGS =
BOOST_LDFLAGS =
BOOST_THREAD_LIBS = -lboost_thread -lboost_chrono
BOOST_TEST_LIBS = -lboost_unit_test_framework
BOOST_PROGRAM_OPTIONS_LIBS = -lboost_program_options
BENCHMARK_LIBS = -lbenchmark
# Empty: as build-aux/libpq finds them.
LIBPQ_CPPFLAGS =
LIBPQ_LIBS =
POCO_LIBS = -lPocoUtil -lPocoFoundation
LIBUV_LIBS = -luv
LIBEVENT_LIBS = -levent_core
TOOLS = yes
HTTP = yes
GROUPED = yes
# Empty: by what is built, see variants.mk, precompiled.mk and units.mk.
ASSERTIONS =
PRECOMPILED =
UNITS =
SANITIZE =
HARDENED =
# What runs programs of another processor than this one.
EMULATOR =

NETTY_JAR = /usr/share/java/netty-common.jar
QUARTZ_JARS = /usr/share/java
CARGO_REGISTRY = /usr/share/cargo/registry
INSTALL = install
CLANG_FORMAT = clang-format
# Empty: clang-tidy-19 if there is one, else clang-tidy.
CLANG_TIDY =
CPPCHECK = cppcheck
DOXYGEN = doxygen
AUTOCONF = autoconf
VALGRIND = valgrind
GCOVR = gcovr
GNUPLOT = gnuplot
PYTHON = python3
JAVA = java
JAVAC = javac
SPIN = spin
GO = go
CARGO = cargo
NODE = node
CHROMIUM = chromium

prefix = /usr/local
exec_prefix = $(prefix)
bindir = $(exec_prefix)/bin
includedir = $(prefix)/include
libdir = $(exec_prefix)/lib
datarootdir = $(prefix)/share
docdir = $(datarootdir)/doc/jtimer
mandir = $(datarootdir)/man
pkgconfigdir = $(libdir)/pkgconfig
cmakedir = $(libdir)/cmake/jtimer
bashcompletiondir = $(datarootdir)/bash-completion/completions
