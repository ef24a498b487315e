#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# `make release`, in a small project that breaks one rule at a time, and then none. Its Makefile
# stands in for ours. Where there is no git, as in an unpacked archive, nothing can be released.
set -u

. test/support/cases.sh
unset MAKEFLAGS MAKELEVEL MFLAGS
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a \
    GIT_COMMITTER_EMAIL=a

project=$tmp/project
mkdir -p "$project/build-aux" "$project/include/jtimer" "$project/packaging/debian" \
    "$project/packaging/vcpkg/jtimer"
cp build-aux/release build-aux/version "$project/build-aux"
printf '#define JTIMER_VERSION_%s\n' 'MAJOR 1' 'MINOR 2' 'PATCH 3' >"$project/include/jtimer/version.hpp"
printf '1.2.3 (2026-01-31)\n\n  New\n' >"$project/ChangeLog"
echo 'jtimer (1.2.3-1) unstable; urgency=medium' >"$project/packaging/debian/changelog"
printf '{\n  "version-semver": "1.2.3",\n}\n' >"$project/packaging/vcpkg/jtimer/vcpkg.json"
# shellcheck disable=SC2016 # the other shell expands it
printf '#!/bin/sh\nprintf "prefix = %%s\\n" "${1#--prefix=}" >settings\n' >"$project/configure"
chmod +x "$project/configure"
cat >"$project/Makefile" <<'END'
-include settings
all:
	! git rev-parse HEAD
check:
	test -e checked-in
check-install:
	test -e installs
dist:
	git archive --prefix=jtimer-1.2.3/ -o jtimer-1.2.3.tar.gz HEAD
install:
	mkdir -p $(prefix) && touch $(prefix)/a $(prefix)/b
uninstall:
	rm -f $(prefix)/a $(prefix)/b
END
printf '/settings\n/*.tar.gz\n' >"$project/.gitignore"
touch "$project/checked-in" "$project/installs"

git_() { git -C "$project" "$@"; }
commit() { git_ add -A && git_ commit -qm "$1"; }
has_git() { git --version; }

release() { (cd "$project" && sh build-aux/release) >"$tmp/said" 2>&1; }
says() { grep -qF -e "$1" "$tmp/said" || { cat "$tmp/said" && return 1; }; }
is_refused_for() {
    ! release && says "release: refused, because this does not hold: $1" &&
        test -z "$(git_ tag | grep -v '^v1\.0\.0$')"
}

# Breaks a rule by the command $1, which changes files; $2 is what release must say.
breaking() {
    eval "$1" && commit broken && is_refused_for "$2" && git_ reset -q --hard HEAD~1
}

outside_of_a_clone_nothing_is_released() {
    has_git || return 0
    (GIT_CEILING_DIRECTORIES=$tmp && export GIT_CEILING_DIRECTORIES && ! release) &&
        says 'does not hold: this is a commit of a git clone' &&
        git_ init -q && commit project && git_ tag v1.0.0
}

each_broken_rule_is_named_and_nothing_is_tagged() {
    has_git || return 0
    cd "$project" || return 1
    echo >>ChangeLog && is_refused_for 'nothing is uncommitted' && git_ checkout -q . &&
        touch new && is_refused_for 'nothing is uncommitted' && rm new || return 1
    dated='the ChangeLog begins with 1.2.3 and a date that is not in the future'
    for heading in '1.2.3 (not released)' '1.2.3 (3026-01-01)' '1.2.2 (2026-01-31)' '1.2.3'; do
        breaking "sed -i.bak '1s/.*/$heading/' ChangeLog && rm ChangeLog.bak" "$dated" || return 1
    done
    breaking 'echo "jtimer (1.2.2-1) unstable;" >packaging/debian/changelog' \
        'packaging/debian/changelog begins with 1.2.3' &&
        breaking 'echo "{}" >packaging/vcpkg/jtimer/vcpkg.json' \
            'packaging/vcpkg/jtimer/vcpkg.json says 1.2.3' &&
        breaking 'echo "dist: ; false" >Makefile' 'the archive is packed' &&
        breaking 'rm configure' 'the archive has a ./configure' &&
        breaking 'echo "exit 1" >configure' 'in the archive, without git: ./configure' &&
        breaking 'rm checked-in' 'in the archive, without git: make check' &&
        breaking 'rm installs' 'in the archive, without git: make check-install' &&
        breaking 'sed -i.bak "s/rm -f .*/:/" Makefile && rm Makefile.bak' \
            'nothing is left of the installation'
}

a_release_is_packed_and_tagged_and_only_once() {
    has_git || return 0
    release && says 'as v1.2.3' && says 'packed jtimer-1.2.3.tar.gz' &&
        test "$(git_ rev-parse 'v1.2.3^{commit}')" = "$(git_ rev-parse HEAD)" &&
        test "$(git_ cat-file -t v1.2.3)" = tag && test -e "$project/jtimer-1.2.3.tar.gz" || return 1
    ! release && says 'does not hold: the tag v1.2.3 is new'
}

check outside_of_a_clone_nothing_is_released
check each_broken_rule_is_named_and_nothing_is_tagged
check a_release_is_packed_and_tagged_and_only_once
sum_up
