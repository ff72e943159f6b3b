# SPDX-License-Identifier: Apache-2.0
"""Writes the wheel: the package, its extension and what pip reads.  The same
files give the same bytes.  Usage: wheel.py VERSION EXTENSION DIRECTORY; prints
the path of the wheel."""
import base64
import hashlib
import os
import sys
import sysconfig
import zipfile

version, extension, to = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
tag = f"cp311-abi3-{platform}"
info = f"sinter-{version}.dist-info"

files = {}
for name in ("__init__.py", "py.typed"):
    with open(os.path.join(here, "sinter", name), "rb") as f:
        files[f"sinter/{name}"] = f.read()
with open(extension, "rb") as f:
    files["sinter/_core.abi3.so"] = f.read()
with open(os.path.join(here, "..", "LICENSE"), "rb") as f:
    files[f"{info}/LICENSE"] = f.read()
files[f"{info}/METADATA"] = f"""Metadata-Version: 2.1
Name: sinter
Version: {version}
Summary: float ONNX models to verified int8 models
License: Apache-2.0
Requires-Python: >=3.11
Requires-Dist: numpy
""".encode()
files[f"{info}/WHEEL"] = f"""Wheel-Version: 1.0
Generator: sinter
Root-Is-Purelib: false
Tag: {tag}
""".encode()

record = ""
for name, data in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record += f"{name},sha256={digest},{len(data)}\n"
files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()

path = os.path.join(to, f"sinter-{version}-{tag}.whl")
with zipfile.ZipFile(path, "w") as z:
    for name, data in files.items():
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
        z.writestr(entry, data)
print(path)
