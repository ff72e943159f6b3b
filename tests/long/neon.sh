#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The NEON kernels equal the portable ones, bit for bit: built for aarch64,
# run by qemu.  AVX-VNNI: says whether this processor ran its kernels in
# test_kernel_conv, or whether they were only compiled.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
out=$BUILD/tests/neon
mkdir -p "$out"
if ! sh tools/deps.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user; then
    echo "skip neon: no cross compiler or emulator"
    exit 0
fi
sh tools/variants.sh src/kernel/conv/conv_neon.c src/kernel/conv/conv_ref.c \
    >"$out/sn_variants.c"
if ! aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -O2 -ffp-contract=off \
    -fno-strict-aliasing -Wall -Wextra -Wconversion -Werror -static -Isrc \
    -I"$BUILD/gen" -DXXH_INLINE_ALL \
    -o "$out/neon_check" tests/tools/neon_check.c src/kernel/conv/conv_neon.c \
    src/kernel/conv/conv_class.c src/kernel/conv/conv_pick.c src/kernel/conv/conv_plan.c \
    src/kernel/conv/conv_run.c src/kernel/conv/conv_ref.c src/kernel/conv/conv_wino.c \
    src/kernel/conv_geo.c src/kernel/pack.c src/kernel/span.c src/kernel/isa.c \
    src/kernel/variant.c "$out/sn_variants.c" src/base/arena.c src/base/hashes.c \
    src/base/buf.c src/base/diag/diag.c src/base/diag/diag_text.c src/base/file/file.c src/base/fmath.c -lm; then
    echo "not ok neon: does not compile"
    exit 1
fi
if qemu-aarch64 -cpu max "$out/neon_check" 20000; then
    echo "ok neon: 20000 convolutions"
else
    echo "not ok neon: differs from the portable kernels"
    exit 1
fi
if grep -qw avx_vnni /proc/cpuinfo; then
    echo "ok avx-vnni: executed by test_kernel_conv"
else
    echo "| avx-vnni: compiled, not executed on this processor; its EVEX form is"
    echo "ok avx-vnni: compiled"
fi
