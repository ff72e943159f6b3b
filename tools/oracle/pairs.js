'use strict';
/* Runs models and what they were exported as on the same inputs.
 *
 *   node pairs.js DIR MODELS
 *
 * DIR is where install.sh put ONNX Runtime.  MODELS holds NAME.onnx and
 * NAME.FORM.onnx; names, element types, shapes and values of inputs and outputs
 * must be the same.
 * A line "ok", "not ok" or "skip" for each export: node has no bfloat16. */
const fs = require('fs'), path = require('path');

const [dir, models] = process.argv.slice(2);
const ort = require(path.resolve(dir, 'node_modules', 'onnxruntime-node'));
const open = file => ort.InferenceSession.create(path.join(models, file), {
    graphOptimizationLevel: 'disabled', intraOpNumThreads: 1,
    interOpNumThreads: 1, logSeverityLevel: 3,
});

const half = v => { /* integers below 2048 */
    if (v === 0)
        return 0;
    const m = Math.abs(v), e = Math.floor(Math.log2(m));
    return (v < 0 ? 0x8000 : 0) | (e + 15) << 10 | (m / 2 ** e - 1) * 1024;
};
const arrays = {
    float32: Float32Array, float64: Float64Array, uint8: Uint8Array,
    int8: Int8Array, int32: Int32Array, bool: Uint8Array,
    int64: BigInt64Array, float16: Uint16Array,
};

function input(m, i) {
    const n = m.shape.reduce((a, d) => a * d, 1);
    const v = Array.from({length: n}, (_, k) => (k * 37 + 11 + 5 * i) % 251);
    const put = {
        bool: x => x & 1, int64: x => BigInt(x - 125), float16: x => half(x - 125),
        uint8: x => x, int32: x => (x - 125) * 3,
    }[m.type] || (x => x - 125);
    if (m.type === 'float16' && typeof Float16Array !== 'undefined')
        return new ort.Tensor(m.type, new Float16Array(
            v.map(x => x - 125)), m.shape);
    return new ort.Tensor(m.type, arrays[m.type].from(v, put), m.shape);
}

const sign = m => m.map(p => `${p.name}:${p.type}[${p.shape}]`).join(' ');
const elements = t => Array.from(t.data, Number);

async function compare(file, whole) {
    const x = await open(whole), y = await open(file);
    for (const s of ['inputMetadata', 'outputMetadata'])
        if (sign(x[s]) !== sign(y[s]))
            return `${sign(y[s])}, not ${sign(x[s])}`;
    const feeds = {};
    x.inputMetadata.forEach((m, i) => { feeds[m.name] = input(m, i); });
    const a = await x.run(feeds), b = await y.run(feeds);
    for (const name of x.outputNames) {
        const p = elements(a[name]), q = elements(b[name]);
        const k = p.findIndex((v, i) => v !== q[i]);
        if (k >= 0)
            return `${name}[${k}] is ${q[k]}, not ${p[k]}`;
    }
    return '';
}

async function main() {
    for (const f of fs.readdirSync(models).sort()) {
        const m = /^([^.]*)\.[^.]*\.onnx$/.exec(f);
        if (!m)
            continue;
        const why = await compare(f, `${m[1]}.onnx`)
            .catch(e => e.message || String(e));
        const word = !why ? 'ok'
            : why === 'Unsupported data type: 16' ? 'skip' : 'not ok';
        console.log(`${word} ${f}${why ? ': ' + why : ''}`);
    }
}

main();
