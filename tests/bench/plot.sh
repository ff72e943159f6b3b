#!/bin/sh
# Draws how much faster sinter is than ONNX Runtime, one bar to a line of
# models.json, as SVG.  A black mark stands where the ratio is wanted.
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
    if (ratio[n] > most) most = ratio[n]
    if (wanted[n] > most) most = wanted[n]
}
END {
    left = 250; width = 520; step = 18
    if (most < 2) most = 2
    scale = width / most
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" " \
        "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n",
        left + width + 60, 40 + n * step
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    printf "<text x=\"%d\" y=\"16\">times as fast as ONNX Runtime</text>\n",
        left
    for (i = 1; i <= n; i++) {
        y = 26 + (i - 1) * step
        printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
            left - 8, y + 12, label[i]
        printf "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"13\" " \
            "fill=\"%s\"/>\n", left, y, ratio[i] * scale,
            (ratio[i] >= wanted[i] ? "#487" : "#c63")
        printf "<text x=\"%.1f\" y=\"%d\">%.2f</text>\n",
            left + ratio[i] * scale + 5, y + 11, ratio[i]
        if (wanted[i] > 0)
            printf "<rect x=\"%.1f\" y=\"%d\" width=\"2\" height=\"17\"/>\n",
                left + wanted[i] * scale - 1, y - 2
    }
    printf "<line x1=\"%.1f\" y1=\"22\" x2=\"%.1f\" y2=\"%d\" " \
        "stroke=\"#888\" stroke-dasharray=\"3\"/>\n", left + scale,
        left + scale, 30 + n * step
    print "</svg>"
}' "$1"
