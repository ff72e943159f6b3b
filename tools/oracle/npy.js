'use strict';
/* Reading and writing .npy files. */
const fs = require('fs');

/* numpy's name: ONNX Runtime's, the array */
const kinds = {
    '<f4': ['float32', Float32Array], '|u1': ['uint8', Uint8Array],
    '|i1': ['int8', Int8Array], '<i4': ['int32', Int32Array],
    '<i8': ['int64', BigInt64Array], '|b1': ['bool', Uint8Array],
};

exports.read = file => {
    const b = fs.readFileSync(file);
    const at = b[6] > 1 ? 12 : 10;
    const end = at + (b[6] > 1 ? b.readUInt32LE(8) : b.readUInt16LE(8));
    const head = b.toString('latin1', at, end);
    const descr = /'descr': *'([^']*)'/.exec(head)[1];
    const dims = /'shape': *\(([^)]*)\)/.exec(head)[1]
        .split(',').map(s => s.trim()).filter(s => s).map(Number);
    if (!kinds[descr])
        throw new Error(`${file}: elements ${descr} are not known here`);
    const [type, Type] = kinds[descr];
    const bytes = b.buffer.slice(b.byteOffset + end, b.byteOffset + b.length);
    return {type, dims, data: new Type(bytes)};
};

exports.write = (file, type, dims, parts) => {
    const descr = Object.keys(kinds).find(k => kinds[k][0] === type);
    let head = `{'descr': '${descr}', 'fortran_order': False, ` +
        `'shape': (${dims.join(', ')},), }`;
    head += ' '.repeat(63 - (10 + head.length) % 64) + '\n';
    const start = Buffer.alloc(10);
    start.write('\x93NUMPY\x01\x00', 'latin1');
    start.writeUInt16LE(head.length, 8);
    const body = parts.map(p =>
        Buffer.from(p.buffer, p.byteOffset, p.byteLength));
    fs.writeFileSync(file, Buffer.concat(
        [start, Buffer.from(head, 'latin1'), ...body]));
};
