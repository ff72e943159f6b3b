# SPDX-License-Identifier: Apache-2.0
"""sinter: a float ONNX model and calibration data to a verified int8 model.

>>> import numpy as np, sinter
>>> model = sinter.Model.parse('''sinter-graph 1
... graph "m" {
...   %x = Placeholder() : f32[1,4]
...   %w = Constant() {data = [1, 0, 0, 0, 0, 1, 0, 0]} : f32[2,4]
...   %y = FullyConnected(%x, %w) : f32[1,2]
...   Save(%y) {name = "out"}
... }''')
>>> data = np.linspace(-1, 1, 40, dtype=np.float32).reshape(10, 4)
>>> int8 = sinter.quantize(model, data)
>>> sinter.report(int8)["samples"]
10
>>> out = sinter.Session(int8).run({"x": data[9:]})["out"]
>>> bool(np.abs(out - data[9:, :2]).max() < 0.02)
True
"""
from __future__ import annotations

import json
import os
import warnings
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _core

__version__: str = _core.version
__all__ = [
    "CheckError", "Error", "InputError", "LimitError", "Model", "OutputError", "Port", "Session",
    "UnsupportedError", "UsageError", "Warning", "compare", "export", "quantize", "report",
]


# ---- errors ----

class Error(Exception):
    """What sinter says went wrong.

    where: the file, node or setting; help: what to do about it, or ""; line and column: of a
    text model, or 0.

    >>> import sinter
    >>> try:
    ...     sinter.Model.load("/no/such.onnx")
    ... except sinter.InputError as e:
    ...     print(e.where, "|", e)
    /no/such.onnx | /no/such.onnx: cannot open: No such file or directory
    """

    def __init__(self, where: str, message: str, help: str = "", line: int = 0, column: int = 0):
        at = f"{where}:{line}:{column}" if line else where
        super().__init__(f"{at}: {message}" if at else message)
        self.where, self.message, self.help = where, message, help
        self.line, self.column = line, column


class CheckError(Error):
    """A check that was asked for failed."""


class UsageError(Error, ValueError):
    """An argument makes no sense."""


class InputError(Error, ValueError):
    """A model or data is malformed."""


class UnsupportedError(Error):
    """A model is well-formed, but beyond what sinter does."""


class OutputError(Error, OSError):
    """A file could not be written."""

    def __str__(self) -> str:
        return Exception.__str__(self)


class LimitError(Error, MemoryError):
    """Out of memory, or a limit was met."""


class Warning(UserWarning):
    """What sinter warns about."""


_errors = {1: CheckError, 2: UsageError, 3: InputError, 4: UnsupportedError, 5: OutputError,
           6: LimitError}


def _make_error(status: int, where: str, message: str, help: str, line: int, column: int) -> Error:
    return _errors.get(status, Error)(where, message, help, line, column)


def _see_note(severity: int, where: str, text: str) -> None:
    if severity == 1:
        warnings.warn(f"{where}: {text}" if where else text, Warning, stacklevel=4)


_core.start(_make_error, _see_note)


# ---- inputs and outputs ----

_dtypes = {1: "float32", 2: "float16", 3: "int8", 4: "uint8", 5: "int16", 6: "int32", 7: "int64",
           8: "bool"}


class Port(NamedTuple):
    """An input or output: real = scales * (code - zero_points) where it has scales, one for the
    tensor (axis -1) or one for each slice along axis."""
    name: str
    dtype: np.dtype
    shape: tuple
    axis: int
    scales: tuple
    zero_points: tuple


def _ports(raw: Sequence) -> list:
    return [Port(n, np.dtype(_dtypes[e]), s, a, k, z) for n, e, s, a, k, z in raw]


def _fit(x: Any, port: Port) -> np.ndarray:
    """x as a contiguous array of the port's type; itself where it is one."""
    x = np.asarray(x)
    if x.dtype != port.dtype and not np.can_cast(x.dtype, port.dtype, "same_kind"):
        raise TypeError(f"'{port.name}' is of {port.dtype}, not {x.dtype}")
    y = np.asarray(x, port.dtype, order="C")
    if y is not x and y.dtype.kind in "iu" and not np.array_equal(x, y):
        raise ValueError(f"'{port.name}' has values that {port.dtype} does not hold: "
                         f"they are from {x.min()} to {x.max()}")
    return y


def _split(x: Any, port: Port) -> np.ndarray:
    """The samples that x has, one or more, as [n, *port.shape]."""
    x = _fit(x, port)
    rest = port.shape[1:] if port.shape[:1] == (1,) else None
    if x.shape == port.shape:
        return x[None]
    if rest is not None and x.shape == rest:
        return x.reshape((1,) + port.shape)
    if x.shape[1:] == port.shape or rest is not None and x.shape[1:] == rest:
        return x.reshape((x.shape[0],) + port.shape)
    raise ValueError(f"'{port.name}' has the shape {list(port.shape)}, which data of shape "
                     f"{list(x.shape)} does not fit")


def _many(got: tuple, want: tuple) -> str:
    """What to do with several samples, if that is what got is."""
    one = len(got) == len(want) and want[:1] == (1,) and got[1:] == want[1:]
    return ": run_batch takes many samples" if one or got[1:] == want else ""


def _arrays(item: Any, ports: Sequence[Port]) -> list:
    """An item of calibration data as one array for each input."""
    if isinstance(item, Mapping):
        for k in item:
            if k not in [p.name for p in ports]:
                raise KeyError(f"the model has no input '{k}'")
        return [item[p.name] for p in ports]
    if isinstance(item, (tuple, list)):
        if len(item) < len(ports):
            raise ValueError(f"data gives {len(item)} arrays for {len(ports)} inputs")
        return list(item[:len(ports)])  # a label behind the inputs is left out
    if len(ports) != 1:
        raise ValueError(f"the model has {len(ports)} inputs: data gives dicts or tuples")
    return [item]


def _samples(data: Iterable, ports: Sequence[Port]) -> Iterator[list]:
    for item in data:
        parts = [_split(x, p) for x, p in zip(_arrays(item, ports), ports)]
        if len({len(x) for x in parts}) > 1:
            raise ValueError("the inputs of an item have different numbers of samples")
        for k in range(len(parts[0]) if parts else 1):
            yield [x[k] for x in parts]


# ---- models ----

PathLike = Union[str, "os.PathLike[str]"]
_forms = {"qdq": 0, "qoperator": 1}


def _list(x: Union[None, str, Sequence[str]]) -> Optional[list]:
    return None if x is None else [x] if isinstance(x, str) else list(x)


class Model:
    """A model: loaded by Model.load, read from memory by Model.parse, or made by quantize.

    inputs and outputs are lists of Port.
    """

    def __init__(self, core: Any):
        if not hasattr(core, "ports"):
            raise TypeError("a Model is made by Model.load(path), Model.parse(data) or "
                            f"quantize, not of a {type(core).__name__}")
        self._core = core
        self._describe()

    def _describe(self) -> None:
        i, o = self._core.ports()
        self.inputs: list = _ports(i)
        self.outputs: list = _ports(o)

    @classmethod
    def load(cls, path: PathLike, *, dims: Optional[Mapping[str, int]] = None,
             shapes: Optional[Mapping[str, Sequence[int]]] = None, batch: int = 0) -> "Model":
        """Reads an .onnx or .sn file; dims, shapes and batch bind free dimensions of ONNX."""
        return cls(_core.load(os.fspath(path), None, False, None, None, *_bind(dims, shapes), batch))

    @classmethod
    def parse(cls, data: Union[bytes, str], *, name: str = "memory", dir: Optional[PathLike] = None,
              dims: Optional[Mapping[str, int]] = None,
              shapes: Optional[Mapping[str, Sequence[int]]] = None, batch: int = 0) -> "Model":
        """Reads the bytes of an ONNX ModelProto, or the text of a .sn model; dir is where files
        that it refers to are looked for."""
        onnx = not isinstance(data, str)
        return cls(_core.load(None, data if onnx else data.encode(), onnx, name,
                              os.fspath(dir) if dir is not None else None, *_bind(dims, shapes),
                              batch))

    def optimize(self, passes: Optional[str] = None) -> "Model":
        """Runs passes (the usual ones without a name) in place; returns the model."""
        self._core.optimize(passes)
        self._describe()
        return self

    def verify(self) -> None:
        """Raises InputError where a declared fact does not hold."""
        self._core.verify()

    def save(self, path: PathLike, **settings: Any) -> None:
        """Writes an .onnx or .sn file; settings as for export."""
        path = os.fspath(path)
        onnx = path.endswith(".onnx")
        if settings and not onnx:
            raise TypeError(f"{', '.join(settings)}: only for ONNX models")
        self._core.write(path, onnx, *_export(**settings))

    def text(self) -> str:
        """The model as .sn text, constants inside."""
        return self._core.write(None, False, *_export()).decode()


def _bind(dims: Optional[Mapping[str, int]],
          shapes: Optional[Mapping[str, Sequence[int]]]) -> tuple:
    return (None if dims is None else [f"{k}={v}" for k, v in dims.items()],
            None if shapes is None else
            [f"{k}={'x'.join(map(str, v))}" for k, v in shapes.items()])


def _export(form: str = "qdq", opset: int = 0, codes: str = "int8") -> tuple:
    if form not in _forms:
        raise ValueError(f"form is 'qdq' or 'qoperator', not {form!r}")
    if codes not in ("int8", "uint8"):
        raise ValueError(f"codes are 'int8' or 'uint8', not {codes!r}")
    return _forms[form], opset, codes == "uint8"


def _model(m: Union[Model, PathLike, bytes]) -> Model:
    if isinstance(m, Model):
        return m
    return Model.parse(m) if isinstance(m, bytes) else Model.load(m)


def quantize(model: Union[Model, PathLike, bytes], data: Iterable, *, samples: int = 0,
             precision: Union[None, str, Sequence[str]] = None,
             scheme: Union[None, str, Sequence[str]] = None,
             range: Union[None, str, Sequence[str]] = None,
             keep_float: Union[None, str, Sequence[str]] = None, per_tensor: bool = False,
             bias8: bool = False, require_int8: bool = False) -> Model:
    """An int8 model of a float one: a Model, a path, or the bytes of an ONNX ModelProto.

    data is any iterable of calibration data: arrays (or torch tensors) for a model with one
    input, dicts by name or tuples otherwise; what stands behind the inputs in a tuple, a label,
    is left out.  An item is one sample, or many along a first axis.  samples: at most so many.

    Settings are those of `sinter quantize`, each "WORD" for all nodes or "GLOB=WORD", or a list
    of these: precision int8, int16, float; scheme asymmetric, symmetric, ...; range minmax,
    percentile=99.9, mse, entropy, moving-average.  keep_float: globs of nodes that stay float.

    >>> import sinter
    >>> sinter.quantize(b"no model", [])
    Traceback (most recent call last):
        ...
    sinter.InputError: memory: not a ModelProto: ...
    """
    model = _model(model)
    it = _samples(data, model.inputs)

    def fill(memory: list) -> bool:
        for arrays in it:
            for to, x in zip(memory, arrays):
                if x.size:
                    to[:] = memoryview(np.ascontiguousarray(x)).cast("B")
            return True
        return False

    return Model(model._core.quantize(fill, samples, _list(precision), _list(scheme), _list(range),
                                      _list(keep_float), per_tensor, bias8, require_int8))


def export(model: Union[Model, PathLike, bytes], path: Optional[PathLike] = None, *,
           form: str = "qdq", opset: int = 0, codes: str = "int8") -> bytes:
    """The bytes of an ONNX ModelProto, which are also written to path if it is given.

    form: qdq or qoperator; opset: 13 to 25 (0: 17); codes: int8 or uint8.
    """
    data = _model(model)._core.write(None, True, *_export(form, opset, codes))
    if path is not None:
        with open(path, "wb") as f:
            f.write(data)
    return data


def report(model: Model) -> dict:
    """What the quantizer did (docs/quantization.md); {} for a model that it did not make."""
    text = model._core.report()
    return json.loads(text) if text else {}


# ---- running ----

class Session:
    """A model prepared for this processor; any number of threads may run it at once.

    model: a Model, a path, or the bytes of an ONNX ModelProto.  threads: of one run.
    """

    def __init__(self, model: Union[Model, PathLike, bytes], threads: int = 1):
        if threads < 1:
            raise ValueError("threads is less than 1")
        self._core = _model(model)._core.session(threads)
        i, o = self._core.ports()
        self.inputs: list = _ports(i)
        self.outputs: list = _ports(o)

    def _named(self, inputs: Mapping[str, Any]) -> list:
        names = [p.name for p in self.inputs]
        if not isinstance(inputs, Mapping):
            raise TypeError(f"inputs is a {type(inputs).__name__}: expected a dict of arrays "
                            f"by name ({', '.join(names)})")
        for k in inputs:
            if k not in names:
                raise KeyError(f"the model has no input '{k}' (there are: {', '.join(names)})")
        for k in names:
            if k not in inputs:
                raise KeyError(f"input '{k}' is missing")
        return [_fit(inputs[p.name], p) for p in self.inputs]

    def run(self, inputs: Mapping[str, Any],
            out: Optional[Mapping[str, np.ndarray]] = None) -> dict:
        """Outputs by name.  Contiguous arrays of the right type are read where they are, and
        those of out are written where they are.

        >>> import numpy as np, sinter
        >>> s = sinter.Session(sinter.Model.parse('''sinter-graph 1
        ... graph "r" {
        ...   %x = Placeholder() : f32[3]
        ...   %y = Relu(%x) : f32[3]
        ...   Save(%y) {name = "y"}
        ... }'''))
        >>> s.run({"x": np.array([-1, 0.5, 2], np.float32)})
        {'y': array([0. , 0.5, 2. ], dtype=float32)}
        >>> s.run({"z": np.zeros(3)})
        Traceback (most recent call last):
            ...
        KeyError: "the model has no input 'z' (there are: x)"
        """
        x = self._named(inputs)
        for v, p in zip(x, self.inputs):
            if v.shape != p.shape:
                raise ValueError(f"'{p.name}' has the shape {list(p.shape)}, not {list(v.shape)}"
                                 + _many(v.shape, p.shape))
        y = {p.name: np.empty(p.shape, p.dtype) for p in self.outputs}
        for k, v in (out or {}).items():
            if k not in y or v.shape != y[k].shape or v.dtype != y[k].dtype:
                raise ValueError(f"out['{k}'] is no array for an output of the model")
            y[k] = v
        self._core.run(x, list(y.values()), 0, 1)
        return y

    def run_batch(self, inputs: Mapping[str, Any], jobs: int = 0) -> dict:
        """Many samples, each array with one axis more in front, or along a first axis of 1; on
        `jobs` threads at once (0: as many as there are processors)."""
        x = [_split(v, p) for v, p in zip(self._named(inputs), self.inputs)]
        n = len(x[0]) if x else 1
        if any(len(v) != n for v in x):
            raise ValueError("inputs have different numbers of samples")
        y = {p.name: np.empty((n,) + p.shape, p.dtype) for p in self.outputs}
        if n:
            self._core.run(x, list(y.values()), n, jobs)
        return y


def compare(model: Union[Model, PathLike, bytes], other: Union[Model, PathLike, bytes],
            data: Iterable) -> dict:
    """How far the outputs of `other` are from those of `model` on data, which is as for quantize.

    For each output: sqnr_db, 10 log10 of signal over noise; worst, the largest difference; and
    same_argmax, the share of samples with the same largest element.
    """
    a, b = Session(model), Session(other)
    sums: dict = {p.name: [0.0, 0.0, 0.0, 0] for p in a.outputs}
    n = 0
    for arrays in _samples(data, a.inputs):
        x = {p.name: v for p, v in zip(a.inputs, arrays)}
        want, got = a.run(x), b.run(x)
        n += 1
        for k, s in sums.items():
            w = want[k].astype(np.float64)
            d = got[k].astype(np.float64) - w
            s[0] += float((w * w).sum())
            s[1] += float((d * d).sum())
            s[2] = max(s[2], float(np.abs(d).max(initial=0)))
            s[3] += int(w.size > 0 and w.argmax() == got[k].argmax())
    if n == 0:
        raise ValueError("data gave no sample")
    return {k: {"sqnr_db": float("inf") if noise == 0 else
                10 * float(np.log10(signal / noise)) if signal > 0 else float("-inf"),
                "worst": worst, "same_argmax": same / n, "samples": n}
            for k, (signal, noise, worst, same) in sums.items()}
