# SPDX-License-Identifier: Apache-2.0
# Files of kernels as tables of lines, for programs of `sinter compile`
# (src/aot/tuned/tuned.h): without includes of sinter's own, guards, and what
# comes after the line "programs of `sinter compile` have nothing from here on";
# files *.inc and headers of tiles where they are included first.  base/num.h,
# which has to be replaced, stays.  Usage: sh tools/tuned_text.sh
set -eu

# table NAME FILE...: -FILE is in another table.
table() {
    name=$1
    shift
    printf '\nconst char *const sn_tuned_text_%s[] = {\n' "$name"
    awk '
        function show(name,   s, q, held, have, head) {
            head = name ~ /\.h$/
            seen[name] = 1
            while ((getline s < name) > 0) {
                if (s ~ /programs of `sinter compile` have nothing from here/) {
                    head = 0
                    break
                }
                if (s ~ /^\/\/ SPDX/ || (head && s ~ /^#(ifndef|define) SN_[A-Z0-9_]*_H$/))
                    continue
                if (have)
                    print held
                have = 0
                split(s, q, "\"")
                if (s ~ /^#include ".*(\.inc|tile_rows\.h|conv_256\.h|conv_avx2\.h|conv_vnni\.h)"/) {
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
table types src/kernel/sizes.h $c/conv_run.h $c/conv_wino.h
table run $c/conv_run.c
table wino $c/conv_wino.c
table avx2 $c/conv_avx2.c
table avx2_wino -src/kernel/tile_rows.h -$c/conv_256.h -$c/conv_avx2.h $c/conv_wino_avx2.c
table vnni $c/conv_vnni.c
table vnni_dw -$c/conv_vnni.h $c/conv_vnni_dw.c
table neon $c/conv_neon.c
p=src/kernel/point
table sum_types $p/sum_q8.h
table sum $p/sum_q8.c
table sum_avx2 $p/sum_q8_avx2.c
table sum_avx512 $p/sum_q8_avx512.c
