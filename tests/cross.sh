# SPDX-License-Identifier: Apache-2.0
# Compilers for other processors whose programs run here, under qemu: what they
# write as -o FILE is a script that runs FILE.elf.  For tests/long/compile.sh.

# cross DIR: writes DIR/cc-aarch64, cc-riscv64, cc-m4, cc-m55 where there are a
# compiler and an emulator.  Those of boards pass arguments and files by
# semihosting.
cross() {
    cross_dir=$1
    for m in aarch64 riscv64; do
        command -v $m-linux-gnu-gcc >/dev/null && command -v qemu-$m >/dev/null || continue
        cpu=rv64
        [ $m = aarch64 ] && cpu=max
        cross_compiler $m "$m-linux-gnu-gcc -static \"\$@\"" "qemu-$m -cpu $cpu \"\$0.elf\" \"\$@\""
    done
    command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null || return 0
    cat >"$cross_dir/args.c" <<'END'
#include <stddef.h>
int main(int argc, char **argv);
int board_main(void);
int
board_main(void)
{
    static char line[4096], *argv[64];
    struct { char *at; size_t n; } block = {line, sizeof line};
    int argc = 0;
    register int op __asm__("r0") = 0x15; /* SYS_GET_CMDLINE */
    register void *to __asm__("r1") = &block;

    __asm__ volatile("bkpt 0xab" : "+r"(op) : "r"(to) : "memory");
    for (char *s = line; op == 0 && *s && argc < 63;) {
        argv[argc++] = s;
        while (*s && *s != ' ')
            s++;
        if (*s)
            *s++ = '\0';
    }
    return main(argc, argv);
}
END
    cross_board m4 mps2-an386 4M -mcpu=cortex-m4 -mfpu=fpv4-sp-d16
    cross_board m55 mps3-an547 512K -mcpu=cortex-m55
}

# cross_compiler NAME COMMAND RUN
cross_compiler() {
    cat >"$cross_dir/cc-$1" <<END
#!/bin/sh
last=
for a; do
    [ "\$last" = -o ] && out=\$a
    last=\$a
done
$2 && mv "\$out" "\$out.elf" || exit 1
cat >"\$out" <<'RUN'
#!/bin/sh
args=
for a; do
    args="\$args,arg=\$a"
done
exec $3
RUN
chmod +x "\$out"
END
    chmod +x "$cross_dir/cc-$1"
}

# cross_board NAME MACHINE SIZE FLAGS: SIZE of each of its two memories.
cross_board() {
    name=$1 machine=$2 size=$3
    shift 3
    for f in "$cross_dir/args.c" examples/cortex-m/start.c; do
        arm-none-eabi-gcc "$@" -mthumb -mfloat-abi=hard -O1 -Dmain="$(
            [ "$f" = "${f%start.c}" ] && echo main || echo board_main)" \
            -c -o "$cross_dir/$name-$(basename "$f" .c).o" "$f" || return
    done
    cross_compiler "$name" "arm-none-eabi-gcc $* -mthumb -mfloat-abi=hard -nostartfiles \
--specs=rdimon.specs -T $PWD/examples/cortex-m/board.ld \
-Wl,--defsym,ROM_SIZE=$size,--defsym,RAM_SIZE=$size \
$cross_dir/$name-start.o $cross_dir/$name-args.o \"\$@\"" \
        "qemu-system-arm -M $machine -nographic \
-semihosting-config \"enable=on,target=native,arg=t\$args\" -kernel \"\$0.elf\""
}
