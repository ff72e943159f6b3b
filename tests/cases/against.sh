#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# against.sh DIR [NAME...]: runs the cases of the tree's own declarations on
# the rules in DIR, which sinter-gen --no-prove -o DIR wrote from declarations
# that were altered.  Nodes must be the same: where DIR has other ones, build
# everything (make cases DEFDIR=.. GENFLAGS=--no-prove BUILD=..).
#   BUILD: a built tree with its tests (make tests); CC, SAN as in the Makefile
# Exit status: 0 when every case holds, 1 when one does not or the rules stop a
# run, 2 when the rules do not compile or are of other nodes.
BUILD=${BUILD:-build}
dir=$1
shift
if ! cmp -s "$dir/sn_kinds.h" "$BUILD/gen/sn_kinds.h"; then
    echo "against: $dir has other nodes than $BUILD" >&2
    exit 2
fi
# shellcheck disable=SC2086
${CC:-gcc} -std=c11 -D_GNU_SOURCE -ffp-contract=off -O0 -w ${SAN:-} \
    -I"$dir" -Isrc -I. -I"$BUILD/gen" -r "$dir/sn_rules.c" "$dir/sn_where.c" \
    -nostdlib -o "$dir/rules.o" &&
    ${CC:-gcc} ${SAN:-} -o "$dir/run_cases" "$dir/rules.o" \
        "$BUILD/obj/made/gen/sn_cases.o" "$BUILD/obj/tests/cases/run_cases.o" \
        "$BUILD/libtest.a" "$BUILD/libsinter.a" \
        -lprotobuf-c -ljansson -lxxhash -lpthread -lm || exit 2
"$dir/run_cases" "$@" || exit 1
