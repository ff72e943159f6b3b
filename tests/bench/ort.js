'use strict';
/* Times a model with ONNX Runtime, one thread.
 *
 *   node ort.js DIR MODEL [SECONDS]
 *
 * DIR is where tools/oracle/install.sh put ONNX Runtime.  Prints one JSON line
 * with the median and least milliseconds of a run on random inputs.  A run is
 * a call from JavaScript: some 20 to 40 microseconds of it are not the
 * model's, which matters for the smallest networks. */
const path = require('path');

const [dir, model, seconds] = process.argv.slice(2);
const ort = require(path.resolve(dir, 'node_modules', 'onnxruntime-node'));

let seed = 7;
function real() {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return (seed >>> 8) / 16777216;
}

function tensor(m) {
    const dims = m.shape.map(d => (typeof d === 'number' && d > 0 ? d : 1));
    const n = dims.reduce((a, b) => a * b, 1);
    if (m.type === 'float32')
        return new ort.Tensor('float32', Float32Array.from({length: n}, real),
                              dims);
    if (m.type === 'uint8')
        return new ort.Tensor('uint8',
            Uint8Array.from({length: n}, () => real() * 256), dims);
    if (m.type === 'int8')
        return new ort.Tensor('int8',
            Int8Array.from({length: n}, () => real() * 256 - 128), dims);
    return new ort.Tensor('int64', new BigInt64Array(n), dims);
}

async function main() {
    const s = await ort.InferenceSession.create(model, {
        graphOptimizationLevel: 'all', intraOpNumThreads: 1,
        interOpNumThreads: 1, logSeverityLevel: 3,
    });
    const feeds = {};
    for (const m of s.inputMetadata)
        feeds[m.name] = tensor(m);
    const t = [], limit = Number(seconds || 0.5) * 1e3;
    for (let i = 0; i < 5; i++)
        await s.run(feeds);
    const first = performance.now();
    while (t.length < 5 ||
           (performance.now() - first < limit && t.length < 2000)) {
        const t0 = performance.now();
        await s.run(feeds);
        t.push(performance.now() - t0);
    }
    t.sort((a, b) => a - b);
    console.log(JSON.stringify({
        model, runs: t.length, median_ms: t[t.length >> 1], least_ms: t[0],
    }));
}
main().catch(e => { console.error(String(e)); process.exit(1); });
