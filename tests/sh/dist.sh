#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make dist: the same bytes whatever times and modes the files have and from
# the tree that the tarball unpacks to.  .ci/run checks that make check passes
# in such a tree.
MAKE=${MAKE:-make}
suite=dist
. tests/sh_case.sh
dist() { # DIRECTORY: its tarball, as $tar
    (cd "$1" && "$MAKE" -s --no-print-directory dist BUILD=build) >"$tmp/log" 2>&1 || return 1
    tar=$1/$(tail -n 1 "$tmp/log")
}
version=$("$BUILD/sinter" --version | sed 's/^sinter //')

# The tree as it is, without its repository.
mkdir "$tmp/tree"
sh tools/files.sh >"$tmp/list" && cp -p --parents $(cat "$tmp/list") "$tmp/tree"
say $? "the tree is listed"
dist "$tmp/tree"
say $? "a tarball is made"
[ "$(basename "$tar")" = "sinter-$version.tar.gz" ]
say $? "its name is sinter-$version.tar.gz"
tar tzf "$tar" | sed "s|^sinter-$version/||" | cmp - "$tmp/list" >"$tmp/log" 2>&1
say $? "it has the files of the tree and no others"
for f in LICENSE CHANGELOG.md CONTRIBUTING.md README.md Makefile; do
    grep -qx "$f" "$tmp/list"
    say $? "it has $f"
done
tar xzf "$tar" -C "$tmp"
dist "$tmp/sinter-$version"
cmp "$tar" "$tmp/tree/build/sinter-$version.tar.gz" >"$tmp/log" 2>&1
say $? "the unpacked tree makes the same tarball"
find "$tmp/sinter-$version" -type f ! -name CHANGELOG.md -exec touch {} + -exec chmod go-r,g+w {} +
dist "$tmp/sinter-$version"
cmp "$tar" "$tmp/tree/build/sinter-$version.tar.gz" >"$tmp/log" 2>&1
say $? "times and modes of files do not change it"
(cd "$tmp/tree" && SOURCE_DATE_EPOCH=1 "$MAKE" -s --no-print-directory dist BUILD=build) >"$tmp/log" 2>&1
TZ=UTC tar tvzf "$tmp/tree/build/sinter-$version.tar.gz" >"$tmp/log" &&
    ! grep -qv ' 1970-01-01 00:00 ' "$tmp/log"
say $? "SOURCE_DATE_EPOCH gives its time"
grep -q "^## $version" CHANGELOG.md
say $? "CHANGELOG.md has this version"
[ "$(awk '/^## / { print $2; exit }' CHANGELOG.md)" = "$version" ]
say $? "CHANGELOG.md begins with this version"
exit $bad
