# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

# Part of the Makefile: packages, and releases.

# Archives of the last commit, built as Debian would.
.PHONY: deb deb-source check-deb
deb: dist
	$(call require,dpkg-buildpackage)
	$(call require,dh)
	$(call require,lintian)
	$(Q)packaging/build-deb $(dist_name).tar.gz

deb-source: dist
	$(call require,dpkg-buildpackage)
	$(call require,lintian)
	$(Q)packaging/build-deb $(dist_name).tar.gz source

# Builds the packages on a fresh Debian 12, and installs and uses them on another (root, debootstrap).
check-deb: | $(first)
	$(call require,debootstrap)
	$(Q)build-aux/check-distros --packages bookworm

# Refuses unless everything holds that a release promises; else packs the archive and creates the tag.
.PHONY: release
release: | $(first)
	$(Q)build-aux/release
