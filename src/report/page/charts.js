// SPDX-License-Identifier: Apache-2.0
// Histograms, memory over the schedule, and the roofline.
"use strict";

function number(v) {
  if (v === null || v === undefined) return "";
  if (v === 0) return "0";
  const a = Math.abs(v);
  return a >= 1e5 || a < 1e-3 ? v.toExponential(2) : String(Number(v.toPrecision(4)));
}

function bytes(n) {
  if (n >= 1048576) return (n / 1048576).toFixed(2) + " MiB";
  return n >= 1024 ? (n / 1024).toFixed(1) + " KiB" : n + " B";
}

function percent(v) {
  return v === 0 ? "0 %" : v < 1e-4 ? "under 0.01 %" : (100 * v).toFixed(2) + " %";
}

function chart(host, w, h, label) {
  host.innerHTML = "";
  return svg("svg", { viewBox: `0 0 ${w} ${h}`, width: w, height: h, role: "img", "aria-label": label }, host);
}

function caption(host, text) {
  const c = document.createElement("figcaption");
  c.textContent = text;
  host.appendChild(c);
}

// Counts on a logarithmic scale; what the codes cut off is marked.
function drawRange(host, r) {
  const W = 860, H = 240, L = 46, B = 30, T = 12;
  const end = r.start + r.step * r.bins.length;
  const lo = Math.min(r.start, r.codes ? r.codes.from : r.start);
  const hi = Math.max(end, r.codes ? r.codes.to : end);
  const x = (v) => L + ((v - lo) / (hi - lo || 1)) * (W - L - 26);
  const top = Math.log10(Math.max(...r.bins, 1) + 1);
  const y = (n) => H - B - (Math.log10(n + 1) / top) * (H - B - T);
  const s = chart(host, W, H, `Histogram of ${r.value}, from ${number(r.min)} to ${number(r.max)}`);
  for (let d = 1; d < top; d++) {
    svg("line", { class: "c-line", x1: L, x2: W - 26, y1: y(10 ** d - 1), y2: y(10 ** d - 1) }, s);
    svg("text", { class: "c-text", x: L - 5, y: y(10 ** d - 1) + 4, "text-anchor": "end" }, s, "1e" + d);
  }
  r.bins.forEach((n, i) => {
    if (!n) return;
    const a = r.start + i * r.step, mid = a + r.step / 2;
    const cut = r.codes && (mid < r.codes.from || mid > r.codes.to);
    svg("rect", { class: cut ? "c-cut" : "c-bar", x: x(a), width: Math.max(0.5, x(a + r.step) - x(a) - 0.5), y: y(n), height: H - B - y(n) }, s);
  });
  svg("line", { class: "c-line", x1: L, x2: W - 26, y1: H - B, y2: H - B }, s);
  for (const [v, anchor] of [[lo, "start"], [hi, "end"]])
    svg("text", { class: "c-text", x: x(v), y: H - 10, "text-anchor": anchor }, s, number(v));
  if (lo < 0 && hi > 0) svg("text", { class: "c-text", x: x(0), y: H - 10, "text-anchor": "middle" }, s, "0");
  if (r.codes)
    for (const v of [r.codes.from, r.codes.to])
      svg("line", { class: "c-mark", x1: x(v), x2: x(v), y1: T, y2: H - B, "stroke-dasharray": "5 3" }, s);
  const c = r.codes;
  caption(host, `${r.count} values from ${number(r.min)} to ${number(r.max)}` + (r.nonfinite ? `, ${r.nonfinite} not finite` : "") +
    (c ? `. The codes (${c.elem}, dashed lines) represent ${number(c.from)} to ${number(c.to)}; cut off: ${percent(c.below)} below, ${percent(c.above)} above.`
       : ". This value has no codes of its own.") + " Counts on a logarithmic scale.");
}

// Offsets over steps: a rectangle for each block, the live bytes as a line.
function drawMemory(host, m, onSelect) {
  const W = 860, H = 320, L = 66, B = 26, T = 10;
  const n = Math.max(m.steps.length, 1), top = Math.max(m.arena, 1);
  const x = (k) => L + (k / n) * (W - L - 26), y = (b) => H - B - (b / top) * (H - B - T);
  const s = chart(host, W, H, `Memory over ${n} steps, peak ${bytes(m.peak)} at step ${m.peak_step}`);
  for (let k = 0; k <= 4; k++) {
    svg("line", { class: "c-line", x1: L, x2: W - 26, y1: y((top * k) / 4), y2: y((top * k) / 4) }, s);
    svg("text", { class: "c-text", x: L - 5, y: y((top * k) / 4) + 4, "text-anchor": "end" }, s, bytes(Math.round((top * k) / 4)));
  }
  for (const b of m.blocks) {
    const r = svg("rect", {
      class: "c-block", x: x(b.first), width: Math.max(1, x(b.last + 1) - x(b.first)),
      y: y(b.offset + b.bytes), height: Math.max(0.5, y(b.offset) - y(b.offset + b.bytes)),
    }, s);
    svg("title", {}, r, `${b.value}: ${bytes(b.bytes)} at ${b.offset}, steps ${b.first} to ${b.last}`);
    r.onclick = () => onSelect(b.value);
  }
  let d = "";
  m.steps.forEach((t, k) => { d += `${k ? "L" : "M"}${x(k)} ${y(t.live)}L${x(k + 1)} ${y(t.live)}`; });
  svg("path", { class: "c-mark", d }, s);
  svg("text", { class: "c-text", x: L, y: H - 8 }, s, "step 0");
  svg("text", { class: "c-text", x: W - 26, y: H - 8, "text-anchor": "end" }, s, "step " + (n - 1));
  const at = m.steps[m.peak_step];
  caption(host, `Blocks of the arena (${bytes(m.arena)}) and the bytes alive (line): the peak, ${bytes(m.peak)}, is at step ${m.peak_step}` + (at ? `, ${at.node}.` : "."));
}

// Operations a second over operations a byte, both logarithmic.
function drawRoofline(host, t) {
  const W = 860, H = 380, L = 60, B = 36, T = 14;
  const dots = t.nodes.filter((n) => n.ops > 0 && n.bytes > 0 && n.us > 0);
  if (!dots.length) return;
  const xs = dots.map((n) => Math.log10(n.ops / n.bytes)), ys = dots.map((n) => Math.log10(n.ops / n.us * 1e6));
  const roof = Math.log10(Math.max(t.peak_int8, t.peak_f32));
  const x0 = Math.floor(Math.min(...xs, -1)), x1 = Math.ceil(Math.max(...xs, 2));
  const y0 = Math.floor(Math.min(...ys)), y1 = Math.max(...ys, roof) + 0.25;
  const x = (v) => L + ((v - x0) / (x1 - x0)) * (W - L - 26), y = (v) => H - B - ((v - y0) / (y1 - y0)) * (H - B - T);
  const s = chart(host, W, H, "Roofline: operations a second over operations a byte");
  for (let d = x0; d <= x1; d++) {
    svg("line", { class: "c-line", x1: x(d), x2: x(d), y1: T, y2: H - B }, s);
    svg("text", { class: "c-text", x: x(d), y: H - B + 15, "text-anchor": "middle" }, s, number(10 ** d));
  }
  for (let d = y0; d <= y1; d++) {
    svg("line", { class: "c-line", x1: L, x2: W - 26, y1: y(d), y2: y(d) }, s);
    svg("text", { class: "c-text", x: L - 6, y: y(d) + 4, "text-anchor": "end" }, s, number(10 ** (d - 9)));
  }
  svg("text", { class: "c-text", x: (L + W) / 2, y: H - 4, "text-anchor": "middle" }, s, "operations a byte");
  svg("text", { class: "c-text", x: L + 4, y: T + 8 }, s, "GOPS");
  for (const [name, peak] of [["int8", t.peak_int8], ["f32", t.peak_f32]]) {
    if (!(peak > 0 && t.peak_read > 0)) continue;
    const p = Math.log10(peak), bend = p - Math.log10(t.peak_read), from = Math.max(x0, y0 - Math.log10(t.peak_read));
    svg("path", { class: "c-roof", d: `M${x(from)} ${y(from + Math.log10(t.peak_read))}L${x(bend)} ${y(p)}L${x(x1)} ${y(p)}` }, s);
    svg("text", { class: "c-text", x: W - 28, y: y(p) - 4, "text-anchor": "end" }, s, `${name} ${number(peak * 1e-9)}`);
  }
  const most = Math.max(...dots.map((n) => n.us));
  dots.forEach((n, i) => {
    const c = svg("circle", { class: "c-dot", cx: x(xs[i]), cy: y(ys[i]), r: 3 + 9 * Math.sqrt(n.us / most) }, s);
    svg("title", {}, c, `${n.node}: ${n.us.toFixed(1)} us, ${number(n.ops / n.us * 1e-3)} GOPS`);
  });
  caption(host, "Each dot is a node, its area the time it takes; the lines are what this machine can do. Above the slope, data comes from caches.");
}
