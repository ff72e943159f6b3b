#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The wheel in a clean virtual environment of Debian's Python: its doctests, its
# values, the examples, and the program of docs/howto/python.md.
CC=${CC:-gcc} MAKE=${MAKE:-make} PYTHON=${PYTHON:-/usr/bin/python3}
suite=python
. tests/sh_case.sh
if ! "$PYTHON" -c 'import numpy, ensurepip, sysconfig, os
os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null; then
    echo "skip python: Debian's python3-dev, python3-numpy and python3-venv are not all there"
    exit 0
fi
"$MAKE" -s --no-print-directory wheel BUILD="$BUILD" CC="$CC" PYTHON="$PYTHON" >"$tmp/log" 2>&1
say $? "make wheel"
whl=$(ls "$BUILD"/wheel/sinter-*.whl)
cp "$whl" "$tmp/first.whl"
"$MAKE" -s --no-print-directory wheel BUILD="$BUILD" CC="$CC" PYTHON="$PYTHON" >"$tmp/log" 2>&1
cmp -s "$whl" "$tmp/first.whl"
say $? "the same wheel again"

"$PYTHON" -m venv --system-site-packages "$tmp/venv" >"$tmp/log" 2>&1 &&
    "$tmp/venv/bin/pip" install --no-index --no-deps "$whl" >"$tmp/log" 2>&1
say $? "pip installs the wheel"
py=$tmp/venv/bin/python
# Sanitizers have to be in the program, which is Python.  What it leaks of its
# own at its end is not looked for.
case ${SAN:-} in
*sanitize*)
    rt=$($CC -print-file-name=libasan.so)
    rt="$rt $($CC -print-file-name=libubsan.so)"
    printf '#!/bin/sh\nLD_PRELOAD="%s" ASAN_OPTIONS=detect_leaks=0 exec "%s" "$@"\n' \
        "$rt" "$py" >"$tmp/python"
    chmod +x "$tmp/python"
    py=$tmp/python
    ;;
esac
"$py" - >"$tmp/log" 2>&1 <<'PY'
import doctest
import sys
import sinter
r = doctest.testmod(sinter, optionflags=doctest.ELLIPSIS)
sys.exit(r.failed or r.attempted < 15)
PY
say $? "doctests"
"$py" tests/python/values.py >"$tmp/values" 2>"$tmp/log"
say $? "tests/python/values.py runs"
cat "$tmp/values"
! grep -q '^not ok' "$tmp/values" || bad=1

"$py" examples/python/onnx_int8.py $demo/fashion_lrn.onnx $demo/calib_images.npy $demo/test_images.npy \
    $demo/test_labels.npy "$tmp/int8.onnx" >"$tmp/log" 2>&1 &&
    grep -q '^[1-9][0-9]* int8 nodes, 0 float, from 256 samples$' "$tmp/log" &&
    "$BUILD/sinter" inspect "$tmp/int8.onnx" >/dev/null
say $? "examples/python/onnx_int8.py: $(tail -n 1 "$tmp/log")"
# The same settings give the same model as the command does.
"$BUILD/sinter" quantize $demo/fashion_lrn.onnx --calib $demo/calib_images.npy --mul 0.00392156863 \
    -o "$tmp/cli.onnx" >/dev/null 2>&1
"$py" -c 'import sys, numpy, sinter
x = numpy.load(sys.argv[2]).astype(numpy.float32) * numpy.float32(0.00392156863)
sinter.export(sinter.quantize(sys.argv[1], x[:, None]), sys.argv[3])' \
    $demo/fashion_lrn.onnx $demo/calib_images.npy "$tmp/py.onnx" >"$tmp/log" 2>&1 &&
    cmp "$tmp/cli.onnx" "$tmp/py.onnx" >>"$tmp/log" 2>&1
say $? "the model of sinter.quantize is that of sinter quantize"
awk '/^```python/ && !n { on = 1; next } /^```/ { if (on) n++; on = 0 } on' docs/howto/python.md >"$tmp/doc.py"
awk '/^```python/ { py = 1; next } /^```/ { if (py) py = 0; else on = !on; next } on' \
    docs/howto/python.md >"$tmp/doc.out"
"$py" "$tmp/doc.py" >"$tmp/out" 2>"$tmp/log"
diff "$tmp/out" "$tmp/doc.out" >>"$tmp/log"
say $? "docs/howto/python.md"
if "$py" -c 'import torch' 2>/dev/null; then
    "$py" examples/python/torch_int8.py "$tmp/torch.onnx" >"$tmp/log" 2>&1 &&
        grep -qE 'at most 0\.0[0-9]*$' "$tmp/log"
    say $? "examples/python/torch_int8.py: $(tail -n 1 "$tmp/log")"
else
    echo "| torch is not here: examples/python/torch_int8.py is not run"
fi
exit $bad
