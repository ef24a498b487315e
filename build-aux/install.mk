# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: the manual pages, install and uninstall.

# Those of libjtimer-cluster are installed with it.
public_headers = $(filter-out jtimer/cluster.hpp jtimer/cluster/%,$(patsubst include/%,%, \
	$(wildcard $(addprefix include/jtimer/,*.hpp */*.hpp */*/*.hpp))))
header_dirs = $(sort $(dir $(public_headers)))
# The pages, and what they link to.
doc_files = ChangeLog LICENSE $(wildcard *.md $(addprefix doc/,*.md */*.md */*.svg */*.png) \
	$(foreach suffix,md cpp java,samples/*.$(suffix) samples/*/*.$(suffix)) \
	$(addprefix test/,*.md */*.md */*/*.md)) tools/run_schedule/demo.schedule \
	$(addprefix packaging/,docker/Dockerfile docker/compose.yaml docker/schedule/schedule kubernetes.yaml \
	kubernetes-cluster.yaml systemd/run_schedule.service)
doc_dirs = $(filter-out ./,$(sort $(foreach dir,$(dir $(doc_files)),$(dir) $(dir $(dir:/=)))))

# Each page of doc/reference is also a manual page: of section 3, or of section 1 if it is a tool's.
# Those of libjtimer-cluster and its command are made and installed with it.
reference = $(patsubst doc/reference/%.md,%,$(wildcard doc/reference/*.md))
tool_pages = $(addsuffix .1,$(filter run_schedule,$(reference)))
library_pages = $(addsuffix .3,$(filter-out run_schedule jtimer_cluster jtimer-cluster,$(reference)))
tools_if_wanted = $(if $(filter-out no,$(TOOLS)),$(1))
man_pages = $(library_pages) $(call tools_if_wanted,$(tool_pages))

.PHONY: man
man: $(addprefix $(B)/man/,$(man_pages))

define make_page
	$(QUIET) MAN $@
	$(Q)mkdir -p $(@D) && build-aux/man-page $< $(subst .,,$(suffix $@)) >$@
endef

page_maker = build-aux/man-page build-aux/version include/jtimer/version.hpp
$(B)/man/%.1: doc/reference/%.md $(page_maker)
	$(make_page)

$(B)/man/%.3: doc/reference/%.md $(page_maker)
	$(make_page)

# What a program needs to link the static library.
private_libs = $(strip $(BOOST_LDFLAGS) $(BOOST_THREAD_LIBS) -pthread)
empty =
space = $(empty) $(empty)
from_cmake = $$(build-aux/relative-path '$(cmakedir)' '$(1)')
# A directory below the prefix, expressed relative to it, so that pkg-config can relocate it.
below_prefix = $(patsubst $(prefix)/%,$${prefix}/%,$(patsubst $(prefix),$${prefix},$(1)))

$(B)/settings: FORCE | $(first)
	$(call remember,$(VERSION) $(exec_prefix) $(private_libs) $(install_dirs))

edit_package = sed -e 's|@VERSION@|$(VERSION)|g' -e 's|@SOVERSION@|$(SOVERSION)|g' \
	-e 's|@prefix@|$(prefix)|' -e 's|@exec_prefix@|$(call below_prefix,$(exec_prefix))|' \
	-e 's|@includedir@|$(call below_prefix,$(includedir))|' \
	-e 's|@libdir@|$(call below_prefix,$(libdir))|' \
	-e 's|@PRIVATE_LIBS@|$(private_libs)|' \
	-e 's|@PRIVATE_LIBS_LIST@|$(subst $(space),;,$(private_libs))|' \
	-e "s|@INCLUDE_FROM_CMAKE@|$(call from_cmake,$(includedir))|" \
	-e "s|@LIB_FROM_CMAKE@|$(call from_cmake,$(libdir))|" \
	-e 's|@SHARED_REAL@|$(shared_real)|g' -e 's|@SHARED_SONAME@|$(shared_soname)|' -e 's|@SHARED_MORE@||'

$(addprefix $(B)/,$(package_files)): $(B)/%: build-aux/%.in $(B)/settings
	$(QUIET) GEN $@
	$(Q)$(edit_package) $< >$@

install_dirs = $(prefix) $(bindir) $(includedir) $(libdir) $(docdir) $(mandir) $(pkgconfigdir) \
	$(cmakedir) $(bashcompletiondir)

.PHONY: install install-library install-tools install-strip uninstall check-dirs
check-dirs:
	@for dir in $(install_dirs); do case $$dir in /*) ;; \
		*) echo "make: install folders must be absolute, and $$dir is not" >&2; exit 1 ;; esac; done

# What is installed is stripped; the second name is what others call that.
install install-strip: install-library $(call tools_if_wanted,install-tools)

install-library: all check-dirs | $(filter check check-slow,$(MAKECMDGOALS))
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
	$(Q)$(INSTALL) -m 644 $(addprefix $(B)/man/,$(library_pages)) '$(DESTDIR)$(mandir)/man3'
	$(Q)for file in $(doc_files); do \
		$(INSTALL) -m 644 $$file '$(DESTDIR)$(docdir)'/$$file || exit 1; done

install-tools: all check-dirs | $(filter check check-slow,$(MAKECMDGOALS))
	$(QUIET) INSTALL '$(DESTDIR)$(bindir)/run_schedule'
	$(Q)$(INSTALL) -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(mandir)/man1' '$(DESTDIR)$(bashcompletiondir)'
	$(Q)$(INSTALL) -m 755 $(B)/tools/run_schedule '$(DESTDIR)$(bindir)'
	$(Q)$(STRIP) '$(DESTDIR)$(bindir)/run_schedule'
	$(Q)$(INSTALL) -m 644 $(addprefix $(B)/man/,$(tool_pages)) '$(DESTDIR)$(mandir)/man1'
	$(Q)$(INSTALL) -m 644 tools/run_schedule/completion.bash '$(DESTDIR)$(bashcompletiondir)/run_schedule'
	$(Q)ln -sf run_schedule '$(DESTDIR)$(bindir)/run-schedule'
	$(Q)ln -sf run_schedule.1 '$(DESTDIR)$(mandir)/man1/run-schedule.1'
	$(Q)ln -sf run_schedule '$(DESTDIR)$(bashcompletiondir)/run-schedule'

# Removes the installed files and, if they are empty then, the directories named jtimer.
uninstall: check-dirs
	$(QUIET) UNINST '$(DESTDIR)$(prefix)'
	$(Q)rm -f $(patsubst %,'$(DESTDIR)$(includedir)/%',$(public_headers)) \
		$(patsubst %,'$(DESTDIR)$(libdir)/%',libjtimer.a $(shared_real) $(shared_soname) $(shared_link)) \
		'$(DESTDIR)$(pkgconfigdir)/jtimer.pc' '$(DESTDIR)$(cmakedir)/jtimerConfig.cmake' \
		'$(DESTDIR)$(cmakedir)/jtimerConfigVersion.cmake' \
		$(foreach name,run_schedule run-schedule,'$(DESTDIR)$(bindir)/$(name)' \
		'$(DESTDIR)$(bashcompletiondir)/$(name)') '$(DESTDIR)$(mandir)/man1/run-schedule.1' \
		$(patsubst %,'$(DESTDIR)$(mandir)/man1/%',$(tool_pages)) \
		$(patsubst %,'$(DESTDIR)$(mandir)/man3/%',$(library_pages)) \
		$(patsubst %,'$(DESTDIR)$(docdir)/%',$(doc_files))
	$(Q)for dir in $(patsubst %,'$(DESTDIR)$(includedir)/%',$(call reverse,$(header_dirs))) \
		'$(DESTDIR)$(cmakedir)' $(patsubst %,'$(DESTDIR)$(docdir)/%',$(call reverse,$(doc_dirs))) \
		'$(DESTDIR)$(docdir)'; do \
		if [ -d "$$dir" ]; then rmdir "$$dir" 2>/dev/null || :; fi; done

reverse = $(if $(1),$(call reverse,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
