// SPDX-License-Identifier: Apache-2.0
// A pane: one graph as SVG, with blocks that open, one selected node, and keys.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, parent, text) {
  const e = document.createElementNS(SVG, tag);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  if (text !== undefined) e.textContent = text;
  if (parent) parent.appendChild(e);
  return e;
}

// The end of a name says more than its start.
function shorten(s, n) {
  return s.length <= n ? s : "\u2026" + s.slice(s.length - n + 1);
}

function shapeText(v) {
  return v.shape.length ? v.shape.join("\u00d7") : "scalar";
}

// Nodes of one graph of the report with what reads and feeds what.
function readGraph(list) {
  const nodes = list.map((n, i) => ({
    i, data: n, name: n.results.length ? n.results[0].name : n.label.replace(/ \(\w+\)$/, ""),
    group: n.source || (n.results.length ? n.results[0].name : ""), from: [], to: [],
  }));
  const maker = new Map();
  for (const n of nodes) for (const r of n.data.results) maker.set(r.name, n);
  for (const n of nodes)
    for (const v of n.data.inputs) {
      const f = !v.constant && v.value !== null && maker.get(v.value);
      if (!f) continue;
      n.from.push(f);
      f.to.push(n);
    }
  // What was put in between, and outputs, belong where their input does.
  for (const n of nodes)
    if (!n.data.source && n.from.length && (n.data.role === "output" || n.data.origin)) n.group = n.from[0].group;
  findBlocks(nodes);
  return { nodes, maker };
}

class Pane {
  // host: the element to draw in; title: over it; on: {select(node), heat(node)
  // -> {share, text} or null}.
  constructor(host, title, graph, on) {
    this.graph = graph;
    this.on = on;
    this.open = new Set();
    this.zoom = 1;
    this.hideMoves = false;
    this.selected = null;
    this.hits = new Set();
    host.innerHTML = "";
    const h = document.createElement("h3");
    h.textContent = title;
    host.appendChild(h);
    host.setAttribute("role", "application");
    host.setAttribute("aria-label", title + ": graph; arrow keys follow edges");
    host.tabIndex = 0;
    host.onkeydown = (e) => this.key(e);
    host.addEventListener("wheel", (e) => {
      if (!e.ctrlKey) return;
      e.preventDefault();
      this.scale(this.zoom * (e.deltaY < 0 ? 1.15 : 1 / 1.15));
    }, { passive: false });
    this.host = host;
  }

  // The blocks that are open at first: all, where that is few boxes.
  start() {
    if (this.graph.nodes.length <= 80) this.expand();
    else this.draw();
    this.fit(true);
  }

  expand() {
    for (const n of this.graph.nodes) for (const b of n.path) this.open.add(b);
    this.draw();
  }

  collapse() {
    this.open.clear();
    this.draw();
  }

  lines(box) {
    if (box.block !== undefined) {
      const shown = shorten(box.block.split("/").pop(), 26);
      return [{ c: "k", t: "\u25b8 " + shown }, { c: "s", t: box.nodes.length + " nodes" }];
    }
    const n = box.nodes[0], out = [{ c: "k", t: n.data.kind }, { c: "", t: shorten(n.name, 26) }];
    const r = n.data.results[0];
    if (r) out.push({ c: "s", t: r.elem + "  " + shapeText(r) });
    const heat = this.on.heat(n);
    if (heat) out.push({ c: "s", t: heat.text });
    return out;
  }

  // Of a block the hottest node.
  heatOf(box) {
    let most = null;
    for (const n of box.nodes) {
      const h = this.on.heat(n);
      if (h && (!most || h.share > most.share)) most = h;
    }
    return most;
  }

  draw() {
    const hidden = (n) => this.hideMoves && n.data.map === "permute";
    const v = visible(this.graph.nodes, this.open, hidden);
    const text = v.boxes.map((b) => this.lines(b));
    const size = text.map((t) => ({
      w: 22 + Math.max(...t.map((l) => l.t.length * (l.c === "k" ? 7.6 : 6.7)), 54), h: 12 + 15 * t.length,
    }));
    const l = layered(size, v.edges);
    if (this.root) this.root.remove();
    this.root = svg("svg", { viewBox: `0 0 ${Math.ceil(l.w)} ${Math.ceil(l.h)}`, "aria-hidden": "true" });
    this.view = v;
    this.plan = l;
    this.edge = l.paths.map((p) => svg("path", { class: "e", d: curve(p), "marker-end": "url(#arrow)" }));
    const defs = svg("defs", {}, this.root);
    const m = svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, defs);
    svg("path", { d: "M0 0 L8 4 L0 8 z", fill: "currentColor" }, m);
    for (const e of this.edge) this.root.appendChild(e);
    this.box = v.boxes.map((b, i) => this.drawBox(b, text[i], l.at[i]));
    this.host.appendChild(this.root);
    this.scale(this.zoom);
    this.mark();
  }

  drawBox(b, text, at) {
    const heat = this.heatOf(b), role = b.block !== undefined ? "block" : b.nodes[0].data.role;
    const g = svg("g", { class: "n " + role + (heat ? " hot" : ""), transform: `translate(${at.x - at.w / 2} ${at.y - at.h / 2})` }, this.root);
    if (heat) g.style.setProperty("--h", `hsl(${Math.round(120 - 120 * heat.share)} 65% var(--heat))`);
    svg("rect", { width: at.w, height: at.h, rx: 6 }, g);
    text.forEach((l, k) => svg("text", { class: l.c, x: at.w / 2, y: 18 + 15 * k, "text-anchor": "middle" }, g, l.t));
    svg("title", {}, g, b.block !== undefined ? b.block : b.nodes[0].data.label);
    g.onclick = () => this.choose(b);
    g.ondblclick = () => this.toggle(b);
    return g;
  }

  // A closed block opens; of an open one the innermost around the node closes.
  toggle(b) {
    if (b.block !== undefined) this.open.add(b.block);
    else {
      const around = b.nodes[0].path.filter((p) => this.open.has(p)).pop();
      if (around === undefined) return;
      this.open.delete(around);
    }
    const n = b.nodes[0];
    this.draw();
    this.select(n, true);
  }

  choose(b) {
    if (b.block !== undefined && this.selected && this.view.boxOf.get(this.selected) === b) this.toggle(b);
    else this.on.select(b.nodes[0], this, b.block);
  }

  select(n, reveal) {
    this.selected = n;
    this.mark();
    const box = n && this.view.boxOf.get(n);
    if (!box || !reveal) return;
    const at = this.plan.at[box.id], z = this.zoom, host = this.host;
    host.scrollLeft = at.x * z - host.clientWidth / 2;
    host.scrollTop = at.y * z - host.clientHeight / 2;
  }

  // Opens what hides n.
  reveal(n) {
    const closed = n.path.some((b) => !this.open.has(b));
    for (const b of n.path) this.open.add(b);
    if (closed) this.draw();
    this.select(n, true);
  }

  mark() {
    const sel = this.selected && this.view.boxOf.get(this.selected);
    this.view.boxes.forEach((b, i) => {
      this.box[i].classList.toggle("sel", b === sel);
      this.box[i].classList.toggle("hit", this.hits.size > 0 && b.nodes.some((n) => this.hits.has(n)));
    });
    this.view.edges.forEach((e, i) => this.edge[i].classList.toggle("on", Boolean(sel) && (e.from === sel.id || e.to === sel.id)));
  }

  scale(z) {
    this.zoom = Math.min(4, Math.max(0.05, z));
    this.root.setAttribute("width", this.plan.w * this.zoom);
    this.root.setAttribute("height", this.plan.h * this.zoom);
  }

  // first: no smaller than can be read, the input in sight.
  fit(first) {
    const w = (this.host.clientWidth - 20) / this.plan.w, h = (this.host.clientHeight - 40) / this.plan.h;
    this.scale(first ? Math.min(1, Math.max(w, 0.6)) : Math.min(1.5, w, h));
    if (first) this.host.scrollLeft = (this.plan.w * this.zoom - this.host.clientWidth) / 2;
  }

  key(e) {
    const step = { ArrowDown: "to", ArrowUp: "from", ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (step !== undefined) this.walk(step);
    else if (e.key === "Enter" && this.selected) this.toggle(this.view.boxOf.get(this.selected));
    else if (e.key === "+" || e.key === "=") this.scale(this.zoom * 1.2);
    else if (e.key === "-") this.scale(this.zoom / 1.2);
    else if (e.key === "0") this.fit(false);
    else return;
    e.preventDefault();
  }

  walk(step) {
    const { boxes, edges, boxOf } = this.view;
    const box = this.selected && boxOf.get(this.selected);
    let next = boxes[0];
    if (box && typeof step === "string") {
      const e = edges.find((k) => (step === "to" ? k.from : k.to) === box.id);
      next = e && boxes[step === "to" ? e.to : e.from];
    } else if (box) {
      const at = this.plan.at, here = at[box.id];
      const side = boxes.filter((b) => at[b.id].rank === here.rank && (at[b.id].x - here.x) * step > 0);
      next = side.sort((p, q) => Math.abs(at[p.id].x - here.x) - Math.abs(at[q.id].x - here.x))[0];
    }
    if (!next) return;
    this.on.select(next.nodes[0], this, next.block);
    this.select(next.nodes[0], true);
  }
}

// Through points from row to row: straight inside of a row, bent between two.
function curve(p) {
  let d = `M${p[0][0]} ${p[0][1]}`;
  for (let i = 1; i < p.length; i++) {
    const [x0, y0] = p[i - 1], [x1, y1] = p[i], m = (y0 + y1) / 2;
    d += Math.abs(x0 - x1) < 0.5 ? `L${x1} ${y1}` : `C${x0} ${m} ${x1} ${m} ${x1} ${y1}`;
  }
  return d;
}
