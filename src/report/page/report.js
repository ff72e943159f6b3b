// SPDX-License-Identifier: Apache-2.0
// The report: reads the data, fills the sections, joins graphs, tables, details.
"use strict";

const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const bare = (label) => label.replace(/ \([^()]*\)$/, "");

function el(tag, parent, text, attributes) {
  const e = document.createElement(tag);
  if (text !== undefined && text !== null) e.textContent = text;
  for (const k in attributes || {}) e.setAttribute(k, attributes[k]);
  if (parent) parent.appendChild(e);
  return e;
}

const db = (v) => (v === "exact" ? "exact" : v === null || v === undefined ? "none" : v.toFixed(1) + " dB");
// "exact" is above all, no signal below.
const dbRank = (v) => (v === "exact" ? Infinity : v === null || v === undefined ? -Infinity : v);

// Columns: {name, value(row), sort(row), num, cell(td, row)}.  Headers sort; rows
// beyond the limit come on request.
function table(host, columns, rows, limit) {
  let by = -1, up = true, all = rows.length <= limit;
  const wide = el("div", null, null, { class: "wide" }), t = el("table", wide);
  const head = el("tr", el("thead", t)), body = el("tbody", t);
  const more = el("button", null, `Show all ${rows.length}`, { type: "button", class: "more" });
  const fill = () => {
    body.textContent = "";
    const sorted = rows.slice();
    const key = by >= 0 && (columns[by].sort || columns[by].value);
    if (key) sorted.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (up ? 1 : -1));
    for (const r of all ? sorted : sorted.slice(0, limit)) {
      const tr = el("tr", body);
      for (const c of columns) {
        const td = el("td", tr, c.cell ? null : c.value(r), c.num ? { class: "num" } : {});
        if (c.cell) c.cell(td, r);
      }
    }
    more.hidden = all;
  };
  columns.forEach((c, i) => {
    const th = el("th", head, null, c.num ? { class: "num", scope: "col" } : { scope: "col" });
    el("button", th, c.name, { type: "button" }).onclick = () => {
      up = by === i ? !up : true;
      by = i;
      for (const o of head.children) o.removeAttribute("aria-sort");
      th.setAttribute("aria-sort", up ? "ascending" : "descending");
      fill();
    };
  });
  more.onclick = () => {
    all = true;
    fill();
  };
  host.textContent = "";
  host.append(wide, more);
  fill();
}

function link(td, text, go) {
  el("button", td, text, { type: "button" }).onclick = go;
}

// ---- what belongs to a node ----

const graphs = { int8: readGraph(data.int8_graph), float: readGraph(data.float_graph) };
const errorOfNode = new Map(), errorOfValue = new Map();
for (const v of data.accuracy.values) {
  if (v.weights) continue;
  errorOfNode.set(v.node, v);
  errorOfValue.set(v.name, v);
}
const timeOf = new Map(data.time ? data.time.nodes.map((t) => [bare(t.node), t]) : []);
const rangeOf = new Map(data.ranges.map((r) => [r.value, r]));
const whyOf = new Map(data.rescales.map((r) => [r.name, r]));
const floatOf = new Map(data.stays_float.map((f) => [f.node, f]));
const slowest = Math.max(1e-9, ...[...timeOf.values()].map((t) => t.us));
const WIDTH = { f32: 32, f16: 16, qi32: 32, qi16: 16, i32: 32, i64: 64 };
const errorOf = (n) => errorOfNode.get(n.data.label) || errorOfValue.get(n.name);

// 60 dB and more is cold, 10 dB and less is hot.
function heatOfError(v, key) {
  if (!v || !v[key]) return null;
  const r = dbRank(v[key].sqnr_db);
  return { share: Math.min(1, Math.max(0, (60 - r) / 50)), text: db(v[key].sqnr_db) };
}

const heats = {
  role: () => null,
  local: (n) => heatOfError(errorOf(n), "local"),
  cumulative: (n) => heatOfError(errorOf(n), "cumulative"),
  time: (n) => {
    const t = timeOf.get(n.name);
    return t ? { share: Math.sqrt(t.us / slowest), text: t.us.toFixed(1) + " us" } : null;
  },
  bits: (n) => {
    const r = n.data.results[0], w = r && (WIDTH[r.elem] || 8);
    return r ? { share: w <= 8 ? 0 : w <= 16 ? 0.5 : 1, text: w + " bits" } : null;
  },
};
const legends = {
  role: [["contract", "sums of products"], ["rescale", "Rescale"], ["convert", "other conversion"], ["move", "moves data"], ["input", "input or output"], ["block", "block: Enter or a second click opens it"]],
  local: "green 60 dB and more, red 10 dB and less: the node alone on exact inputs; of a block its worst",
  cumulative: "green 60 dB and more, red 10 dB and less: the value against the float model's; of a block its worst",
  time: "red: the slowest node; of a block its slowest",
  bits: "green 8 bits, yellow 16, red 32 and more",
};

// ---- the graph ----

let panes = [];

function drawLegend() {
  const host = $("legend"), l = legends[$("colour").value];
  host.textContent = "";
  if (typeof l === "string") el("span", host, l);
  else
    for (const [role, text] of l) {
      const s = el("span", host);
      el("i", s, null, { style: `background: var(--${role})` });
      s.append(text);
    }
}

function openPanes() {
  const which = $("which").value, host = $("panes");
  const names = which === "both" ? ["float", "int8"] : [which];
  host.textContent = "";
  panes = names.map((name) => {
    const p = new Pane(el("div", host, null, { class: "pane" }), name === "int8" ? "int8 model" : "float model", graphs[name], {
      heat: (n) => heats[$("colour").value](n),
      select: (n, from, block) => select(n, from, block),
    });
    p.hideMoves = $("moves").checked;
    return p;
  });
  for (const p of panes) p.start();
  search();
}

// The node of another graph with the same value.
function twin(pane, n) {
  const m = pane.graph.maker;
  return m.get(n.name) || m.get(n.name.replace(/\.\w+$/, "")) || null;
}

function select(n, from, block) {
  for (const p of panes) {
    const t = p === from ? n : twin(p, n);
    if (p === from) p.select(t, false);
    else if (t) p.reveal(t);
  }
  showDetails(n, block);
}

// From a table or a chart: by the name of a value.
function go(name) {
  for (const p of panes) {
    const n = p.graph.maker.get(name) || p.graph.nodes.find((k) => k.name === name);
    if (!n) continue;
    for (const q of panes) {
      const t = q === p ? n : twin(q, n);
      if (t) q.reveal(t);
    }
    showDetails(n);
    $("graph").scrollIntoView();
    return;
  }
}

function typeText(v) {
  const q = v.scale !== undefined ? `, scale ${number(v.scale)}, zero point ${v.zero_point}`
    : v.scales !== undefined ? `, ${v.scales} scales along axis ${v.axis} from ${number(v.scale_min)} to ${number(v.scale_max)}` : "";
  return `${v.elem} ${shapeText(v)}${q}`;
}

function addErrors(dl, v) {
  for (const [key, name] of [["local", "local error"], ["cumulative", "cumulative error"]]) {
    if (!v[key]) continue;
    el("dt", dl, name);
    el("dd", dl, `${db(v[key].sqnr_db)}, max error ${number(v[key].max_error)}`);
  }
}

function showDetails(n, block) {
  const host = $("details"), d = n.data;
  host.textContent = "";
  if (block !== undefined) {
    el("h3", host, "Block " + block);
    el("p", host, "Press Enter, or click it again, to open it. Its first node:");
  }
  el("h3", host, d.label);
  const dl = el("dl", host);
  const row = (name, text) => {
    el("dt", dl, name);
    return el("dd", dl, text);
  };
  const attributes = Object.entries(d.attributes);
  if (attributes.length)
    row("attributes", attributes.map(([k, v]) => k + " = " + (Array.isArray(v) ? `[${v.map((x) => (x === null ? "_" : x)).join(",")}]` : JSON.stringify(v))).join(", "));
  for (const v of d.inputs) {
    if (v.value === null) continue;
    if (v.constant) row(v.port, `${v.value}: ${typeText(v)}`);
    else link(row(v.port), v.value, () => go(v.value));
  }
  for (const r of d.results) row("result", `${r.name}: ${typeText(r)}`);
  const e = errorOf(n), t = timeOf.get(n.name);
  if (e) addErrors(dl, e);
  if (t) row("time", `${t.us.toFixed(1)} us, ${t.kernel || "evaluator"}; at this machine's limits ${t.floor_us.toFixed(1)} us`);
  if (d.source) row("from ONNX", d.source);
  if (d.origin) row("made by", d.origin);
  const w = d.results.length && whyOf.get(d.results[0].name);
  if (w) putWhy(host, w);
  const f = floatOf.get(d.label);
  if (f) el("p", host, "Stays float: " + f.why, { class: "why" });
  const r = rangeOf.get(n.name);
  if (r) {
    link(el("p", host), "Range and histogram", () => {
      showRange(r);
      $("ranges").scrollIntoView();
    });
  }
}

function putWhy(host, w) {
  const p = el("div", host, null, { class: "why" });
  el("p", p, `This Rescale, from ${w.from} to ${w.to}, is left because:`);
  const ul = el("ul", p);
  for (const r of w.reasons) el("li", ul, `${r.rule}: ${r.text}`);
  if (!w.reasons.length) el("li", ul, "no rule or family applies to it");
}

function search() {
  const text = $("search").value.trim().toLowerCase(), hits = [];
  for (const p of panes) {
    p.hits = new Set(text ? p.graph.nodes.filter((n) => n.data.label.toLowerCase().includes(text)) : []);
    for (const n of p.hits) hits.push([p, n]);
    p.mark();
  }
  $("found").textContent = text ? `${hits.length} nodes match` : "";
  $("hits").hidden = !text;
  $("hits").textContent = "";
  for (const [p, n] of hits.slice(0, 40))
    link(el("li", $("hits")), n.data.label, () => {
      p.reveal(n);
      select(n, p);
    });
}

function setUpGraph() {
  for (const id of ["which", "moves"]) $(id).onchange = openPanes;
  $("colour").onchange = () => {
    drawLegend();
    for (const p of panes) p.draw();
  };
  $("controls").onsubmit = (e) => {
    e.preventDefault();
    const first = $("hits").querySelector("button");
    if (first) first.click();
  };
  $("search").oninput = search;
  const each = (f) => () => panes.forEach(f);
  $("expand").onclick = each((p) => p.expand());
  $("collapse").onclick = each((p) => p.collapse());
  $("smaller").onclick = each((p) => p.scale(p.zoom / 1.25));
  $("larger").onclick = each((p) => p.scale(p.zoom * 1.25));
  $("fit").onclick = each((p) => p.fit(false));
  if (!data.time) $("colour").querySelector("[value=time]").remove();
  drawLegend();
  openPanes();
}

// ---- the other sections ----

function card(name, text) {
  const d = el("div", $("cards"));
  el("dt", d, name);
  el("dd", d, text);
}

function summary() {
  const m = data.model, a = data.accuracy;
  card("worst output", db(a.worst_output_db));
  if (a.labels) card(`top-1 of ${a.labels}`, `${a.top1_float.toFixed(4)} float, ${a.top1_int8.toFixed(4)} int8`);
  card("samples compared", a.samples);
  card("quantized nodes", `${m.nodes_on_codes} of ${m.nodes_on_codes + m.nodes_on_reals + m.nodes_on_integers}`);
  card("float nodes", m.nodes_on_reals);
  card("Rescales left", m.rescales);
  card("constants", `${bytes(m.float_constant_bytes)} float, ${bytes(m.constant_bytes)} int8`);
  card("arena", bytes(data.memory.arena));
  if (data.time) card("time per run", `${data.time.median_ms.toFixed(3)} ms, ${data.time.threads} thread${data.time.threads === 1 ? "" : "s"}`);
  for (const k of ["float", "int8"]) if (m[k]) card(k + " model", m[k]);
  if (m.settings) {
    $("settings").hidden = false;
    $("settings").textContent = m.settings.trim();
  }
}

function errors() {
  const part = (key) => ({ value: (v) => (v[key] ? db(v[key].sqnr_db) : ""), sort: (v) => (v[key] ? dbRank(v[key].sqnr_db) : Infinity), num: true });
  $("errors-note").textContent = "SQNR of each value, worst first. Local: the error of this node alone, with the float model's values as operands. Cumulative: includes what the nodes above it lost." +
    (data.accuracy.unmatched ? ` ${data.accuracy.unmatched} values have no counterpart in the float model.` : "");
  table($("errors-table"), [
    { name: "value", value: (v) => v.name, cell: (td, v) => (v.weights ? td.append(v.name + " (weights)") : link(td, v.name + (v.output ? " (output)" : ""), () => go(v.name))) },
    { name: "local", ...part("local") }, { name: "cumulative", ...part("cumulative") },
    { name: "max error", num: true, value: (v) => number((v.cumulative || v.local || {}).max_error), sort: (v) => (v.cumulative || v.local || { max_error: 0 }).max_error },
    { name: "type", value: (v) => v.elem },
  ], data.accuracy.values, 25);
}

function showRange(r) {
  $("range").value = r.value;
  drawRange($("range-chart"), r);
}

function ranges() {
  const cut = (r) => (r.codes ? r.codes.below + r.codes.above : 0);
  $("ranges-note").textContent = data.ranges.length ? "Values of the float model on the data, and the interval that their codes represent." : "No range is known.";
  if (!data.ranges.length) return;
  for (const r of data.ranges) el("option", $("range"), r.value, { value: r.value });
  $("range").onchange = () => showRange(rangeOf.get($("range").value));
  showRange(data.ranges.reduce((a, b) => (cut(b) > cut(a) ? b : a)));
  table($("ranges-table"), [
    { name: "value", value: (r) => r.value, cell: (td, r) => link(td, r.value, () => showRange(r)) },
    { name: "cut off", num: true, value: (r) => (r.codes ? percent(cut(r)) : ""), sort: cut },
    { name: "from", num: true, value: (r) => number(r.min), sort: (r) => r.min },
    { name: "to", num: true, value: (r) => number(r.max), sort: (r) => r.max },
    { name: "codes from", num: true, value: (r) => (r.codes ? number(r.codes.from) : ""), sort: (r) => (r.codes ? r.codes.from : 0) },
    { name: "codes to", num: true, value: (r) => (r.codes ? number(r.codes.to) : ""), sort: (r) => (r.codes ? r.codes.to : 0) },
    { name: "type", value: (r) => (r.codes ? r.codes.elem : "") },
  ], data.ranges.slice().sort((a, b) => cut(b) - cut(a)), 15);
}

function memory() {
  $("memory-note").textContent = `The arena holds all computed values: ${bytes(data.memory.arena)}. Constants take ${bytes(data.model.constant_bytes)}.`;
  drawMemory($("memory-chart"), data.memory, go);
}

function time() {
  const t = data.time;
  if (!t) {
    $("time-note").textContent = "Not measured (--untimed).";
    return;
  }
  const all = t.nodes.reduce((s, n) => s + n.us, 0) || 1;
  $("time-note").textContent = `${t.median_ms.toFixed(4)} ms per run, the median of ${t.runs}, on ${t.threads} thread${t.threads === 1 ? "" : "s"} (${t.cpu}, backend ${t.backend}). "limit" is the least time at this machine's peak rates.`;
  drawRoofline($("roofline"), t);
  table($("time-table"), [
    { name: "node", value: (n) => n.node, cell: (td, n) => link(td, n.node, () => go(bare(n.node))) },
    { name: "us", num: true, value: (n) => n.us.toFixed(1), sort: (n) => -n.us },
    { name: "share", num: true, value: (n) => percent(n.us / all), sort: (n) => -n.us, cell: (td, n) => {
      el("span", td, null, { class: "meter", style: `width: ${((60 * n.us) / t.nodes[0].us).toFixed(1)}px` });
      td.append(" " + percent(n.us / all));
    } },
    { name: "limit, us", num: true, value: (n) => n.floor_us.toFixed(1), sort: (n) => -n.floor_us },
    { name: "GOPS", num: true, value: (n) => (n.us > 0 ? number(n.ops / n.us * 1e-3) : ""), sort: (n) => -n.ops / n.us },
    { name: "kernel", value: (n) => n.kernel || "evaluator" },
  ], t.nodes, 25);
}

function rewrites() {
  const host = $("rules-table");
  if (data.fires) {
    const by = new Map();
    for (const f of data.fires) by.set(f.rule, (by.get(f.rule) || []).concat(f));
    $("rewrites-note").textContent = `${data.fires.length} rewrites were applied, by ${by.size} rules.`;
    table(host, [
      { name: "times", num: true, value: (r) => r[1].length, sort: (r) => -r[1].length },
      { name: "rule", value: (r) => r[0] },
      { name: "where", value: (r) => r[1][0].node, cell: (td, r) => {
        const d = el("details", td);
        el("summary", d, r[1].slice(0, 3).map((f) => f.node).join(", ") + (r[1].length > 3 ? " \u2026" : ""));
        const ul = el("ul", d);
        for (const f of r[1]) el("li", ul, f.node + (f.detail ? ": " + f.detail : "") + (f.waived ? " (drops a saturation that calibration data never reached)" : ""));
      } },
    ], [...by].sort((a, b) => b[1].length - a[1].length), 40);
  } else {
    $("rewrites-note").textContent = "The rewrites are known only to a page that quantize --report writes.";
  }
  if (!data.rescales.length) el("p", $("rescales"), "None.");
  for (const w of data.rescales) {
    link(el("p", $("rescales")), `${w.name}, after ${w.producer}`, () => go(w.name));
    putWhy($("rescales"), w);
  }
  if (!data.stays_float.length) el("p", $("floats"), "None.");
  else
    table($("floats"), [
      { name: "node", value: (f) => f.node, cell: (td, f) => link(td, f.node, () => go(bare(f.node))) },
      { name: "why", value: (f) => f.why },
    ], data.stays_float, 40);
}

function theme() {
  const root = document.documentElement, b = $("theme");
  const set = (dark) => {
    root.classList.toggle("dark", dark);
    b.setAttribute("aria-pressed", String(dark));
  };
  set(matchMedia("(prefers-color-scheme: dark)").matches);
  b.onclick = () => set(!root.classList.contains("dark"));
}

// From a link, as those of `sinter draw --link`.
function follow() {
  const m = /^#node=((?:[^%]|%[0-9A-F]{2})+)$/.exec(location.hash);
  if (m) go(decodeURIComponent(m[1]));
}

theme();
summary();
setUpGraph();
errors();
ranges();
memory();
time();
rewrites();
follow();
addEventListener("hashchange", follow);
