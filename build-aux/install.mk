# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: the manual pages, install and uninstall.

public_headers = $(patsubst include/%,%, \
	$(wildcard $(addprefix include/jtimer/,*.hpp */*.hpp */*/*.hpp)))
header_dirs = $(sort $(dir $(public_headers)))
doc_files = $(wildcard README.md ChangeLog LICENSE doc/*.md doc/*/*.md doc/*/*.svg)
doc_dirs = $(filter-out ./,$(sort $(dir $(doc_files))))

# Each page of doc/reference is also a manual page of section 3.
man_pages = $(patsubst doc/reference/%.md,%.3,$(wildcard doc/reference/*.md))

.PHONY: man
man: $(addprefix $(B)/man/,$(man_pages))

$(B)/man/%.3: doc/reference/%.md build-aux/man-page build-aux/version include/jtimer/version.hpp
	$(QUIET) MAN $@
	$(Q)mkdir -p $(@D) && build-aux/man-page $< >$@

# What a program needs to link the static library.
private_libs = $(strip $(BOOST_LDFLAGS) $(BOOST_THREAD_LIBS) -pthread)
empty =
space = $(empty) $(empty)
from_cmake = $$(build-aux/relative-path '$(cmakedir)' '$(1)')
# A directory below the prefix, expressed relative to it, so that pkg-config can relocate it.
below_prefix = $(patsubst $(prefix)/%,$${prefix}/%,$(patsubst $(prefix),$${prefix},$(1)))

$(B)/settings: FORCE | $(first)
	$(call remember,$(VERSION) $(exec_prefix) $(private_libs) $(install_dirs))

$(addprefix $(B)/,$(package_files)): $(B)/%: build-aux/%.in $(B)/settings
	$(QUIET) GEN $@
	$(Q)sed -e 's|@VERSION@|$(VERSION)|g' -e 's|@SOVERSION@|$(SOVERSION)|g' \
		-e 's|@prefix@|$(prefix)|' -e 's|@exec_prefix@|$(call below_prefix,$(exec_prefix))|' \
		-e 's|@includedir@|$(call below_prefix,$(includedir))|' \
		-e 's|@libdir@|$(call below_prefix,$(libdir))|' \
		-e 's|@PRIVATE_LIBS@|$(private_libs)|' \
		-e 's|@PRIVATE_LIBS_LIST@|$(subst $(space),;,$(private_libs))|' \
		-e "s|@INCLUDE_FROM_CMAKE@|$(call from_cmake,$(includedir))|" \
		-e "s|@LIB_FROM_CMAKE@|$(call from_cmake,$(libdir))|" \
		-e 's|@SHARED_REAL@|$(shared_real)|g' -e 's|@SHARED_SONAME@|$(shared_soname)|' $< >$@

install_dirs = $(prefix) $(includedir) $(libdir) $(docdir) $(mandir) $(pkgconfigdir) $(cmakedir)

.PHONY: install uninstall check-dirs
check-dirs:
	@for dir in $(install_dirs); do case $$dir in /*) ;; \
		*) echo "make: install folders must be absolute, and $$dir is not" >&2; exit 1 ;; esac; done

install: all check-dirs | $(filter check check-slow,$(MAKECMDGOALS))
	$(QUIET) INSTALL '$(DESTDIR)$(prefix)'
	$(Q)$(INSTALL) -d $(patsubst %,'$(DESTDIR)$(includedir)/%',$(header_dirs)) '$(DESTDIR)$(libdir)' \
		'$(DESTDIR)$(pkgconfigdir)' '$(DESTDIR)$(cmakedir)' '$(DESTDIR)$(mandir)/man3' \
		$(patsubst %,'$(DESTDIR)$(docdir)/%',$(doc_dirs))
	$(Q)for header in $(public_headers); do \
		$(INSTALL) -m 644 include/$$header '$(DESTDIR)$(includedir)'/$$header || exit 1; done
	$(Q)$(INSTALL) -m 644 $(B)/libjtimer.a $(B)/$(shared_real) '$(DESTDIR)$(libdir)'
	$(Q)$(STRIP) -S -x '$(DESTDIR)$(libdir)/libjtimer.a' '$(DESTDIR)$(libdir)/$(shared_real)'
	$(Q)ln -sf $(shared_real) '$(DESTDIR)$(libdir)/$(shared_soname)'
	$(Q)ln -sf $(shared_soname) '$(DESTDIR)$(libdir)/$(shared_link)'
	$(Q)$(INSTALL) -m 644 $(B)/jtimer.pc '$(DESTDIR)$(pkgconfigdir)'
	$(Q)$(INSTALL) -m 644 $(addprefix $(B)/,$(filter %.cmake,$(package_files))) '$(DESTDIR)$(cmakedir)'
	$(Q)$(INSTALL) -m 644 $(addprefix $(B)/man/,$(man_pages)) '$(DESTDIR)$(mandir)/man3'
	$(Q)for file in $(doc_files); do \
		$(INSTALL) -m 644 $$file '$(DESTDIR)$(docdir)'/$$file || exit 1; done

# Removes the installed files and, if they are empty then, the directories named jtimer.
uninstall: check-dirs
	$(QUIET) UNINST '$(DESTDIR)$(prefix)'
	$(Q)rm -f $(patsubst %,'$(DESTDIR)$(includedir)/%',$(public_headers)) \
		$(patsubst %,'$(DESTDIR)$(libdir)/%',libjtimer.a $(shared_real) $(shared_soname) $(shared_link)) \
		'$(DESTDIR)$(pkgconfigdir)/jtimer.pc' '$(DESTDIR)$(cmakedir)/jtimerConfig.cmake' \
		'$(DESTDIR)$(cmakedir)/jtimerConfigVersion.cmake' \
		$(patsubst %,'$(DESTDIR)$(mandir)/man3/%',$(man_pages)) \
		$(patsubst %,'$(DESTDIR)$(docdir)/%',$(doc_files))
	$(Q)for dir in $(patsubst %,'$(DESTDIR)$(includedir)/%',$(call reverse,$(header_dirs))) \
		'$(DESTDIR)$(cmakedir)' $(patsubst %,'$(DESTDIR)$(docdir)/%',$(call reverse,$(doc_dirs))) \
		'$(DESTDIR)$(docdir)'; do \
		if [ -d "$$dir" ]; then rmdir "$$dir" 2>/dev/null || :; fi; done

reverse = $(if $(1),$(call reverse,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
