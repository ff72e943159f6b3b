// SPDX-License-Identifier: Apache-2.0
// The layout of the report's graphs: node layout_test.js LAYOUT.JS
"use strict";
const L = require(require("path").resolve(process.argv[2]));
let bad = 0;
function t(name, ok, got) {
  console.log(`${ok ? "ok" : "not ok"} report layout ${name}${ok ? "" : ": " + JSON.stringify(got)}`);
  if (!ok) bad = 1;
}
const same = (name, got, want) => t(name, JSON.stringify(got) === JSON.stringify(want), got);

// ---- blocks ----
same("path", L.pathOf("a/b.c/d"), ["a", "b.c"]);
same("path of dots", L.pathOf("layer1.0.conv"), ["layer1", "0"]);
same("number at the end", L.pathOf("conv1.2"), []);
same("number at the end of a path", L.pathOf("a/b/7"), ["a"]);
function graph(names, from) {
  const nodes = names.map((n) => ({ group: n, name: n, from: [], to: [] }));
  from.forEach((f, i) => f.forEach((k) => {
    nodes[i].from.push(nodes[k]);
    nodes[k].to.push(nodes[i]);
  }));
  L.findBlocks(nodes);
  return nodes;
}
const g = graph(["x", "a/p", "a/q", "b/r", "b/c/s", "b/c/t", "y"], [[], [0], [1], [2], [3], [4], [5, 0]]);
same("blocks", g.map((n) => n.path), [[], ["a"], ["a"], ["b"], ["b", "b/c"], ["b", "b/c"], []]);
same("a block of one is none", graph(["x", "a/p"], [[], [0]])[1].path, []);
same("a block of all is none", graph(["a/x", "a/p"], [[], [0]])[1].path, []);

const none = () => false;
let v = L.visible(g, new Set(), none);
same("closed", v.boxes.map((b) => b.block || b.nodes[0].name), ["x", "a", "b", "y"]);
same("edges between blocks", v.edges.map((e) => [e.from, e.to]), [[0, 1], [1, 2], [2, 3], [0, 3]]);
v = L.visible(g, new Set(["b"]), none);
same("open", v.boxes.map((b) => b.block || b.nodes[0].name), ["x", "a", "b/r", "b/c", "y"]);
v = L.visible(g, new Set(["a", "b", "b/c"]), (n) => n.name === "a/q");
same("hidden", v.boxes.map((b) => b.nodes[0].name), ["x", "a/p", "b/r", "b/c/s", "b/c/t", "y"]);
same("led through", v.edges.map((e) => [e.from, e.to]), [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [0, 5]]);

// ---- order and places ----
same("turned edge", L.acyclic(3, [{ from: 0, to: 1 }, { from: 1, to: 2 }, { from: 2, to: 0 }]), [[0, 1], [1, 2], [0, 2]]);
same("ranks", [...L.rankOf(5, [[0, 1], [1, 2], [0, 2], [3, 2]])], [0, 1, 2, 1, 0]);
const want = [0, 0, 0];
L.spread([0, 1, 2], [{ w: 10 }, { w: 10 }, { w: 10 }], want, () => 1, 5);
same("spread", want, [-15, 0, 15]);

// Every box apart from the others, edges from bottom to top, never through one.
function check(name, size, edges) {
  const l = L.layered(size, edges);
  let apart = true, through = true, inside = true;
  l.at.forEach((a, i) => {
    if (!(a.x - a.w / 2 >= 0 && a.x + a.w / 2 <= l.w && a.y - a.h / 2 >= 0 && a.y + a.h / 2 <= l.h)) inside = false;
    for (let k = i + 1; k < size.length; k++) {
      const b = l.at[k];
      if (Math.abs(a.x - b.x) < (a.w + b.w) / 2 && Math.abs(a.y - b.y) < (a.h + b.h) / 2) apart = false;
    }
  });
  l.paths.forEach((p) => {
    for (const [x, y] of p.slice(1, -1))
      for (const a of l.at)
        if (Math.abs(x - a.x) < a.w / 2 && Math.abs(y - a.y) < a.h / 2) through = false;
  });
  t(name, apart && through && inside, { apart, through, inside });
  return l;
}
const box = (n) => Array.from({ length: n }, (_, i) => ({ w: 80 + (i % 3) * 30, h: 40 }));
const fire = check("two arms", box(4), [{ from: 0, to: 1 }, { from: 0, to: 2 }, { from: 1, to: 3 }, { from: 2, to: 3 }]);
t("arms at one height", fire.at[1].y === fire.at[2].y && fire.at[0].y < fire.at[1].y, fire.at);
check("no edges", box(3), []);
check("nothing", [], []);
let seed = 1;
const draw = (n) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return seed % n;
};
for (let round = 0; round < 30; round++) {
  const n = 2 + draw(40), edges = [];
  for (let i = 1; i < n; i++)
    for (let k = 0; k < 1 + draw(3); k++) {
      const from = draw(i);
      if (!edges.some((e) => e.from === from && e.to === i)) edges.push({ from, to: i });
    }
  check(`drawn ${round}, ${n} boxes`, box(n), edges);
}
const planar = L.makeRows(box(4), [[0, 2], [0, 3], [1, 2], [1, 3]], [0, 0, 1, 1]);
same("crossings", L.crossings(planar.place, planar.rows), 1);
process.exit(bad);
