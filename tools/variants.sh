#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the C function that calls every function which registers a variant of
# kernels (src/kernel/variant.h).  Usage: variants.sh FILE.c ...
. "${0%/*}/help.sh"
set -eu
fns=$(cat "$@" | sed -n 's/^\(sn_register_[a-z0-9_]*\)(void)$/\1/p' |
    LC_ALL=C sort -u)
echo '/* Written by tools/variants.sh from the sources of kernels. */'
echo '#include "kernel/variant.h"'
echo
for fn in $fns; do echo "void $fn(void);"; done
printf '\nvoid\nsn_variants_register(void)\n{\n'
for fn in $fns; do echo "    $fn();"; done
echo '}'
