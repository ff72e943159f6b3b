// SPDX-License-Identifier: Apache-2.0
// Blocks of nodes by name, and where a graph's boxes and edges go.  Nothing here
// knows of the page: tests run it on its own.
"use strict";

// The names that a path has: "a/b.c/d.1" is in a, in a/b.c.  Dots divide only
// where there is no slash; a number at the end is part of the last name.
function pathOf(name) {
  const sep = name.includes("/") ? "/" : ".";
  const parts = name.split(sep).filter((p) => p !== "");
  while (parts.length > 1 && /^\d+$/.test(parts[parts.length - 1])) {
    const last = parts.pop();
    parts.push(parts.pop() + sep + last);
  }
  return parts.slice(0, -1);
}

// Gives each node .path: the blocks it is in, the outermost first.  A block with
// less than two nodes, or with all there are, is none.
function findBlocks(nodes) {
  const count = new Map();
  for (const n of nodes) {
    n.path = [];
    let at = "";
    for (const p of pathOf(n.group)) {
      at = at === "" ? p : at + "/" + p;
      n.path.push(at);
      count.set(at, (count.get(at) || 0) + 1);
    }
  }
  // A block that holds just what the block around it does adds nothing.
  for (const n of nodes) {
    let around = nodes.length;
    n.path = n.path.filter((b) => {
      const k = count.get(b);
      const keep = k > 1 && k < around;
      if (keep) around = k;
      return keep;
    });
  }
  return count;
}

// Nodes as they are seen while the blocks in `open` are: boxes with the nodes in
// them, and the edges between boxes, each once.  Nodes that `hidden` holds for
// are led through, from their first input.
function visible(nodes, open, hidden) {
  const boxes = [], boxOf = new Map(), byKey = new Map();
  const through = (n) => {
    const seen = new Set();
    while (n && hidden(n) && n.from.length && !seen.has(n)) {
      seen.add(n);
      n = n.from[0];
    }
    return n;
  };
  for (const n of nodes) {
    if (hidden(n) && n.from.length) continue;
    const closed = n.path.find((b) => !open.has(b));
    const key = closed === undefined ? n : closed;
    if (!byKey.has(key)) {
      byKey.set(key, { id: boxes.length, block: closed, nodes: [] });
      boxes.push(byKey.get(key));
    }
    byKey.get(key).nodes.push(n);
    boxOf.set(n, byKey.get(key));
  }
  const edges = [], have = new Set();
  for (const n of nodes) {
    if (!boxOf.has(n)) continue;
    for (const f of n.from) {
      const from = through(f), a = boxOf.get(from), b = boxOf.get(n);
      if (!a || a === b) continue;
      const key = a.id * 1e7 + b.id;
      if (have.has(key)) continue;
      have.add(key);
      edges.push({ from: a.id, to: b.id });
    }
  }
  return { boxes, edges, boxOf };
}

// Edges against a depth-first walk are turned: blocks may read each other.
function acyclic(n, edges) {
  const out = Array.from({ length: n }, () => []), state = new Uint8Array(n);
  edges.forEach((e, i) => out[e.from].push(i));
  const turned = new Uint8Array(edges.length);
  for (let root = 0; root < n; root++) {
    if (state[root]) continue;
    const stack = [[root, 0]];
    state[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      if (top[1] === out[top[0]].length) {
        state[top[0]] = 2;
        stack.pop();
        continue;
      }
      const i = out[top[0]][top[1]++], to = edges[i].to;
      if (state[to] === 1) turned[i] = 1;
      if (state[to] === 0) {
        state[to] = 1;
        stack.push([to, 0]);
      }
    }
  }
  return edges.map((e, i) => (turned[i] ? [e.to, e.from] : [e.from, e.to]));
}

// Longest path from the sources; what nothing leads to is just above its first
// reader.
function rankOf(n, arcs) {
  const out = Array.from({ length: n }, () => []), into = new Int32Array(n);
  for (const [a, b] of arcs) {
    out[a].push(b);
    into[b]++;
  }
  const rank = new Int32Array(n), left = Int32Array.from(into), order = [];
  for (let i = 0; i < n; i++) if (!left[i]) order.push(i);
  for (let k = 0; k < order.length; k++)
    for (const b of out[order[k]]) {
      rank[b] = Math.max(rank[b], rank[order[k]] + 1);
      if (--left[b] === 0) order.push(b);
    }
  for (let i = 0; i < n; i++)
    if (!into[i] && out[i].length) rank[i] = Math.min(...out[i].map((b) => rank[b])) - 1;
  return rank;
}

// One row of places each: boxes, and a joint for a source in each row that its
// edges only pass, so that edges do not cross boxes and share their way.
function makeRows(size, arcs, rank) {
  const place = size.map((s, i) => ({ box: i, w: s.w, h: s.h, rank: rank[i], up: [], down: [] }));
  const last = new Map();
  const way = arcs.map(([a, b]) => {
    let at = a;
    const points = [];
    for (let r = rank[a] + 1; r < rank[b]; r++) {
      const key = a * 1e6 + r;
      if (!last.has(key)) {
        place.push({ box: -1, w: 2, h: 0, rank: r, up: [], down: [] });
        last.set(key, place.length - 1);
        place[at].down.push(place.length - 1);
        place[place.length - 1].up.push(at);
      }
      at = last.get(key);
      points.push(at);
    }
    place[at].down.push(b);
    place[b].up.push(at);
    return points;
  });
  const rows = [];
  place.forEach((p, i) => {
    while (rows.length <= p.rank) rows.push([]);
    rows[p.rank].push(i);
  });
  return { place, rows, way };
}

// How often edges between neighbouring rows cross.
function crossings(place, rows) {
  let total = 0;
  const at = new Int32Array(place.length);
  rows.forEach((row) => row.forEach((p, i) => { at[p] = i; }));
  for (let r = 0; r + 1 < rows.length; r++) {
    const tree = new Int32Array(rows[r + 1].length + 1);
    let seen = 0;
    for (const p of rows[r]) {
      const to = place[p].down.map((q) => at[q]).sort((x, y) => x - y);
      for (const q of to) {
        let before = 0;
        for (let i = q + 1; i > 0; i -= i & -i) before += tree[i];
        total += seen - before;
      }
      for (const q of to) {
        for (let i = q + 1; i < tree.length; i += i & -i) tree[i]++;
        seen++;
      }
    }
  }
  return total;
}

// Rows ordered by the middle of their neighbours, up and down in turn; the best
// order that was seen is kept.
function orderRows(place, rows) {
  const at = new Float64Array(place.length);
  const number = (row) => row.forEach((p, i) => { at[p] = i; });
  rows.forEach(number);
  let best = rows.map((r) => r.slice()), least = crossings(place, rows);
  for (let round = 0; round < 8 && least > 0; round++) {
    const down = round % 2 === 0;
    for (let k = 1; k < rows.length; k++) {
      const row = rows[down ? k : rows.length - 1 - k];
      const want = new Map(row.map((p) => {
        const near = down ? place[p].up : place[p].down;
        return [p, near.length ? near.reduce((s, q) => s + at[q], 0) / near.length : at[p]];
      }));
      row.sort((x, y) => want.get(x) - want.get(y) || at[x] - at[y]);
      number(row);
    }
    const now = crossings(place, rows);
    if (now < least) {
      least = now;
      best = rows.map((r) => r.slice());
    }
  }
  best.forEach((r, i) => { rows[i] = r; });
}

// The places of a row nearest to those wanted (least squares) that keep their
// order and distance: neighbours that come too close are moved as one.
function spread(row, place, want, weight, gap) {
  const off = [0];
  for (let i = 1; i < row.length; i++)
    off.push(off[i - 1] + (place[row[i - 1]].w + place[row[i]].w) / 2 + gap);
  const pools = [];
  row.forEach((p, i) => {
    let pool = { sum: (want[p] - off[i]) * weight(p), w: weight(p), n: 1 };
    while (pools.length && pools[pools.length - 1].sum * pool.w >= pool.sum * pools[pools.length - 1].w) {
      const before = pools.pop();
      pool = { sum: before.sum + pool.sum, w: before.w + pool.w, n: before.n + pool.n };
    }
    pools.push(pool);
  });
  let i = 0;
  for (const pool of pools)
    for (let k = 0; k < pool.n; k++, i++) want[row[i]] = pool.sum / pool.w + off[i];
}

// Boxes of sizes [{w, h}] with edges [{from, to}] between them: the middle of
// each box, the points that each edge goes through, and the size of it all.
function layered(size, edges) {
  const ROW = 34, GAP = 26;
  const arcs = acyclic(size.length, edges);
  const { place, rows, way } = makeRows(size, arcs, rankOf(size.length, arcs));
  orderRows(place, rows);
  const x = new Float64Array(place.length), want = new Float64Array(place.length);
  const weight = (p) => (place[p].box < 0 ? 4 : 1);
  for (const row of rows) spread(row, place, x, weight, GAP);
  for (let round = 0; round < 14; round++) {
    const down = round % 2 === 0;
    for (let k = 0; k < rows.length; k++) {
      const row = rows[down ? k : rows.length - 1 - k];
      for (const p of row) {
        const near = round > 9 ? place[p].up.concat(place[p].down) : down ? place[p].up : place[p].down;
        want[p] = near.length ? near.reduce((s, q) => s + x[q], 0) / near.length : x[p];
      }
      spread(row, place, want, weight, GAP);
      for (const p of row) x[p] = want[p];
    }
  }
  return settle(size, edges, arcs, { place, rows, way, x, row: ROW });
}

// Heights, the left edge at 0, and edges as points from top to bottom.
function settle(size, edges, arcs, l) {
  const MARGIN = 16;
  const { place, rows, way, x } = l;
  const top = [], height = [];
  let y = MARGIN, left = Infinity, right = -Infinity;
  rows.forEach((row, r) => {
    height[r] = Math.max(...row.map((p) => place[p].h), 0);
    top[r] = y;
    y += height[r] + l.row;
    for (const p of row) {
      left = Math.min(left, x[p] - place[p].w / 2);
      right = Math.max(right, x[p] + place[p].w / 2);
    }
  });
  if (!rows.length) left = right = 0;
  const shift = MARGIN - left;
  const at = size.map((s, i) => ({
    x: x[i] + shift, y: top[place[i].rank] + height[place[i].rank] / 2, w: s.w, h: s.h, rank: place[i].rank,
  }));
  const paths = edges.map((e, i) => {
    const [a, b] = arcs[i], points = [[at[a].x, at[a].y + at[a].h / 2]];
    for (const p of way[i]) {
      const r = place[p].rank;
      points.push([x[p] + shift, top[r]], [x[p] + shift, top[r] + height[r]]);
    }
    points.push([at[b].x, at[b].y - at[b].h / 2]);
    return a === e.from ? points : points.reverse();
  });
  return { at, paths, w: right - left + 2 * MARGIN, h: y - l.row + MARGIN };
}

if (typeof module !== "undefined")
  module.exports = { pathOf, findBlocks, visible, acyclic, rankOf, makeRows, crossings, orderRows, spread, layered };
