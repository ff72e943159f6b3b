# SPDX-License-Identifier: Apache-2.0
# Files of kernels as tables of lines, for programs of `sinter compile`
# (src/aot/tuned/tuned.h): without sinter's includes, guards, and what comes
# after the line "programs of `sinter compile` have nothing from here on"; files
# *.inc and headers of tiles where they are included first.  base/num.h, which
# has to be replaced, stays.  Usage: sh tools/tuned_text.sh
. "${0%/*}/help.sh"
set -eu

# table NAME FILE...: -FILE is in another table; of FILE#SECTION the part below
# "/* ---- SECTION ---- */", of FILE# the part above all of them.
table() {
    name=$1
    shift
    printf '\nconst char *const sn_tuned_text_%s[] = {\n' "$name"
    awk '
        function show(arg,   s, q, held, have, head, name, part, in_part) {
            split(arg, q, "#")
            name = q[1]
            part = arg ~ /#/ ? "/* ---- " q[2] " ---- */" : ""
            in_part = part == "/* ----  ---- */" || part == ""
            head = name ~ /\.h$/
            seen[arg] = 1
            while ((getline s < name) > 0) {
                if (s ~ /programs of `sinter compile` have nothing from here/) {
                    head = 0
                    break
                }
                if (part != "" && s ~ /^\/\* ---- /) {
                    in_part = s == part
                    continue
                }
                if (!in_part || s ~ /^\/\/ SPDX/ || (head && s ~ /^#(ifndef|define) SN_[A-Z0-9_]*_H$/))
                    continue
                if (have)
                    print held
                have = 0
                split(s, q, "\"")
                if (s ~ /^#include ".*(\.inc|tile_rows\.h|conv_256\.h|conv_avx2\.h|conv_vnni\.h|codes_avx2\.h|codes_avx512\.h)"/) {
                    if (!seen["src/" q[2]])
                        show("src/" q[2])
                } else if (s !~ /^#include "/ || s ~ /base\/num\.h/) {
                    held = s
                    have = 1
                }
            }
            if (have && !(head && held == "#endif"))
                print held
            close(name)
        }
        BEGIN {
            for (i = 1; i < ARGC; i++)
                if (ARGV[i] ~ /^-/)
                    seen[substr(ARGV[i], 2)] = 1
                else if (!seen[ARGV[i]])
                    show(ARGV[i])
        }' -- "$@" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/    "&",/'
    echo '    0,'
    echo '};'
}

echo '/* Lines of files that programs of sinter compile have; made by'
echo ' * tools/tuned_text.sh. */'
echo '#include "aot/tuned/tuned.h"'
c=src/kernel/conv
table sizes src/kernel/sizes.h
table types $c/conv_run.h $c/conv_wino.h
table run $c/conv_run.c
table wino $c/conv_wino.c
table avx2 $c/conv_avx2.c
table avx2_wino -src/kernel/tile_rows.h -$c/conv_256.h -$c/conv_avx2.h $c/conv_wino_avx2.c
table vnni $c/conv_vnni.c
table vnni_dw -$c/conv_vnni.h $c/conv_vnni_dw.c
table neon $c/conv_neon.c
p=src/kernel/point
table shared_types $p/sum_q8.h $p/quant_q8.h $p/pool_q8.h
table sum $p/sum_q8.c
table quant $p/quant_q8.c
table pool $p/pool_q8.c# $p/pool_q8.c#pool
for part in max avg lrn; do table $part $p/pool_q8.c#$part; done
for set in avx2 avx512; do
    table head_$set $p/shared_q8_$set.c#
    for part in sum quant max avg lrn; do table ${part}_$set $p/shared_q8_$set.c#$part; done
done
