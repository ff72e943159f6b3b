#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of tests/images and what Pillow makes of them.

Needs Debian's python3-pil and python3-numpy; run in tests/images, it writes the
pictures and vectors.inc.  The tests need neither: they read what is there."""

import numpy as np
from PIL import Image


def picture(w, h, k):
    """The same as `picture` in tests/unit/test_image.c."""
    y, x = np.mgrid[0:h, 0:w]
    a = np.stack([(x * 7 + y * 3 + k * 40) % 256, (x * x + y * 5) % 256,
                  (x * y + k * 13) % 256], -1)
    return Image.fromarray(a.astype(np.uint8))


def fnv(data):
    """FNV-1a of 64 bits."""
    h = 0xcbf29ce484222325
    for b in data:
        h = (h ^ b) * 0x100000001b3 % 2**64
    return h


def files():
    p = picture(23, 17, 2)
    p.save("rgb.png")
    p.convert("L").save("gray.png")
    p.convert("1").save("bits.png")
    p.quantize(19).save("palette.png", transparency=3)
    q = p.convert("RGBA")
    q.putalpha(Image.fromarray((np.arange(23 * 17) % 256).astype(np.uint8)
                               .reshape(17, 23)))
    q.save("rgba.png")
    p.save("rgb.jpg", quality=90)
    p.save("full.JPEG", quality=75, subsampling=0, progressive=True)
    p.convert("L").save("gray.jpg", quality=80)
    p.convert("CMYK").save("cmyk.jpg")


def shorter(p, side):
    """torchvision's Resize(side)."""
    w, h = p.size
    return p.resize((side, side * h // w) if w <= h else (side * w // h, side),
                    Image.BILINEAR)


def middle(p, w, h):
    """torchvision's CenterCrop."""
    x, y = int(round((p.size[0] - w) / 2.0)), int(round((p.size[1] - h) / 2.0))
    return p.crop((x, y, x + w, y + h))


def main():
    files()
    with open("vectors.inc", "w", encoding="ascii") as f:
        f.write("// SPDX-License-Identifier: Apache-2.0\n"
                "/* Written by vectors.py with Pillow. */\n")
        for n in ("rgb.png", "gray.png", "bits.png", "palette.png", "rgba.png",
                  "rgb.jpg", "full.JPEG", "gray.jpg"):
            h = fnv(Image.open(n).convert("RGB").tobytes())
            f.write('FILE_IS("%s", UINT64_C(0x%016x))\n' % (n, h))
        for w, h, to_w, to_h in ((7, 5, 3, 2), (3, 3, 8, 8), (40, 30, 16, 16),
                                 (1, 1, 5, 4), (17, 9, 17, 4), (17, 9, 5, 9),
                                 (64, 48, 63, 47), (200, 3, 7, 3),
                                 (31, 200, 64, 9), (5, 5, 5, 5)):
            p = picture(w, h, 1).resize((to_w, to_h), Image.BILINEAR)
            f.write("RESIZED(%d, %d, %d, %d, UINT64_C(0x%016x))\n" %
                    (w, h, to_w, to_h, fnv(p.tobytes())))
        for w, h, side, cw, ch in ((40, 30, 20, 16, 16), (30, 41, 17, 16, 17),
                                   (33, 33, 32, 31, 31), (90, 40, 24, 24, 24)):
            p = picture(w, h, 3)
            p = middle(shorter(p, side), cw, ch)
            f.write("CUT(%d, %d, %d, %d, %d, UINT64_C(0x%016x), "
                    "UINT64_C(0x%016x))\n" %
                    (w, h, side, cw, ch, fnv(p.tobytes()),
                     fnv(p.convert("L").tobytes())))


main()
