'use strict';
/* Runs a model with ONNX Runtime, one thread, sample by sample.
 *
 *   node run.js DIR LEVEL MODEL OUT.npy [--skip N] [--n N] [--mul X,..]
 *       [--add X,..] INPUT.npy...
 *
 * DIR is where install.sh put ONNX Runtime; LEVEL of graph optimizations is
 * disabled, basic, extended or all.  Inputs hold samples along their first
 * axis, in the order of the model's inputs.  As in `sinter run`, --mul and
 * --add make reals of pixels, and pictures [H, W, C] are brought into a
 * model's order.  OUT.npy gets the first output of all samples. */
const path = require('path');
const npy = require('./npy.js');

const [dir, level, model, out, ...rest] = process.argv.slice(2);
const ort = require(path.resolve(dir, 'node_modules', 'onnxruntime-node'));
const opt = {}, files = [];
while (rest.length) {
    const a = rest.shift();
    if (a.startsWith('--'))
        opt[a.slice(2)] = rest.shift().split(',').map(Number);
    else
        files.push(a);
}

const f32 = Math.fround;
const pick = (v, c) => f32(v.length > 1 ? v[c] : v[0]);

/* One sample, in the model's order of axes. */
function sample(t, i, shape) {
    const size = t.data.length / t.dims[0];
    let data = t.data.slice(i * size, (i + 1) * size), type = t.type;
    const dims = t.dims.slice(1);
    const hwc = dims.length === 3 && shape.length === 4 &&
        shape[1] === dims[2] && shape[2] === dims[0] && shape[3] === dims[1];
    const plane = shape.length === 4 ? shape[2] * shape[3] : size;
    if (hwc) {
        const c = dims[2], to = data.slice();
        for (let k = 0; k < size; k++)
            to[(k % c) * plane + Math.floor(k / c)] = data[k];
        data = to;
    }
    if (opt.mul || opt.add) {
        type = 'float32';
        data = Float32Array.from(data, (v, k) => {
            const c = Math.floor(k / plane);
            v = opt.mul ? f32(v * pick(opt.mul, c)) : v;
            return opt.add ? f32(v + pick(opt.add, c)) : v;
        });
    }
    return new ort.Tensor(type, data, shape);
}

async function main() {
    const s = await ort.InferenceSession.create(model, {
        graphOptimizationLevel: level, intraOpNumThreads: 1,
        interOpNumThreads: 1, logSeverityLevel: 3,
    });
    const inputs = files.map(npy.read);
    /* a dimension without a number is a batch of one */
    const shapes = s.inputMetadata.map(
        m => m.shape.map(d => typeof d === 'number' ? d : 1));
    const skip = opt.skip ? opt.skip[0] : 0, left = inputs[0].dims[0] - skip;
    const n = opt.n ? Math.min(opt.n[0], left) : left;
    const parts = [];
    let dims = null, type = null;
    for (let i = 0; i < n; i++) {
        const feeds = {};
        s.inputNames.forEach((name, k) => {
            feeds[name] = sample(inputs[k], skip + i, shapes[k]);
        });
        const y = (await s.run(feeds))[s.outputNames[0]];
        dims = y.dims;
        type = y.type;
        parts.push(y.data.slice());
    }
    npy.write(out, type, [n, ...dims.slice(1)], parts);
}

main().catch(e => {
    console.error(`${model}: ${e.message || e}`);
    process.exit(1);
});
