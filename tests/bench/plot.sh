#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Draws how much faster sinter is than ONNX Runtime, one bar to a line of
# models.json, as SVG: from 1 on, on a logarithmic axis.  A black mark stands
# where the ratio is wanted.
#
#   plot.sh models.json >models.svg
awk '
function num(key) {
    if (!match($0, "\"" key "\": *[-0-9.e+]+"))
        return 0
    s = substr($0, RSTART, RLENGTH)
    sub(/.*: */, "", s)
    return s + 0
}
function at(r) { return left + width * log(r / least) / log(most / least) }
function text(key) {
    if (!match($0, "\"" key "\": *\"[^\"]*\""))
        return ""
    s = substr($0, RSTART, RLENGTH)
    sub(/.*: *"/, "", s)
    sub(/"$/, "", s)
    return s
}
{
    n++
    label[n] = text("label") ", " num("threads") "t"
    ratio[n] = num("ratio")
    wanted[n] = num("wanted")
}
BEGIN { left = 250; width = 520; step = 18; least = 0.5; most = 2 }
END {
    for (i = 1; i <= n; i++) {
        while (ratio[i] > 0 && ratio[i] < least) least /= 2
        while (ratio[i] > most || wanted[i] > most) most *= 2
    }
    bottom = 32 + n * step
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" " \
        "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n",
        left + width + 60, bottom + 20
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    printf "<text x=\"%d\" y=\"16\">times as fast as ONNX Runtime</text>\n",
        left
    for (r = least; r <= most; r *= 2) {
        printf "<line x1=\"%.1f\" y1=\"24\" x2=\"%.1f\" y2=\"%d\" " \
            "stroke=\"%s\"/>\n", at(r), at(r), bottom,
            (r == 1 ? "#444" : "#ddd")
        printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            at(r), bottom + 14, r "x"
    }
    for (i = 1; i <= n; i++) {
        y = 28 + (i - 1) * step
        printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
            left - 8, y + 12, label[i]
        if (ratio[i] <= 0)
            continue
        from = at(ratio[i] < 1 ? ratio[i] : 1)
        to = at(ratio[i] < 1 ? 1 : ratio[i])
        printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"13\" " \
            "fill=\"%s\"/>\n", from, y, to - from,
            (ratio[i] >= wanted[i] ? "#487" : "#c63")
        printf "<text x=\"%.1f\" y=\"%d\">%.2f</text>\n", to + 5, y + 11,
            ratio[i]
        if (wanted[i] > 0)
            printf "<rect x=\"%.1f\" y=\"%d\" width=\"2\" height=\"17\"/>\n",
                at(wanted[i]) - 1, y - 2
    }
    print "</svg>"
}' "$1"
