# SPDX-License-Identifier: Apache-2.0
"""Stands in for ONNX Runtime's Python package, which neither Debian nor npm
has: what docs/howto/onnxruntime.md uses of it, by the C library that
ORT_LIBRARY names.  Functions are found by their slots, as in
tests/differ/peer.c."""

import ctypes
import os

import numpy

_P, _S = ctypes.c_void_p, ctypes.c_char_p
_API = 23
_SLOT = {
    "GetErrorMessage": 2, "CreateEnv": 3, "CreateSession": 7, "Run": 9,
    "CreateSessionOptions": 10, "InputCount": 30, "OutputCount": 31, "InputName": 36,
    "OutputName": 37, "CreateTensor": 49, "TensorData": 51, "ElementType": 60, "Rank": 61,
    "Dims": 62, "TensorInfo": 65, "CpuMemory": 69, "DefaultAllocator": 78, "ReleaseStatus": 93,
    "AddConfig": 130, "RegisterProvider": 301, "GetDevices": 303, "AppendProvider": 304,
    "DeviceName": 312,
}
_TYPES = {1: numpy.float32, 2: numpy.uint8, 3: numpy.int8, 6: numpy.int32, 7: numpy.int64}

_lib = ctypes.CDLL(os.environ["ORT_LIBRARY"])
_lib.OrtGetApiBase.restype = ctypes.POINTER(_P)
_get_api = ctypes.CFUNCTYPE(_P, ctypes.c_uint32)(_lib.OrtGetApiBase()[0])
_table = ctypes.cast(_get_api(_API), ctypes.POINTER(_P))


def _function(name, result=_P):
    address = _table[_SLOT[name]]

    def call(*values):
        return ctypes.CFUNCTYPE(result, *(_type(v) for v in values))(address)(*values)

    return call


def _type(v):
    if isinstance(v, bytes):
        return _S
    return ctypes.c_size_t if isinstance(v, int) else _P if v is None else type(v)


def _call(name, *values):
    status = _function(name)(*values)
    if status:
        text = _function("GetErrorMessage", _S)(_P(status)).decode()
        _function("ReleaseStatus", None)(_P(status))
        raise RuntimeError(text)


def _made(name, *values):
    out = _P()
    _call(name, *values, ctypes.pointer(out))
    return out


_env = _made("CreateEnv", ctypes.c_int(3), b"sinter")
_memory = _made("CpuMemory", ctypes.c_int(1), ctypes.c_int(0))
_allocator = _made("DefaultAllocator")


class OrtEpDevice:
    def __init__(self, p):
        self.p = p
        self.ep_name = _function("DeviceName", _S)(_P(p)).decode()


def register_execution_provider_library(name, path):
    _call("RegisterProvider", _env, name.encode(), path.encode())


def get_ep_devices():
    devices, n = ctypes.POINTER(_P)(), ctypes.c_size_t()
    _call("GetDevices", _env, ctypes.pointer(devices), ctypes.pointer(n))
    return [OrtEpDevice(devices[i]) for i in range(n.value)]


class SessionOptions:
    def __init__(self):
        self.p = _made("CreateSessionOptions")

    def add_session_config_entry(self, key, value):
        _call("AddConfig", self.p, key.encode(), value.encode())

    def add_provider_for_devices(self, devices, options):
        n, k = len(devices), len(options)
        _call("AppendProvider", self.p, _env, (_P * n)(*(d.p for d in devices)), n,
              (_S * k)(*(s.encode() for s in options)),
              (_S * k)(*(s.encode() for s in options.values())), k)


class _Input:
    def __init__(self, name):
        self.name = name


class InferenceSession:
    def __init__(self, path, sess_options=None):
        self.p = _made("CreateSession", _env, path.encode(), (sess_options or SessionOptions()).p)

    def _names(self, count, name):
        n = ctypes.c_size_t()
        _call(count, self.p, ctypes.pointer(n))
        return [_S(_made(name, self.p, i, _allocator).value).value.decode() for i in range(n.value)]

    def get_inputs(self):
        return [_Input(name) for name in self._names("InputCount", "InputName")]

    def run(self, names, feed):
        names = names or self._names("OutputCount", "OutputName")
        arrays = [numpy.ascontiguousarray(a) for a in feed.values()]
        values = (_P * len(feed))(*(_tensor(a).value for a in arrays))
        out = (_P * len(names))()
        _call("Run", self.p, None, (_S * len(feed))(*(s.encode() for s in feed)), values,
              len(feed), (_S * len(names))(*(s.encode() for s in names)), len(names), out)
        return [_array(_P(v)) for v in out]


def _tensor(a):
    number = next(k for k, t in _TYPES.items() if t == a.dtype)
    return _made("CreateTensor", _memory, _P(a.ctypes.data), a.nbytes,
                 (ctypes.c_int64 * a.ndim)(*a.shape), a.ndim, ctypes.c_int(number))


def _array(value):
    info, data = _made("TensorInfo", value), _made("TensorData", value)
    number, rank = ctypes.c_int(), ctypes.c_size_t()
    _call("ElementType", info, ctypes.pointer(number))
    _call("Rank", info, ctypes.pointer(rank))
    dims = (ctypes.c_int64 * rank.value)()
    _call("Dims", info, dims, rank.value)
    dtype = numpy.dtype(_TYPES[number.value])
    n = int(numpy.prod(list(dims), dtype=numpy.int64)) * dtype.itemsize
    return numpy.frombuffer(ctypes.string_at(data.value, n), dtype).reshape(list(dims))
