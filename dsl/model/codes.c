// SPDX-License-Identifier: Apache-2.0
/* The message codes.  SN0xx: reading files; SN1xx: nodes, names and types of
 * expressions; SN2xx: rules; SN3xx: soundness; SN4xx: ending;
 * SN5xx: which rule applies; SN6xx: backends; SN7xx: kernels and plugins. */
#include "dsl/model/codes.h"

#include <string.h>

const SnCode sn_code_list[] = {
    {"SN001", "syntax",
     "The text does not follow the grammar here.  The message lists what "
     "could have stood in this place; reading goes on after the next ';' or "
     "'}', so that other errors of the file are reported in the same run."},
    {"SN002", "no version",
     "A file begins with 'version 2;', so that a later version of the "
     "language can still read it as it was meant."},
    {"SN003", "unknown version",
     "The file is written in a version of the language that this program "
     "does not read.  From version 1 to 2: maps are declared, and a file that "
     "names them includes maps.def (or nodes.def, which does); block is "
     "space_to_depth and depth_to_space, bag with offsets is bag_at; a move "
     "over a map that reads outside of its operand says what is there (over "
     "pad(..) else q(0))."},
    {"SN004", "stray character",
     "No word, number or sign of the language begins with this character.  "
     "Conditions are joined by 'and', 'or' and 'not'; comments begin with "
     "two slashes."},
    {"SN005", "open string", "A string ends on the line it begins on."},
    {"SN006", "unknown escape",
     "In a string a backslash is followed by n, t, a quote, a backslash, or "
     "x and two hexadecimal digits."},
    {"SN007", "number out of range",
     "The number cannot be held, or is outside of what makes sense in this "
     "place; integers have 63 bits, reals are binary64."},
    {"SN008", "nested too deeply",
     "Brackets and operators nest at most 200 deep."},
    {"SN009", "file cannot be read",
     "An included file exists but could not be read, or is no text file."},
    {"SN010", "no such file",
     "An included file is looked for beside the file that includes it, then "
     "in the directories given with -I."},
    {"SN011", "includes itself",
     "A file includes itself, directly or through others.  A file may be "
     "included from several places; it is read once."},
    {"SN012", "given twice",
     "A part that may stand once is given a second time."},
    {"SN013", "outside a pass",
     "Rules, tests and preferences stand in a pass.  Only a file with a "
     "backend may have them at top level; they form its pass 'backend'."},
    {"SN014", "second backend",
     "A file declares one backend; what the file declares belongs to it."},
    {"SN015", "attribute type",
     "Attributes are int, real, bool, str, enum {..}, int[n], int[], "
     "real[], type, or range(port)."},
    {"SN016", "too many errors",
     "After 100 errors the rest of a file is not read."},

    {"SN101", "unknown name",
     "Nothing of this name is declared.  The help line gives the closest "
     "known name and where it is declared."},
    {"SN102", "wrong number",
     "A node, function, map or tuple is given more or fewer things than it "
     "takes.  In a pattern every operand is written: '_' stands for one "
     "that may be anything, also missing.  On the right side of a rule an "
     "optional operand may be left out."},
    {"SN103", "declared twice",
     "Two things of the same sort have the same name.  Ports and "
     "attributes of a node share their names, as both are written n.name; "
     "so do the rules and derived families of a pass.  An ONNX operator of one "
     "opset is read as one node."},
    {"SN104", "types do not fit",
     "An expression has another type than its place needs: an attribute is "
     "given a value of another type, a condition is not true or false, two "
     "things are compared that never can be equal.  A quantized type has a "
     "scale, so 'x.type == q8' says nothing; 'x.type in [q8]' asks for the "
     "storage kind."},
    {"SN105", "no scale fact",
     "Every port that some tuple quantizes has exactly one fact: free (any "
     "scale), same (codes are passed on, scales agree with another port's), "
     "fixed (one given scale), pin (a product of other operands' scales) or "
     "given (nobody may retype it).  The rewrites that apply to the node "
     "follow from these facts."},
    {"SN106", "two facts",
     "A port has two scale facts, or a result two meanings."},
    {"SN107", "fact without use",
     "A scale fact is about a port that no tuple of the node quantizes.  If "
     "that is meant, the meaning says so: trusted \"why\"."},
    {"SN108", "fact that cannot hold",
     "A node has one 'same' group; it names at least two ports (or a "
     "variadic one), and in each tuple they have one storage kind.  A "
     "fixed scale lies in [2^-100, 2^100]."},
    {"SN109", "pin",
     "A pinned scale is the product of up to three other operands' scales "
     "and its zero point is 0, as for a bias on the accumulator's grid: "
     "pin b (x.scale * w.scale, 0)."},
    {"SN110", "free, but read raw",
     "The meaning reads the codes of a port that is declared free.  Codes "
     "of another scale mean other values, so a rewrite that changes the "
     "scale would change the result.  Either the port is same, or the "
     "formula reads d(port)."},
    {"SN111", "same, but read as values",
     "All reads of a port in a 'same' group go through d(), so its scale "
     "could be anything: 'free' would let Rescales be absorbed and merged.  "
     "Where the node cannot do that (a kernel that writes on the grid it "
     "reads), the fact says why: same x, y because \"...\"."},
    {"SN112", "raw codes and facts",
     "A pinned or fixed port is read as raw codes, or a free or fixed "
     "result passes on codes that were not rounded to its type.  Codes are "
     "passed on between ports that are same."},
    {"SN113", "formula",
     "In a formula a port stands for its code, d(x) for its value, and "
     "q(..) for a value rounded to the type of the result.  Arithmetic is "
     "on values; codes may be selected (max, min) among codes."},
    {"SN114", "no arithmetic",
     "A quantized tuple computes by a row of the arithmetic contract.  "
     "Point formulas, contracts, selections and means have one by their "
     "class; other window formulas name theirs (`by lrn`, say), or the node "
     "has no quantized tuple."},
    {"SN115", "no meaning",
     "Each result has one meaning: sem CLASS y = FORMULA over MAP(..); or "
     "the node is opaque and runs only lowered."},
    {"SN116", "argument of a map",
     "The arguments of an index map are operands, attributes of the "
     "expected type, or numbers; an axis is an attribute, which a Transpose "
     "renumbers."},
    {"SN117", "class and meaning",
     "The class of a meaning, its formula and its map contradict one "
     "another: a move copies one operand; each class goes with some maps."},
    {"SN118", "commutes",
     "Operands commute when exchanging them changes neither the tuples, "
     "the facts nor the meaning, nor any value: 'when' says under which "
     "condition on attributes and the result's type.  Patterns then match "
     "both orders."},
    {"SN119", "within",
     "'within clamp' clamps what q(..) rounds: the formula is q(..), and "
     "the attribute is a range of that result."},
    {"SN120", "scales along an axis",
     "A per-axis type carries one scale for each slice along an axis.  A "
     "node that moves elements along axes would have to move the scales "
     "too; it is declared for types without them.  One sum of products "
     "of codes is scaled once, so its elements have to be of one slice."},
    {"SN121", "ports",
     "A node has at most 32 operands and 32 results; one operand may be "
     "variadic, no result may."},
    {"SN122", "form",
     "A form inherits the ports and the meaning of its base.  A kinds "
     "block replaces the base's, facts replace those of the ports they "
     "name, attributes add."},
    {"SN123", "tuple",
     "A tuple gives one type for each port: 'T for T in act' makes one "
     "tuple of each type of an alternation; 'T...' stands at a variadic "
     "port; '_' at an optional one that the tuple does not have."},
    {"SN124", "kernel without tuple",
     "A kernel line names a tuple the node does not have.  The message "
     "lists those it has."},
    {"SN125", "opset", "An ONNX line gives a range of opsets that is empty."},
    {"SN126", "refine",
     "A backend may narrow the facts of a core node; it cannot change what "
     "the node is."},
    {"SN127", "word taken",
     "Names of ports and attributes become names in C; words of C, and "
     "'calibrated', are taken."},
    {"SN128", "opaque and quantized",
     "An opaque node has no formula to compute with; it is lowered to "
     "nodes that have one, as floats."},
    {"SN129", "attribute not given",
     "A node is made without a value for an attribute that has no default. "
     " 'like n' copies the attributes that n has by the same name."},
    {"SN130", "test expects nothing",
     "A test states what it expects: a term, a condition, or the text of "
     "an error."},

    {"SN131", "no effect",
     "The statement can be read and says nothing.  The map of a meaning gives "
     "the shape of a result, which an invariant may restrict; where Quantize "
     "and Dequantize stand is decided by the built-in pass 'place'."},
    {"SN132", "operator as a term",
     "An ONNX operator is declared as a term of its operands, numbers and "
     "nodes: onnx \"Mod\" 10.. (a, b) {fmod = 1} => Sub(a, Mul(Div(a, b), b)). "
     " "
     "Every operand, attribute and value that it names is used; one "
     "that may be missing (x?) goes where a node's operand may, all further "
     "ones (x...) to a node that takes any number, or to one of two operands, "
     "which is applied to them from the left.  There are at most 255 inputs, "
     "attributes, and operands of one node."},
    {"SN133", "operator never read so",
     "Declarations of one operator are tried in their order.  One whose "
     "operands, attributes and element types an earlier one takes too is "
     "never reached."},
    {"SN134", "nothing meets it",
     "A default breaks its own 'where', or the constraints and invariants of a "
     "node contradict one another: no graph has such a node."},
    {"SN180", "map",
     "A map has one 'result' and at most one 'taps' behind it, and reads each "
     "operand whose elements are not numbers for it.  'centre', 'divisor', "
     "'number', 'parts' and 'primitive' say something about a set and need "
     "'taps'.  A statement sees the names before it; how large the result is "
     "depends neither on places in it nor on elements of operands."},
    {"SN181", "pattern of an operand",
     "An operand of a map has one item for each dimension or run of "
     "dimensions: n, d..., k[s]..., 1|d..., p?, d @ axis.  Which dimensions "
     "an item takes must be clear: one run of unknown length, or one on "
     "each side of an '@'.  A name that stands twice is equally long in both "
     "places."},
    {"SN182", "number or list",
     "In a map each expression is a number or a list along one run of axes, "
     "and an operator works on lists element by element.  Lists along "
     "different runs have nothing to do with each other and do not meet.  A "
     "parameter int[2, s] is two lists: pads[0] and pads[1]."},
    {"SN183", "parameter of a map",
     "Parameters of a map are operands, int, bool, real, enum {..}, lists of "
     "numbers (int[] of their own length, int[s] and real[s] one for each "
     "axis of s, int[2, s] two such lists), axis(x) and axes(x).  A default "
     "is of the same type and names only what stands before it."},
    {"SN184", "text of a map",
     "In the text of a 'require' an expression in braces is replaced by its "
     "value where the condition fails: a number, or a list along the "
     "condition's run."},
    {"SN185", "test of a map",
     "A test of a map gives operands (dimensions, then the elements where the "
     "map looks at them) and parameters in their order, and what follows: a "
     "text with which they are refused, or the result's dimensions and for "
     "each element of the result, row by row, what is read."},
    {"SN190", "arithmetic",
     "An arithmetic says what a machine computes on codes.  Its scales are "
     "functions of a value and of q and s, which 'ratio' makes of a ratio of "
     "scales: q of 1 to 62 bits, s within -62..126, formed in f64 or f32; one "
     "outside the shifts is zero, or refused.  'codes', 'zero' and 'scales' "
     "restrict types of x and w, 'bias' and 'accumulate' sums of products."},
    {"SN191", "row of an arithmetic",
     "A row is for kinds, or for any node of a form (convert, contract, mean, "
     "sum, difference, product, point), and the first that applies counts.  "
     "Its formula gives a code from the operands' codes, their scales and "
     "zero points; 'when' is about round, wide and whole."},
    {"SN192", "more than 64 bits",
     "Integers of a row have 64 bits and never wrap around, for any codes, "
     "sums and multipliers that they may be.  mulshr has an exact product, "
     "sat and wrap bound a value."},
    {"SN193", "a row that its vectors contradict",
     "The file that 'vectors' of an arithmetic names has values and what the "
     "machine gives for them.  Each row gives the same, or is not what the "
     "machine computes."},

    {"SN201", "bound twice",
     "A name is bound twice on the left side.  A variable may be repeated "
     "(the same value in both places), a captured node or a list not."},
    {"SN202", "unbound",
     "A name is used on the right side, in a condition or a let, but the "
     "left side does not bind it."},
    {"SN203", "type not known",
     "A node without ': T' takes the type that its facts and operands "
     "force: the only kind its tuples give, the type of an operand in its "
     "'same' group, or its fixed type.  Here nothing does; write the type."},
    {"SN204", "no tuple",
     "No tuple of the node takes operands of these types, or gives this "
     "result."},
    {"SN205", "no claim",
     "A rule says how its result compares: exact, within n lsb, refines, "
     "real E, or lossy.  Only a rule that changes an interface says "
     "nothing; it is opt-in, as is a lossy one.  A pass says with 'allow' "
     "what may fire."},
    {"SN206", "other type",
     "The value that replaces the root has a type that is not provably the "
     "root's.  A condition can make it so: when x.type == o.type."},
    {"SN207", "real on codes",
     "'real E' compares over the reals; all ports are f32.  The left side, "
     "with its condition, admits quantized types."},
    {"SN208", "tuple missing for some types",
     "For some of the types that the left side admits, the right side makes "
     "a node without a tuple.  The rule does not apply then; a condition "
     "on the type says so to the reader."},
    {"SN209", "applies to nothing",
     "No node satisfies what a derived family asks for."},
    {"SN210", "may be missing",
     "The left side binds an operand that a node may lack, and the right side "
     "puts it where an operand is needed.  A condition says when the rule "
     "applies: when present(b), or const(b)."},

    {"SN211", "in no pipeline",
     "Pipelines say which passes run, and in what order.  A pass that none of "
     "them has is run only by who asks for it by name (--passes=NAME); rules "
     "that are opted in to are asked for anyway.  A pipeline of its own says "
     "that this is meant."},
    {"SN212", "source without data",
     "A Placeholder or Constant on the right side takes over the data, and the "
     "place among the inputs, of one on the left: of the node that 'like' "
     "names, or of the root.  Such a rule changes an interface.  New data "
     "come from fold(..) or from attributes, as a Splat's."},
    {"SN213", "not constant",
     "fold(x) puts the value of x in its place, so x has one when the rule is "
     "applied: every leaf below it is matched as a Constant or Splat, or the "
     "condition says const(..) of it."},
    {"SN214", "a quotient that is not whole",
     "Conditions and right sides of rules divide integers as integers: 1 / 6 "
     "is 0.  Formulas of nodes divide reals.  A point makes a number real: "
     "1.0 / 6."},
    {"SN301", "unsound",
     "A case was found in which the right side does not compute what the rule "
     "claims.  The message shows types, codes and both values; 'with' names "
     "the types and clamps of the left side.  Saturation is meaning: a clamp "
     "that carries it, or covers(..) that makes it idle, is the usual "
     "repair."},
    {"SN302", "claim too strong",
     "The rule is sound, but for a weaker claim.  A binary32 tie is enough "
     "for 'exact' to fail."},
    {"SN303", "claim could be stronger",
     "The calculus proves bits equal where the rule claims less; with 'exact' "
     "it may fire in passes that allow nothing else."},
    {"SN304", "another result changes",
     "The rule replaces the first result, and a later one (an argmax) is not "
     "what it was: values that a conversion made equal are told apart, or the "
     "right side gives no such result.  'unused' restricts the rule to nodes "
     "whose later result nobody reads."},
    {"SN305", "no rule says it",
     "An instance of a derived family cannot be written as a rule under the "
     "facts of a node or a backend: its right side would break them.  A node "
     "takes part in a family by its facts, so the declarations are refused."},
    {"SN306", "not what it replaces",
     "A case was found that meets the condition, and whose right side is of "
     "another shape or type than the left side, or has a node that cannot be "
     "made: operands that do not fit together, an invariant that does not "
     "hold.  'with' names the operands.  A condition on shapes, ranks or "
     "types keeps the rule from such cases."},
    {"SN307", "an arithmetic changes a rule",
     "A backend may compute by an arithmetic of its own (arith.def).  What a "
     "rule claims under one by name ('exact under single within 1 lsb'), under "
     "all but float ('exact else within 1 lsb'), or as a rule of a backend "
     "that computes so, must hold there.  Any other rule is switched off under "
     "an arithmetic where it does not hold, as a note and --report say."},
    {"SN310", "facts broken by a rule",
     "The right side makes a node whose scale facts do not hold: ports of "
     "a 'same' group get types that are not provably equal, or a pinned "
     "operand (a bias) keeps its scale while the operands that pin it have "
     "another.  regrid(b) repairs a constant bias, and the rule does not "
     "apply where it cannot."},
    {"SN311", "nothing to prove with",
     "An opaque node has no formula, so nothing is known about what a rule "
     "makes of it.  Write the formula, or say why the rule is to be trusted; "
     "every report lists that."},
    {"SN312", "not run",
     "No graph drawn meets the rule's condition (or the enumerator cannot run "
     "a node of it).  A condition that contradicts itself, or the facts of a "
     "node, proves anything: what is accepted has been run.  Make the "
     "condition one that more graphs meet, or say why the rule is to be "
     "trusted; every report lists that."},
    {"SN313", "marked calibrated",
     "The right side marks a node calibrated, so that its saturation may be "
     "dropped later, although a node of the left side that saturates is not "
     "marked.  The flag of what stands for several nodes is that of all of "
     "them: calibrated = o.calibrated and m.calibrated."},
    {"SN314", "no claim",
     "A rule without a claim may only change what callers bind or get: the "
     "type of a Placeholder, or what a Save writes.  Every value that callers "
     "mean must stay: the graph with the new input gives what the old one "
     "gives for the reals that its codes stand for, and a Save writes the "
     "same reals.  A conversion that goes may not saturate "
     "(covers(o.clamp, o.type)).  Any other rule says what it claims."},
    {"SN315", "not proved",
     "A rule is accepted only for what is established: every shape, "
     "attribute, type and value that its pattern and condition admit.  No "
     "layer of the prover carries this one: the message names the step that "
     "fails, or what is out of reach.  What was drawn does not refute it, "
     "which proves nothing.  Narrow the condition to what makes the step "
     "hold, or say why the rule is to be trusted; every report lists that."},
    {"SN399", "two proofs disagree",
     "The calculus proves a claim that a case contradicts: a defect of "
     "sinter-gen.  Please report it with the declarations."},

    {"SN401", "does not end",
     "A pass ends because something that is counted falls with every fire: "
     "conversions move down or vanish, nodes vanish, or a kind is consumed "
     "that no rule of the pass makes.  A rule that raises all of these, or "
     "that undoes what another rule does, can run for ever.  A custom rule "
     "is judged by its contract: it removes a kind that no rule makes."},
    {"SN402", "gives back its left side",
     "The right side has the shape of the left side, over the same values: "
     "the rule applies again to what it made."},
    {"SN403", "copies a node",
     "The left side reads a node that may have other users, and the right "
     "side makes another one of it; where it has, there are two then.  "
     ":1 on the left asks for a single use."},
    {"SN404", "more than one sweep",
     "A pass goes once from inputs to outputs and looks again at what a fire "
     "changed.  A rule that makes matches above its root needs more: its pass "
     "works off a list until nothing fires.  That is as correct, but not "
     "certified to take linear time."},

    {"SN501", "which rule",
     "Two rules match the same node, their conditions do not exclude each "
     "other, and no 'prefer' says which one is tried first.  The order of the "
     "file never matters."},
    {"SN502", "never fires",
     "Another rule matches wherever this one does, asks for less, and is "
     "tried first."},
    {"SN503", "preferences form a cycle",
     "'prefer a over b' orders what is tried at a node.  A cycle orders "
     "nothing."},
    {"SN504", "order matters",
     "Where two rules overlap, the graph depends on which fires first.  It is "
     "correct either way and always the same, as 'prefer' or the direction "
     "of the sweep decides; the note says where sizes may differ."},
    {"SN505", "rule declared twice",
     "Two rules have the same left side and condition; one of them never "
     "fires."},

    {"SN601", "not supported",
     "A rule of a backend makes a node with types that the backend's "
     "'supports' leaves out: it could not run what it made.  Plain types are "
     "always supported; a pinned operand goes with those that pin it; "
     "Quantize and Dequantize stand at the border and are not counted."},
    {"SN602", "no such opt-in",
     "A backend switches on an opt-in rule that does not exist.  The name is "
     "the one behind 'optin' in the rule."},
    {"SN603", "refine widens",
     "A backend may narrow the facts of a node of the core, so that fewer "
     "types are legal: free to anything, same to fixed, same to a larger "
     "group.  The other way would let its passes make nodes that the core's "
     "rules and kernels do not expect."},
    {"SN604", "rules against a refinement",
     "With the facts that a backend narrows, a rule of the core or of the "
     "backend would make a node that they forbid, or a pass would no longer "
     "end.  Refinements are looked at backend by backend; the declarations "
     "without them have passed the same checks."},

    {"SN701", "wrong prototype",
     "A function that the declarations name is defined with another type than "
     "the generated header declares: a kernel is 'SnStatus f(const SnCall "
     "*)', what prepares it 'bool f(SnPrep *)', a builder 'bool f(SnGraph *, "
     "SnRewriter *, SnId)', the hook lower 'int f(const SnGraph *, SnId)'.  "
     "The C files are those given with --sources."},
    {"SN702", "no derived family",
     "An opaque node of a backend has no formula, so nothing is known about "
     "Rescales around it: none is absorbed, merged or sunk there."},
    {"SN703", "not defined",
     "A kernel, builder or hook that the declarations name is defined in none "
     "of the C files given with --sources."},
    {"SN704", "not in a plugin",
     "A plugin adds one backend: nodes, refinements, kernels, hooks and the "
     "rules of its pass 'backend'.  Passes, pipelines, derive lines, classes "
     "and tests are the core's; it was generated and checked without the "
     "plugin."},
    {"SN705", "not one backend",
     "The file given with --plugin declares one backend, which is not one of "
     "the core's."},
};
const size_t sn_ncode = sizeof sn_code_list / sizeof *sn_code_list;

const SnCode *
sn_code_named(const char *code)
{
    for (size_t i = 0; i < sn_ncode; i++)
        if (!strcmp(sn_code_list[i].code, code))
            return &sn_code_list[i];
    return NULL;
}
