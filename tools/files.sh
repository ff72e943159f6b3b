#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lists the files of the source tree, one a line, sorted: those that git tracks,
# or, in an unpacked tarball, all except built files.  Called by make dist and
# tools/lint.sh from the root of the tree.
. "${0%/*}/help.sh"
set -eu
if [ -e .git ]; then
    files=$(git ls-files)
else
    files=$(find . -path ./build -prune -o -type f -print | sed 's|^\./||')
fi
printf '%s\n' "$files" | LC_ALL=C sort
