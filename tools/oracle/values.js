'use strict';
/* Prints what ONNX Runtime gives for the models of a directory, as lines of
 * tests/unit/onnx_values.inc.
 *
 *   node values.js DIR MODELS
 *
 * DIR is where install.sh put ONNX Runtime; MODELS was written by
 * `test_onnx_values --dump MODELS`, whose formula fills the inputs. */
const fs = require('fs');
const path = require('path');

const [dir, models] = process.argv.slice(2);
const ort = require(path.resolve(dir, 'node_modules', 'onnxruntime-node'));
const array = {
    float32: Float32Array, uint8: Uint8Array, int8: Int8Array,
    int32: Int32Array, int64: BigInt64Array, bool: Uint8Array,
};

function fill(type, n) {
    const v = new array[type](n);

    for (let i = 0; i < n; i++) {
        const p = (37 * i + 11) % 41 - 20;
        v[i] = type === 'float32' ? p / 8 : type === 'uint8' ? p + 20
             : type === 'bool' ? p & 1 : type === 'int64' ? BigInt(p) : p;
    }
    return v;
}

async function main() {
    for (const f of fs.readdirSync(models).sort()) {
        const name = path.basename(f, '.onnx');
        try {
            const s = await ort.InferenceSession.create(path.join(models, f), {
                graphOptimizationLevel: 'disabled', intraOpNumThreads: 1,
                interOpNumThreads: 1, logSeverityLevel: 3,
            });
            const m = s.inputMetadata[0];
            const shape = m.shape.map(Number);
            const n = shape.reduce((p, q) => p * q, 1);
            const r = await s.run({
                [m.name]: new ort.Tensor(m.type, fill(m.type, n), shape),
            });
            const y = r[s.outputNames[0]];
            const v = Array.from(y.data, (e) => Number(Number(e).toPrecision(8)));
            const tol = y.type === 'float32' ? '1e-5' : '0';
            console.log(`{"${name}", ${name}, ${tol}, ${v.length}, {`);
            for (let i = 0; i < v.length; i += 6)
                console.log(`    ${v.slice(i, i + 6).join(', ')},`);
            console.log('}},');
        } catch (e) {
            console.log(`// ${name}: ${e.message}`);
        }
    }
}

main();
