# SPDX-License-Identifier: Apache-2.0
# A graph of 2 * n nodes in n / 10 blocks, with skips over 4 and over 40 nodes:
#   awk -v n=1000 -f big.awk /dev/null >big.sn
BEGIN {
    print "sinter-graph 1\ngraph \"big\" {"
    print "  %x = Placeholder() : f32[1,8]"
    last = "x"
    for (i = 0; i < n; i++) {
        b = "stage" int(i / 100) "/block" int(i / 10) "/"
        from = last
        if (i % 10 == 9)
            from = "stage" int((i - 4) / 100) "/block" int((i - 4) / 10) "/tanh" (i - 4)
        if (i % 100 == 50)
            from = "stage" int((i - 40) / 100) "/block" int((i - 40) / 10) "/tanh" (i - 40)
        printf "  %%\"%sadd%d\" = Add(%%\"%s\", %%\"%s\") : f32[1,8]\n", b, i, last, from
        printf "  %%\"%stanh%d\" = Tanh(%%\"%sadd%d\") : f32[1,8]\n", b, i, b, i
        last = b "tanh" i
    }
    printf "  Save(%%\"%s\") {name = \"out\"}\n}\n", last
}
