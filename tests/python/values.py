# SPDX-License-Identifier: Apache-2.0
"""The Python package against values: run by tests/sh/python.sh."""
import gc
import threading
import warnings

import numpy as np
import sinter

TEXT = """sinter-graph 1
graph "p" {
  %x = Placeholder() : f32[1,4]
  %w = Constant() {data = [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1]} : f32[3,4]
  %f = FullyConnected(%x, %w) : f32[1,3]
  %y = Relu(%f) : f32[1,3]
  Save(%y) {name = "out"}
  Save(%f) {name = "raw"}
}
"""
MODEL = sinter.Model.parse(TEXT, name="p.sn")
DATA = np.linspace(-1, 1, 200, dtype=np.float32).reshape(50, 4)


def raises(kind, fn, *words):
    try:
        fn()
    except kind as e:
        for w in words:
            assert w in str(e), (w, str(e))
        return e
    raise AssertionError(f"no {kind.__name__}")


def run_threads(n, fn):
    """fn in n threads; one that raises fails the test."""
    failed = []

    def work():
        try:
            fn()
        except BaseException as e:
            failed.append(e)
    threads = [threading.Thread(target=work) for _ in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed, failed


def test_ports():
    (x,) = MODEL.inputs
    assert x == sinter.Port("x", np.dtype("float32"), (1, 4), -1, (), ())
    assert [o.name for o in MODEL.outputs] == ["out", "raw"]
    codes = sinter.Model.parse('sinter-graph 1\ngraph "c" {\n  %x = Placeholder() : '
                               'qi8<0.5, -3>[2]\n  Save(%x) {name = "y"}\n}\n')
    assert codes.inputs[0] == sinter.Port("x", np.dtype("int8"), (2,), -1, (0.5,), (-3,))


def test_run():
    s = sinter.Session(MODEL)
    y = s.run({"x": DATA[:1]})
    assert np.array_equal(y["raw"][0], [DATA[0, 0], DATA[0, 1], DATA[0].sum(dtype=np.float32)])
    mine = np.empty((1, 3), np.float32)
    assert s.run({"x": DATA[:1]}, out={"out": mine})["out"] is mine
    assert np.array_equal(mine, np.maximum(y["raw"], 0))
    batch = s.run_batch({"x": DATA}, jobs=2)
    assert batch["out"].shape == (50, 1, 3)
    for i in range(50):
        assert np.array_equal(batch["raw"][i], s.run({"x": DATA[i:i + 1]})["raw"])
    assert s.run({"x": DATA.T[:, :1].T})["raw"].shape == (1, 3)  # copied: not contiguous
    raises(ValueError, lambda: s.run({"x": DATA}), "[1, 4], not [50, 4]")
    raises(TypeError, lambda: s.run({"x": DATA[:1].astype(complex)}), "float32, not complex128")
    raises(KeyError, lambda: s.run({}), "'x' is missing")
    raises(ValueError, lambda: s.run({"x": DATA[:1]}, out={"out": mine[0]}), "out['out']")


def test_quantize():
    same = [DATA, list(DATA), [(DATA, np.zeros(50))], [{"x": x} for x in DATA],
            (x[None] for x in DATA)]
    texts = {sinter.quantize(MODEL, d).text() for d in same}
    assert len(texts) == 1, len(texts)
    q = sinter.quantize(MODEL, DATA, samples=20, range="minmax", keep_float=["f"])
    r = sinter.report(q)
    assert r["samples"] == 20 and [f["node"] for f in r["float_nodes"]] == ["f (FullyConnected)"]
    assert sinter.report(MODEL) == {}
    c = sinter.compare(MODEL, sinter.quantize(MODEL, DATA), DATA)
    assert c["raw"]["samples"] == 50 and c["raw"]["sqnr_db"] > 35 and c["raw"]["worst"] < 0.05
    assert sinter.compare(MODEL, MODEL, DATA)["out"]["sqnr_db"] == float("inf")


def test_data():
    def broken():
        yield DATA[:1]
        raise OSError("the disk is gone")
    raises(OSError, lambda: sinter.quantize(MODEL, broken()), "the disk is gone")
    raises(sinter.InputError, lambda: sinter.quantize(MODEL, []), "gave no sample")
    raises(ValueError, lambda: sinter.quantize(MODEL, [DATA[:, :3]]), "does not fit")
    raises(KeyError, lambda: sinter.quantize(MODEL, [{"y": DATA}]), "no input 'y'")
    raises(TypeError, lambda: sinter.Model("m.sn"), "Model.load(path)")
    s = sinter.Session(MODEL)
    p = s.inputs[0]
    raises(TypeError, lambda: s.run(np.zeros(p.shape)), "expected a dict of arrays by name")
    raises(ValueError, lambda: s.run({p.name: np.zeros((3,) + p.shape)}), "run_batch takes many")
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        sinter.quantize(MODEL, DATA[:1])
    assert [x.category for x in w] == [sinter.Warning], w
    assert "one sample" in str(w[0].message)

    def nested():  # data made by sinter itself
        s = sinter.Session(MODEL)
        for x in DATA:
            s.run({"x": x[None]})
            yield x
    assert sinter.quantize(MODEL, nested()).text() == sinter.quantize(MODEL, DATA).text()


def test_arrays():
    scalar = sinter.Model.parse('sinter-graph 1\ngraph "s" {\n  %x = Placeholder() : f32[]\n'
                                '  %y = Relu(%x) : f32[]\n  Save(%y) {name = "y"}\n}\n')
    s = sinter.Session(scalar)
    y = s.run({"x": np.float32(2.5)})["y"]
    assert y.shape == () and y == 2.5
    assert s.run_batch({"x": [-1.0, 3.0]})["y"].tolist() == [0, 3]
    codes = sinter.Session(sinter.Model.parse(
        'sinter-graph 1\ngraph "c" {\n  %x = Placeholder() : qi8<0.5, -3>[2]\n'
        '  Save(%x) {name = "y"}\n}\n'))
    assert codes.run({"x": [-128, 127]})["y"].tolist() == [-128, 127]
    raises(ValueError, lambda: codes.run({"x": [1, 300]}), "'x'", "int8", "from 1 to 300")
    raises(ValueError, lambda: codes.run({"x": np.array([1, 200], np.uint8)}), "int8")
    raises(ValueError, lambda: codes.run_batch({"x": [[1, 2]]}, jobs=-1), "jobs")
    raises(ValueError, lambda: sinter.Session(MODEL, threads=2 ** 32 + 1), "threads")
    few = np.zeros(1, np.float32)  # 2^62 times as many bytes are 0 modulo 2^64
    raw = sinter.Session(MODEL)._core
    for n in (2 ** 62, -1):
        raises(ValueError, lambda: raw.run([few[:0]], [few[:0]], n, 1), "has 0 bytes")
    raises(sinter.UsageError, lambda: sinter.Session(MODEL, threads=65), "threads")


def test_memory_of_data():
    views = []
    raw = sinter.Model.parse(TEXT)._core

    def fill(memory):
        views.extend(memory)
        memory[0][:4] = b"\0\0\0\0"
        if len(views) == 3:
            raise OSError("the disk is gone")
        return True
    raises(OSError, lambda: raw.quantize(fill, 0, None, None, None, None, False, False, False),
           "the disk is gone")
    assert len(views) == 3
    for v in views:
        raises(ValueError, lambda: v[0], "released")


def test_one_at_a_time():
    model = sinter.Model.parse(TEXT)

    def changing():
        yield DATA
        model.optimize()
    raises(RuntimeError, lambda: sinter.quantize(model, changing()), "in use")
    want, wrong = model.text(), []

    def work():
        for _ in range(200):
            got = model.optimize().text(), sinter.report(model), model.outputs[0].name
            if got != (want, {}, "out") or sinter.Session(model).inputs != MODEL.inputs:
                wrong.append(got)
    run_threads(4, work)
    assert not wrong


class Circle:
    """Is collected, not freed: its end calls fn then."""

    def __init__(self, fn):
        self.fn = fn
        self.me = self

    def __del__(self):
        self.fn()


def test_collected_meanwhile():
    model = sinter.Model.parse(TEXT)
    kept, asked = [], []

    def ask():
        asked.append((model.outputs[1].name, sinter.report(model)))
    was = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(200):
            Circle(ask)
            kept.append(model._core.ports())
    finally:
        gc.set_threshold(*was)
    assert len(asked) > 100 and set(map(str, asked)) == {"('raw', {})"}
    assert all(k == kept[0] for k in kept)


def test_errors():
    e = raises(sinter.InputError, lambda: sinter.Model.parse(TEXT.replace("Relu", "Rellu"),
                                                             name="bad.sn"), "bad.sn:6:8: ")
    assert (e.where, e.line, e.column) == ("bad.sn", 6, 8)
    raises(sinter.UsageError, lambda: sinter.quantize(MODEL, DATA, range="most"), "range")
    raises(sinter.CheckError, lambda: sinter.quantize(MODEL, DATA, keep_float="f",
                                                      require_int8=True), "stays float")
    raises(sinter.OutputError, lambda: MODEL.save("/no/such/m.sn"), "/no/such/m.sn")
    raises(ValueError, lambda: sinter.export(MODEL, form="qdp"), "qoperator")
    raises(TypeError, lambda: MODEL.save("/no/such/m.sn", opset=17), "opset")


def test_onnx():
    q = sinter.quantize(MODEL, DATA)
    want = sinter.Session(q).run_batch({"x": DATA})
    for form in ("qdq", "qoperator"):
        again = sinter.Model.parse(sinter.export(q, form=form)).optimize()
        got = sinter.Session(again).run_batch({"x": DATA})
        assert all(np.array_equal(want[k], got[k]) for k in want), form


def test_threads():
    s = sinter.Session(sinter.quantize(MODEL, DATA), threads=2)
    want = s.run_batch({"x": DATA})["out"]
    wrong = []

    def work():
        for i in range(50):
            if not np.array_equal(s.run({"x": DATA[i:i + 1]})["out"], want[i]):
                wrong.append(i)
    run_threads(4, work)
    assert not wrong, wrong


for name, fn in list(globals().items()):
    if name.startswith("test_"):
        try:
            fn()
            print(f"ok python {name[5:]}")
        except Exception as e:
            print(f"not ok python {name[5:]}")
            print(f"    {type(e).__name__}: {e}")
