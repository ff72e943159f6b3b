// SPDX-License-Identifier: Apache-2.0
/* The message codes.  SN0xx: reading files; SN1xx: nodes, names and types of
 * expressions; SN2xx: rules; SN3xx: soundness; SN4xx: ending;
 * SN5xx: which rule applies; SN6xx: backends; SN7xx: kernels and plugins. */
#include "dsl/model/codes.h"

#include <string.h>

const SnCode sn_code_list[] = {
    {"SN001", "syntax",
     "The text does not follow the grammar here.  The message lists the tokens "
     "that the parser would accept.  Reading continues after the next ';' or "
     "'}', so that other errors of the file are reported in the same run."},
    {"SN002", "no version",
     "A file begins with 'version 2;', so that later versions of sinter-gen "
     "know which language it is written in."},
    {"SN003", "unknown version",
     "The file is written in a version of the language that this program does "
     "not read.  From version 1 to 2: maps are declared, and a file that names "
     "maps includes maps.def (or nodes.def, which does); block is "
     "space_to_depth and depth_to_space; bag with offsets is bag_at; a move "
     "over a map that may read outside of its operand gives the value there "
     "(over pad(..) else q(0))."},
    {"SN004", "stray character",
     "This character begins no word, number or sign of the language.  "
     "Conditions are joined by 'and', 'or' and 'not'; comments begin with two "
     "slashes."},
    {"SN005", "open string",
     "A string must end on the line on which it begins."},
    {"SN006", "unknown escape",
     "In a string a backslash is followed by n, t, a quote, a backslash, or "
     "x and two hexadecimal digits."},
    {"SN007", "number out of range",
     "The number does not fit its type, or is not allowed here.  Integers have "
     "63 bits, reals are binary64."},
    {"SN008", "nested too deeply",
     "Brackets and operators nest at most 200 deep."},
    {"SN009", "file cannot be read",
     "An included file exists but cannot be read, or is not a text file."},
    {"SN010", "no such file",
     "An included file is searched for in the directory of the file that "
     "includes it, then in the directories given with -I."},
    {"SN011", "includes itself",
     "A file includes itself, directly or through others.  A file may be "
     "included from several places; it is read once."},
    {"SN012", "given twice",
     "A part that is allowed once is given a second time."},
    {"SN013", "outside a pass",
     "Rules, tests and preferences belong in a pass.  Only a file with a "
     "backend may have them at top level; they form its pass 'backend'."},
    {"SN014", "second backend",
     "A file declares at most one backend; the nodes and rules of the file "
     "belong to it."},
    {"SN015", "attribute type",
     "Attributes are int, real, bool, str, enum {..}, int[n], int[], "
     "real[], type, or range(port)."},
    {"SN016", "too many errors",
     "After 100 errors the rest of a file is not read."},

    {"SN101", "unknown name",
     "Nothing of this name is declared.  The help line gives the closest "
     "known name and where it is declared."},
    {"SN102", "wrong number",
     "A node, function, map or tuple is given more or fewer arguments than it "
     "takes.  A pattern lists every operand: '_' matches any operand, also a "
     "missing one.  On the right side of a rule an optional operand may be "
     "left out."},
    {"SN103", "declared twice",
     "Two declarations of the same sort have the same name.  Ports and "
     "attributes of a node share their names, as both are written n.name; so "
     "do the rules and derived families of a pass.  An ONNX operator of one "
     "opset is imported as one node."},
    {"SN104", "types do not fit",
     "An expression does not have the type that is required here: an attribute "
     "is given a value of another type, a condition is not true or false, or a "
     "comparison is between types that never agree.  A quantized type has a "
     "scale, so 'x.type == q8' is no test; 'x.type in [q8]' tests the storage "
     "kind."},
    {"SN105", "no scale fact",
     "Every port that some tuple quantizes has exactly one fact: free (any "
     "scale), same (codes are passed on; the scale agrees with another "
     "port's), fixed (one given scale), pin (a product of other operands' "
     "scales) or given (no rewrite may change its type).  The rewrites that "
     "apply to the node follow from these facts."},
    {"SN106", "two facts",
     "A port has two scale facts, or a result two meanings."},
    {"SN107", "fact without use",
     "A scale fact is given for a port that no tuple of the node quantizes.  "
     "If that is intended, add trusted \"why\" to the meaning."},
    {"SN108", "fact that cannot hold",
     "A node has at most one 'same' group.  It names at least two ports (or a "
     "variadic one), and in each tuple they have one storage kind.  A fixed "
     "scale lies in [2^-100, 2^100]."},
    {"SN109", "pin",
     "A pinned scale is the product of up to three other operands' scales "
     "and its zero point is 0, as for a bias on the accumulator's grid: "
     "pin b (x.scale * w.scale, 0)."},
    {"SN110", "free, but read raw",
     "The meaning reads the codes of a port that is declared free.  With "
     "another scale the same codes mean other values, so a rewrite that "
     "changes the scale would change the result.  Declare the port same, or "
     "read d(port)."},
    {"SN111", "same, but read as values",
     "The meaning reads a port of a 'same' group only through d(), so it could "
     "have any scale: with 'free' Rescales would be absorbed and merged.  If "
     "the node cannot do that (because its kernel writes on the grid that it "
     "reads), give the reason: same x, y because \"...\"."},
    {"SN112", "raw codes and facts",
     "The meaning reads a pinned or fixed port as raw codes, or a free or "
     "fixed result passes on codes that were not rounded to its type.  Only "
     "ports that are same pass codes on."},
    {"SN113", "formula",
     "In a formula a port is its code, d(x) is its real value, and q(..) "
     "rounds a real value to the type of the result.  Arithmetic is on values; "
     "max and min may also select among codes."},
    {"SN114", "no arithmetic",
     "A quantized tuple computes by a row of the arithmetic contract.  Point "
     "formulas, contracts, selections and means have a row by their class.  "
     "Another window formula must name its row (`by lrn`, say), or the node "
     "may not have a quantized tuple."},
    {"SN115", "no meaning",
     "Each result has one meaning: sem CLASS y = FORMULA over MAP(..); or "
     "the node is opaque and runs only lowered."},
    {"SN116", "argument of a map",
     "The arguments of an index map are operands, attributes of the "
     "expected type, or numbers; an axis is an attribute, which a Transpose "
     "renumbers."},
    {"SN117", "class and meaning",
     "The class of a meaning, its formula and its map do not fit each other: a "
     "move copies one operand; each class allows certain maps."},
    {"SN118", "commutes",
     "Operands commute when exchanging them changes neither the tuples, the "
     "facts, the meaning nor any value.  'when' restricts that to a condition "
     "on attributes and the result's type.  Patterns then match both orders."},
    {"SN119", "within",
     "'within clamp' clamps the result of q(..): the formula must be q(..), "
     "and the attribute a range of that result."},
    {"SN120", "scales along an axis",
     "A per-axis type has one scale for each slice along an axis.  A node that "
     "moves elements along axes would have to move the scales too, so it is "
     "declared for types without them.  One sum of products of codes is scaled "
     "once, so its elements must come from one slice."},
    {"SN121", "ports",
     "A node has at most 32 operands and 32 results; one operand may be "
     "variadic, no result may."},
    {"SN122", "form",
     "A form inherits the ports and the meaning of its base.  A kinds "
     "block replaces the base's, facts replace those of the ports they "
     "name, attributes add."},
    {"SN123", "tuple",
     "A tuple gives one type for each port.  'T for T in act' makes one tuple "
     "for each type of an alternation; 'T...' is for a variadic port; '_' is "
     "for an optional port that the tuple does not have."},
    {"SN124", "kernel without tuple",
     "A kernel line names a tuple the node does not have.  The message "
     "lists those it has."},
    {"SN125", "opset",
     "An ONNX line gives a range of opsets that is empty, or a name that no "
     "operator of a model can have.  An operator is written \"Op\", one of a "
     "domain other than ONNX's own \"DOMAIN:Op\"."},
    {"SN126", "refine",
     "A backend may narrow the facts of a core node; it cannot change what "
     "the node is."},
    {"SN127", "word taken",
     "Names of ports and attributes become names in C.  Words of C, and "
     "'calibrated', are reserved."},
    {"SN128", "opaque and quantized",
     "An opaque node has no formula, so it cannot compute on codes; it is "
     "lowered to float nodes that have one."},
    {"SN129", "attribute not given",
     "A node is made without a value for an attribute that has no default. "
     " 'like n' copies the attributes that n has by the same name."},
    {"SN130", "test expects nothing",
     "A test states what it expects: a term, a condition, or the text of "
     "an error."},

    {"SN131", "no effect",
     "The statement has no effect.  The map of a meaning gives the shape of a "
     "result, which an invariant may restrict; the built-in pass 'place' "
     "decides where Quantize and Dequantize are inserted."},
    {"SN132", "operator as a term",
     "An ONNX operator is declared as a term over its operands, numbers and "
     "nodes: onnx \"Mod\" 10.. (a, b) {fmod = 1} => Sub(a, Mul(Div(a, b), b)). "
     " Every operand, attribute and value that it names must be used.  An "
     "operand that may be missing (x?) is given to an optional operand of a "
     "node.  A list of operands (x...) is given to a node that takes any "
     "number, or to a node of two operands, which is then applied from the "
     "left.  There are at most 255 inputs, attributes, and operands of one "
     "node."},
    {"SN133", "operator never reached",
     "Declarations of one operator are tried in order.  This one is never "
     "reached, because an earlier one takes the same operands, attributes and "
     "element types."},
    {"SN134", "cannot hold",
     "A default breaks its own 'where', or the constraints and invariants of a "
     "node contradict each other: no graph can have such a node."},
    {"SN135", "operator on codes",
     "codes(x, w, y, b) says which inputs an ONNX operator on codes has, by "
     "the ports of its node: three for an operand (codes, scale, zero point), "
     "two for the result (scale, zero point), one for an operand that no tuple "
     "quantizes or whose scale is pinned.  Each required operand is named "
     "once, and so is the first result where it can be quantized."},
    {"SN180", "map",
     "A map has one 'result' and then at most one 'taps', and reads each "
     "operand whose elements are not numbers for it.  'centre', 'divisor', "
     "'number', 'parts' and 'primitive' describe a set and need 'taps'.  A "
     "statement may use the names before it.  The size of the result must not "
     "depend on places in it or on elements of operands."},
    {"SN181", "pattern of an operand",
     "An operand of a map has one item for each dimension or run of "
     "dimensions: n, d..., k[s]..., 1|d..., p?, d @ axis.  It must be clear "
     "which dimensions an item takes: there may be one run of unknown length, "
     "or one on each side of an '@'.  A name that is used twice has the same "
     "length in both places."},
    {"SN182", "number or list",
     "In a map each expression is a number, or a list along one run of axes, "
     "and an operator works on lists element by element.  Lists along "
     "different runs cannot be combined.  A parameter int[2, s] is two lists: "
     "pads[0] and pads[1]."},
    {"SN183", "parameter of a map",
     "Parameters of a map are operands, int, bool, real, enum {..}, lists of "
     "numbers (int[] of their own length; int[s] and real[s] one for each axis "
     "of s; int[2, s] two such lists), axis(x) and axes(x).  A default has the "
     "same type and may use only earlier names."},
    {"SN184", "text of a map",
     "In the text of a 'require' an expression in braces is replaced by its "
     "value where the condition fails: a number, or a list along the "
     "condition's run."},
    {"SN185", "test of a map",
     "A test of a map gives the operands (dimensions, then the elements if the "
     "map reads them as numbers) and the parameters, in order.  Then it gives "
     "the expected outcome: a text with which they are refused, or the "
     "result's dimensions and, for each element of the result, row by row, the "
     "elements that are read."},
    {"SN186", "read outside of an operand",
     "A read without 'else' must lie inside its operand for every size and "
     "parameter that the map's conditions admit.  Graphs that are drawn to "
     "check rules have found sizes for which it does not.  Add a 'require', or "
     "an 'else'."},
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
     "Integers of a row have 64 bits and must never overflow, for any codes, "
     "sums and multipliers.  mulshr computes an exact product; sat and wrap "
     "bound a value."},
    {"SN193", "a row that its vectors contradict",
     "The file that 'vectors' of an arithmetic names has values and the "
     "machine's results.  Each row must give the same results."},

    {"SN201", "bound twice",
     "A name is bound twice on the left side.  A variable may be repeated "
     "(the same value in both places), a captured node or a list not."},
    {"SN202", "unbound",
     "A name is used on the right side, in a condition or in a let, but the "
     "left side does not bind it."},
    {"SN203", "type not known",
     "A node without ': T' takes the type that its facts and operands force: "
     "the only type that its tuples give, the type of an operand in its 'same' "
     "group, or its fixed type.  Here none of them applies; write the type."},
    {"SN204", "no tuple",
     "No tuple of the node has operands of these types, or gives this result."},
    {"SN205", "no claim",
     "A rule states how its result compares with the left side: exact, within "
     "n lsb, refines, real E, or lossy.  Only a rule that changes an interface "
     "has no claim; it must be opt-in, and so must a lossy one.  A pass lists "
     "with 'allow' the claims that may fire."},
    {"SN206", "other type",
     "The value that replaces the root has a type that is not provably the "
     "root's.  A condition can make it so: when x.type == o.type."},
    {"SN207", "real on codes",
     "'real E' compares over the reals; all ports are f32.  The left side, "
     "with its condition, admits quantized types."},
    {"SN208", "tuple missing for some types",
     "For some types that the left side admits, no tuple fits the node on the "
     "right side.  The rule does not apply to them; add a condition on the "
     "type to tell the reader."},
    {"SN209", "applies to nothing",
     "No node has the facts that a derived family requires."},
    {"SN210", "may be missing",
     "The left side binds an operand that may be missing, and the right side "
     "uses it for an operand that is required.  Add a condition: when "
     "present(b), or const(b)."},

    {"SN211", "in no pipeline",
     "Pipelines list the passes that run, in order.  A pass in no pipeline "
     "runs only by name (--passes=NAME), and then its rules need not be "
     "opt-in.  If that is intended, declare a pipeline for the pass."},
    {"SN212", "source without data",
     "A Placeholder or Constant on the right side takes over the data, and the "
     "place among the inputs, of one on the left: of the node that 'like' "
     "names, or of the root.  Such a rule changes an interface.  New data "
     "come from fold(..) or from attributes, as a Splat's."},
    {"SN213", "not constant",
     "fold(x) replaces x by its value, so x must be constant when the rule is "
     "applied: every leaf below it is matched as a Constant or Splat, or the "
     "condition tests const(..)."},
    {"SN214", "a quotient that is not whole",
     "Conditions and right sides of rules divide integers as integers: 1 / 6 "
     "is 0.  Formulas of nodes divide reals.  A point makes a number real: "
     "1.0 / 6."},
    {"SN301", "unsound",
     "A graph was found on which the right side does not compute what the rule "
     "claims.  The message shows types, codes and both values; 'with' gives "
     "the types and clamps of the left side.  Saturation is part of the "
     "meaning.  The usual repair is a clamp that carries it, or a condition "
     "covers(..) under which nothing saturates."},
    {"SN302", "claim too strong",
     "The rule is sound, but only for a weaker claim.  One tie in binary32 "
     "that rounds differently breaks 'exact'."},
    {"SN303", "claim could be stronger",
     "The rule claims less than the calculus proves: all bits are equal.  With "
     "'exact' it may also fire in passes that allow nothing else."},
    {"SN304", "another result changes",
     "The rule replaces the first result of a node and changes a later one (an "
     "argmax): the right side tells values apart that a conversion had made "
     "equal, or gives no such result.  'unused' restricts the rule to nodes "
     "whose later result has no reader."},
    {"SN305", "instance not possible",
     "An instance of a derived family cannot be written as a rule under the "
     "facts of a node or a backend: its right side would break them.  A node "
     "joins a family by its facts, so the declarations are refused."},
    {"SN306", "does not fit",
     "A graph was found that meets the condition, but whose right side has "
     "another shape or type than the left side, or contains an illegal node: "
     "operands do not fit together, or an invariant does not hold.  'with' "
     "gives the operands.  Exclude such graphs by a condition on shapes, ranks "
     "or types."},
    {"SN307", "an arithmetic changes a rule",
     "A backend may compute by an arithmetic of its own (arith.def).  A claim "
     "for an arithmetic must hold under it: by name ('exact under single "
     "within 1 lsb'), for all but float ('exact else within 1 lsb'), or "
     "because the rule belongs to a backend that computes so.  Any other rule "
     "is switched off under an arithmetic where it does not hold, as a note "
     "and --report say.  A lemma that says of a Rescale that it keeps the "
     "order of codes, or all codes on their own grid, is none under an "
     "arithmetic whose row for 'convert' does not."},
    {"SN310", "facts broken by a rule",
     "The right side makes a node whose scale facts do not hold: ports of "
     "a 'same' group get types that are not provably equal, or a pinned "
     "operand (a bias) keeps its scale while the operands that pin it have "
     "another.  regrid(b) repairs a constant bias, and the rule does not "
     "apply where it cannot."},
    {"SN311", "nothing to prove with",
     "An opaque node has no formula, so nothing can be proved about a rule "
     "that uses it.  Write the formula, or mark the rule trusted with the "
     "reason; every report lists it."},
    {"SN312", "not tested",
     "No random graph meets the rule's condition (or the enumerator cannot run "
     "one of its nodes).  A condition that contradicts itself, or the facts of "
     "a node, would make any rule true, so every accepted rule has been run.  "
     "Use a condition that more graphs meet, or mark the rule trusted with the "
     "reason; every report lists it."},
    {"SN313", "marked calibrated",
     "The right side marks a node as calibrated, so that its saturation may be "
     "dropped later, although a saturating node of the left side is not "
     "marked.  A node that replaces several is calibrated only if all of them "
     "are: calibrated = o.calibrated and m.calibrated."},
    {"SN314", "no claim",
     "A rule without a claim may only change the interface: the type of a "
     "Placeholder, or what a Save writes.  All real values must stay: the "
     "graph with the new input gives the results of the old one for the reals "
     "that the codes represent, and a Save writes the same reals.  A "
     "conversion that is removed may not saturate (covers(o.clamp, o.type)).  "
     "Any other rule needs a claim."},
    {"SN315", "not proved",
     "A rule is accepted only if it is proved for every shape, attribute, type "
     "and value that its pattern and condition admit.  This rule is not "
     "proved: the message names the step that fails, or the part that is out "
     "of reach.  Random graphs do not refute it, but that proves nothing.  "
     "Narrow the condition so that the step holds, or mark the rule trusted "
     "with the reason; every report lists it."},
    {"SN399", "two proofs disagree",
     "The calculus proves a claim that a graph contradicts: a defect of "
     "sinter-gen.  Please report it with the declarations."},

    {"SN401", "does not end",
     "A pass terminates because some measure falls with every rewrite: "
     "conversions move down or vanish, nodes vanish, or a kind is consumed "
     "that no rule of the pass makes.  A rule that raises every such measure, "
     "or that undoes another rule, can run for ever.  A custom rule is judged "
     "by its contract: it must remove a kind that no rule makes."},
    {"SN402", "gives back its left side",
     "The right side has the shape of the left side, over the same values, so "
     "the rule applies again to its own result."},
    {"SN403", "copies a node",
     "The left side reads a node that may have other users, and the right side "
     "makes a copy of it, so that both are computed.  ':1' on the left "
     "requires a single use."},
    {"SN404", "more than one sweep",
     "A pass makes one sweep from inputs to outputs and visits again what a "
     "rewrite changed.  A rule that creates matches above its root needs more: "
     "its pass uses a worklist until nothing fires.  The result is correct, "
     "but linear time is not certified."},

    {"SN501", "which rule",
     "Two rules match the same node, their conditions do not exclude each "
     "other, and no 'prefer' orders them.  The order of the file never "
     "matters."},
    {"SN502", "never fires",
     "Another rule that is tried first matches wherever this one does, under a "
     "weaker or equal condition."},
    {"SN503", "preferences form a cycle",
     "'prefer a over b' orders what is tried at a node.  A cycle orders "
     "nothing."},
    {"SN504", "order matters",
     "Where two rules overlap, the result depends on which fires first.  "
     "Either result is correct, and it is always the same, as 'prefer' or the "
     "direction of the sweep decides; the note says where sizes may differ."},
    {"SN505", "rule declared twice",
     "Two rules have the same left side and condition; one of them never "
     "fires."},

    {"SN601", "not supported",
     "A rule of a backend makes a node with types that the backend's "
     "'supports' leaves out: it could not run what it made.  Plain types are "
     "always supported; a pinned operand goes with those that pin it; "
     "Quantize and Dequantize stand at the border and are not counted."},
    {"SN602", "no such opt-in",
     "A backend switches on an opt-in rule that does not exist.  Use the name "
     "behind 'optin' in the rule."},
    {"SN603", "refine widens",
     "A backend may only narrow the facts of a node of the core, so that fewer "
     "types are legal: free to anything, same to fixed, same to a larger "
     "group.  Wider facts would let its passes make nodes that the core's "
     "rules and kernels do not expect."},
    {"SN604", "rules against a refinement",
     "With the narrowed facts of a backend, a rule of the core or of the "
     "backend would make an illegal node, or a pass would no longer terminate. "
     " Refinements are checked backend by backend; the declarations without "
     "them have passed the same checks."},

    {"SN701", "wrong prototype",
     "The C source defines a function with another type than the generated "
     "header declares: a kernel is 'SnStatus f(const SnCall *)', its prepare "
     "function 'bool f(SnPrep *)', a builder 'bool f(SnGraph *, SnRewriter *, "
     "SnId)', the hook lower 'int f(const SnGraph *, SnId)'.  The C files are "
     "those given with --sources."},
    {"SN702", "no derived family",
     "An opaque node of a backend has no formula, so nothing is known about "
     "Rescales around it: none is absorbed, merged or sunk there."},
    {"SN703", "not defined",
     "A kernel, builder or hook that the declarations name is not defined in "
     "any of the C files given with --sources."},
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
