'use strict';
/* Compares two files of outputs: `node compare.js A.npy B.npy STEP
 * [LABELS.npy [SKIP]]` (the first SKIP labels left out) prints, in one line: top-1 of A and of B (or -), images whose
 * classes differ, the largest difference in steps of STEP, and how many of all
 * elements differ. */
const npy = require('./npy.js');

const [fa, fb, step, fl, skip] = process.argv.slice(2);
const first = Number(skip || 0);
const a = npy.read(fa), b = npy.read(fb), labels = fl ? npy.read(fl) : null;
const n = b.dims[0], width = b.data.length / n;

const top = (t, i) => {
    let best = 0;
    for (let k = 1; k < width; k++)
        if (t.data[i * width + k] > t.data[i * width + best])
            best = k;
    return best;
};

if (a.data.length !== b.data.length) {
    console.error(`${fa} and ${fb}: ${a.data.length} and ${b.data.length} ` +
        'elements');
    process.exit(1);
}
let right = [0, 0], moved = 0, most = 0, differ = 0;
for (let i = 0; i < n; i++) {
    const p = top(a, i), q = top(b, i);
    moved += p !== q;
    if (labels) {
        right[0] += p === Number(labels.data[first + i]);
        right[1] += q === Number(labels.data[first + i]);
    }
}
for (let k = 0; k < a.data.length; k++) {
    const d = Math.abs(Number(a.data[k]) - Number(b.data[k])) / Number(step);
    differ += d !== 0;
    most = Math.max(most, d);
}
const shown = v => labels ? (v / n).toFixed(4) : '-';
console.log(shown(right[0]), shown(right[1]), moved, Math.round(most),
    `${differ}/${a.data.length}`);
