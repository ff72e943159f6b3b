# SPDX-License-Identifier: Apache-2.0
# The files that tests/sh/report.sh made: check.py FOLDER SCHEMA
import json
import math
import re
import sys

import jsonschema

folder, schema = sys.argv[1:]
bad = 0


def t(name, ok, got=None):
    global bad
    print(f"{'ok' if ok else 'not ok'} report {name}" + ("" if ok else f": {got}"))
    bad |= not ok


def load(name):
    return json.load(open(f"{folder}/{name}.json"))


def in_page(name):
    text = open(f"{folder}/{name}.html").read()
    return text, json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


check = jsonschema.Draft202012Validator(json.load(open(schema)))
q, r, rt = in_page("q1")[1], load("r"), load("rt")
for name, d in ("quantize", q), ("report", r), ("timed", rt), ("timed page", in_page("timed")[1]), ("hostile", load("hostile")):
    errors = [f"{list(e.absolute_path)}: {e.message[:80]}" for e in check.iter_errors(d)]
    t(f"{name} follows the schema", not errors, errors[:3])
t("the page holds what --json prints", in_page("r")[1] == r)
t("times only where they were measured", "time" in rt and "time" not in r)
t("rewrites only where they are known", "fires" in q and "fires" not in r)
t("fires are those of the report in text", len(q["fires"]) > 10, len(q["fires"]))

# What the other verbs say.
text = open(f"{folder}/text").read()
m = re.search(r"top-1: float ([.\d]+), int8 ([.\d]+)", text)
t("top-1", all(abs(float(m[k]) - d["accuracy"][v]) < 1e-9 for d in (q, r) for k, v in ((1, "top1_float"), (2, "top1_int8"))),
  [m[1], m[2], r["accuracy"]["top1_float"], r["accuracy"]["top1_int8"]])
c = load("compare")
t("worst output", c["worst_output_db"] == r["accuracy"]["worst_output_db"])
t("each error is that of compare",
  [(v["name"], v.get("local", {}).get("sqnr_db")) for v in c["values"]] ==
  [(v["name"], v["local"]["sqnr_db"] if "local" in v and v["local"]["sqnr_db"] != "exact" else None)
   for v in r["accuracy"]["values"]])
m = re.search(r"arena (\d+) bytes \(peak (\d+) in use\), constants (\d+)", text)
t("memory", (int(m[1]), int(m[2]), int(m[3])) == (r["memory"]["arena"], r["memory"]["peak"], r["model"]["constant_bytes"]))

# Ranges, memory and graphs on their own.
values = {v["name"]: v for n in r["int8_graph"] for v in n["results"]}
for g in r["ranges"]:
    if sum(g["bins"]) != g["count"] or not g["start"] <= g["min"] <= g["max"] < g["start"] + len(g["bins"]) * g["step"]:
        t(f"histogram of {g['value']}", False, g)
image = next(g for g in r["ranges"] if g["value"] == "image")
v = values["image.q"]
t("range of the input's codes", math.isclose(image["codes"]["from"], v["scale"] * (-128.5 - v["zero_point"]), rel_tol=1e-6) and
  math.isclose(image["codes"]["to"], v["scale"] * (127.5 - v["zero_point"]), rel_tol=1e-6), [image["codes"], v])
peak = max(s["live"] for s in r["memory"]["steps"])
t("peak", peak == r["memory"]["peak"] == r["memory"]["steps"][r["memory"]["peak_step"]]["live"])
for i, s in enumerate(r["memory"]["steps"]):
    live = sum(b["bytes"] for b in r["memory"]["blocks"] if b["first"] <= i <= b["last"])
    if live != s["live"]:
        t(f"blocks alive at step {i}", False, [live, s])
names = {v["name"] for n in r["int8_graph"] for v in n["results"]}
t("inputs are results", all(v["value"] in names for n in r["int8_graph"] for v in n["inputs"] if v["value"] and "constant" not in v))
roles = {n["role"] for n in r["int8_graph"]}
t("roles", {"input", "output", "contract", "convert", "move", "other"} == roles, roles)

# A Rescale with its reasons, and names that would end the script.
h = load("hostile")
w = h["rescales"]
t("why", [k["name"] for k in w] == ["r</script>"] and len(w[0]["reasons"]) > 0, w)
t("role of a Rescale", [n["label"] for n in h["int8_graph"] if n["role"] == "rescale"] == ["r</script> (Rescale)"])
page, d = in_page("hostile")
t("no name ends the script", d == h and page.count("</script>") == 2, page.count("</script>"))
t("the title is text", "<title>a&lt;/script>&lt;b>&amp;amp;: sinter report</title>" in page)
links = set(re.findall(r"https?://[^\"'` )]+", page))
t("no address but the name of SVG", links == {"http://www.w3.org/2000/svg"}, links)
t("no source of another file", not re.search(r"\bsrc=|@import|url\((?!#)", page))
sys.exit(bad)
