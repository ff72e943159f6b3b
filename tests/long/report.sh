#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of `sinter report` in headless Chromium: no error and no request, at
# 1280 and 400 pixels, with only the keyboard, and for a graph with 2000 nodes
# within a second (time of the machine it runs on: the figure is printed).
#   BUILD=build sh tests/long/report.sh [PICTURES]
# PICTURES: a folder for screenshots, to be looked at.
. "${0%/*}/../../tools/help.sh"
set -u
BUILD=${BUILD:-build}
sinter=$BUILD/sinter demo=examples/demo
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
pictures=${1:-$tmp}
bad=0
sh tools/deps.sh chromium python3-numpy || exit 1
say() { # RESULT NAME
    if [ "$1" = 0 ]; then echo "ok report $2"; else echo "not ok report $2"; bad=1; fi
}

# browse ARGS...: Chromium without the sandbox, which root has none of.
browse() {
    chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
        --user-data-dir="$tmp/profile" --virtual-time-budget=8000 \
        --enable-logging=stderr "$@" 2>"$tmp/log"
}

# with PAGE JS: the page with a script at its end.
with() {
    sed 's#</body>##; s#</html>##' "$1"
    printf '<script>setTimeout(() => { %s }, 400);</script></body></html>\n' "$2"
}

title() { sed -n 's#.*<title>\(.*\)</title>.*#\1#p' | head -n 1; }

# titled NAME PAGE JS WANT: the title that JS gives is WANT.
titled() {
    with "$2" "$3" >"$tmp/act.html"
    got=$(browse --window-size=${w:-1280},1000 --dump-dom "file://$tmp/act.html" | title)
    [ "$got" = "$4" ]
    say $? "$1${4:+: '$got', expected '$4'}"
}

"$sinter" quantize $demo/fashion_lrn.onnx --calib $demo/calib_images.npy --mul 0.0039215686 \
    --eval $demo/test_images.npy --labels $demo/test_labels.npy -o "$tmp/q.sn" \
    --report "$tmp/q.html" >/dev/null 2>&1 || { echo "not ok report: quantize"; exit 1; }
for w in 1280 400; do
    browse --window-size=$w,1000 --screenshot="$pictures/report-$w.png" "file://$tmp/q.html"
    [ -s "$pictures/report-$w.png" ]
    say $? "screenshot at $w"
    ! grep -i 'CONSOLE' "$tmp/log"
    say $? "nothing on the console at $w"
    titled "at $w nothing is wider than the window" "$tmp/q.html" \
        'document.title = document.documentElement.scrollWidth <= innerWidth' true
done
titled "at 400 names of values are not broken into pieces" "$tmp/q.html" \
    'document.title = [...document.querySelectorAll("#errors-table td button")].every((b) => b.parentElement.offsetWidth >= 165)' true

w=1280

# Keys alone: three nodes down, one up; a block opens and closes.
key='const p = panes[0], key = (k) => p.host.dispatchEvent(new KeyboardEvent("keydown", {key: k}));'
titled "arrow keys" "$tmp/q.html" \
    "$key for (const k of ['ArrowDown','ArrowDown','ArrowDown','ArrowUp']) key(k); document.title = p.selected.data.kind" \
    Quantize
titled "zoom" "$tmp/q.html" \
    "$key p.scale(1); key('+'); key('+'); key('-'); document.title = p.zoom.toFixed(2)" 1.20
titled "search" "$tmp/q.html" \
    "const s = document.getElementById('search'); s.value = 'lrn'; s.oninput(); document.title = document.getElementById('found').textContent" \
    '2 nodes match'
titled "what can be reached has a name" "$tmp/q.html" \
    'document.title = [...document.querySelectorAll("button, input, select, a, [tabindex]")].filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.closest("label"))).length' 0

# 2000 nodes.
awk -v n=1000 -f tests/report/big.awk /dev/null >"$tmp/big.sn"
/usr/bin/python3 -c "import numpy as n
n.save('$tmp/x.npy', (n.arange(64, dtype='f4').reshape(8, 8) - 32) / 40)"
"$sinter" quantize "$tmp/big.sn" --calib "$tmp/x.npy" -o "$tmp/bq.sn" --report "$tmp/big.html" \
    >/dev/null 2>&1 || { echo "not ok report: quantize of 2000 nodes"; exit 1; }
titled "blocks at first" "$tmp/big.html" 'document.title = panes[0].view.boxes.length' 12
titled "Enter opens a block" "$tmp/big.html" \
    "$key for (const k of ['ArrowDown','ArrowDown','ArrowDown','Enter']) key(k); document.title = panes[0].view.boxes.length" 21
titled "all blocks open" "$tmp/big.html" \
    'document.getElementById("expand").click(); document.title = panes[0].view.boxes.length' 2004
with "$tmp/big.html" \
    'document.title = Math.round(performance.getEntriesByType("navigation")[0].loadEventEnd)' \
    >"$tmp/act.html"
ms=$(browse --dump-dom "file://$tmp/act.html" | title)
[ "${ms:-9999}" -lt 1000 ]
say $? "2000 nodes open in $ms ms"
exit $bad
