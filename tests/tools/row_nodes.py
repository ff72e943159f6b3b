# SPDX-License-Identifier: Apache-2.0
"""Graphs of one node on codes each, of kinds that rows of an arithmetic compute.

    row_nodes.py FOLDER

writes NAME.sn, NAME.args (of `sinter run`) and two samples of each input.
"""
import random
import sys

OUT = sys.argv[1]
GRIDS = ['0.031, 9', '0.047, -21']


def constant(name, n, kind, shape, lo=-128, hi=127):
    data = ', '.join(str(random.randint(lo, hi)) for _ in range(n))
    return f'  %{name} = Constant() {{data = [{data}]}} : {kind}{shape}\n'


def samples(path, dims):
    n = 2
    for d in dims[1:]:
        n *= d
    head = f"{{'descr': '|i1', 'fortran_order': False, 'shape': {(2,) + dims[1:]}, }}"
    head = head.ljust(117) + '\n'
    data = bytes(random.choice([random.randrange(256), 0x80, 0x7f]) for _ in range(n))
    with open(path, 'wb') as f:
        f.write(b'\x93NUMPY\x01\0' + len(head).to_bytes(2, 'little') + head.encode() + data)


def write(name, shapes, node, constants=''):
    text = 'sinter-graph 1\ngraph "g" {\n'
    for i, dims in enumerate(shapes):
        text += f'  %x{i} = Placeholder() : qi8<{GRIDS[i]}>[{",".join(map(str, dims))}]\n'
        samples(f'{OUT}/{name}_x{i}.npy', dims)
    text += f'{constants}  %y = {node}\n  Save(%y) {{name = "y"}}\n}}\n'
    with open(f'{OUT}/{name}.sn', 'w') as f:
        f.write(text)
    with open(f'{OUT}/{name}.args', 'w') as f:
        f.write(' '.join(f'--input x{i}={name}_x{i}.npy' for i in range(len(shapes))))


def pools():
    for name, attrs, shape, grid in [
            ('pool', 'kernel = [3,3], stride = [2,1], pads = [1,1,1,1]', '1,3,7,19', '0.04, -3'),
            ('pool_of_one_type', 'kernel = [2,3], stride = [2,2]', '1,3,3,19', '0.031, 9'),
            ('pool_with_pads', 'kernel = [3,3], pads = [1,1,1,1], count_include_pad = true, '
             'clamp = [-90, 77]', '1,6,7,19', '0.011, 5'),
            ('pool_whole', 'kernel = [6,7]', '1,1,1,19', '0.02, 0')]:
        write(name, [IMAGE], f'AvgPool(%x0) {{{attrs}}} : qi8<{grid}>[{shape}]')
    for name, axes, shape in [
            ('mean_of_rows', '[1]', '1,1,7,19'), ('mean_of_image', '[1,2]', '1,1,1,19'),
            ('mean_of_channels', '[-1]', '1,6,7,1'), ('mean', '[]', '1,1,1,1')]:
        write(name, [IMAGE], f'ReduceMean(%x0) {{axes = {axes}}} : qi8<0.019, -4>[{shape}]')


def deconvolutions():
    write('deconv', [(1, 4, 5, 6)],
          'ConvTranspose2D(%x0, %w, %b) {kernel = [3,3], stride = [2,2], pads = [1,1,0,0]} '
          ': qi8<0.09, -7>[1,8,10,10]',
          constant('w', 10 * 9 * 6, 'qi8<0.02, 3>', '[10,3,3,6]')
          + constant('b', 10, 'qi32<0.00062, 0>', '[10]', -999, 999))
    write('deconv_by_channel', [(1, 4, 5, 6)],
          'ChannelwiseConvTranspose2D(%x0, %w, _) {kernel = [2,2], stride = [2,2], group = 2} '
          ': qi8<0.05, 1>[1,8,10,4]',
          constant('w', 4 * 4 * 3, 'qi8<axis=0, [0.02, 0.01, 0.03, 0.004], [0, 0, 0, 0]>',
                   '[4,2,2,3]'))


def products():
    write('product', [(1, 5, 33), (1, 33, 18)], 'MatMul(%x0, %x1) : qi8<0.4, 6>[1,5,18]')
    write('product_transposed', [(1, 5, 33), (1, 18, 33)],
          'MatMul(%x0, %x1) {trans_b = true, clamp = [-77, _]} : qi8<0.3, -6>[1,5,18]')


def depthwise():
    write('depthwise', [IMAGE],
          'Conv2D(%x0, %w, _) {kernel = [3,3], pads = [1,1,1,1], group = 19} '
          ': qi8<0.09, -7>[1,6,7,19]', constant('w', 9 * 19, 'qi8<0.02, 5>', '[19,3,3,1]'))
    write('depthwise_few', [(1, 4, 5, 6)],
          'ChannelwiseConv2D(%x0, %w, _) {kernel = [2,3], group = 6} '
          ': qi8<0.09, -7>[1,3,3,6]',
          constant('w', 6 * 6, 'qi8<axis=0, [0.02, 0.01, 0.03, 0.004, 0.02, 0.01], '
                   '[0, 4, 0, -9, 0, 1]>', '[6,2,3,1]'))
    write('depthwise_apart', [IMAGE],
          'Conv2D(%x0, %w, %b) {kernel = [3,2], stride = [2,1], dilate = [1,2], group = 19} '
          ': qi8<0.09, -7>[1,2,5,19]',
          constant('w', 6 * 19, 'qi8<0.02, 0>', '[19,3,2,1]')
          + constant('b', 19, 'qi32<0.00062, 0>', '[19]', -999, 999))


def rows():
    write('variance', [IMAGE], 'Normalize(%x0) {axis = 3} : qi8<0.03, 1>[1,6,7,19]')
    write('square', [IMAGE], 'RMSNormalize(%x0) {axis = 1} : qi8<0.03, 1>[1,6,7,19]')


IMAGE = (1, 6, 7, 19)
random.seed(17)
for part in [pools, deconvolutions, products, depthwise, rows]:
    part()
