#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rooms are the folders of dsl, gen and src.  Fails where an include goes
# against the README of its room, rooms depend on each other in a circle, a
# folder has more than 25 files of C, or more than 6 files depend on each other
# in a circle.  Ends with one line of figures.  Usage: rooms.sh BUILD
#
# Each room's README.md has one paragraph that is read here:
#     May include: base, graph, kernel/eval
# rooms as #include lines write them, or `nothing`; a room may always include
# itself.  Others begin with "Enter:" and "Vocabulary:".  Generated headers have
# no folder in their #include line and do not count.  A file is X.c and X.h
# together; it depends on Y where it includes Y.h or uses a symbol of Y.o.
# Generated files (BUILD/obj/made) do not count.
. "${0%/*}/help.sh"
set -u
build=${1:?usage: rooms.sh BUILD}
LC_ALL=C
export LC_ALL

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

find dsl gen src -type f \( -name '*.[chy]' -o -name '*.inc' -o -name '*.re' \
    -o -name '*.def' \) | sort >"$tmp/files"
# Folders that hold such files, and their parents.
awk '{
    while (sub(/\/[^\/]*$/, ""))
        if (!seen[$0]++)
            print
}' "$tmp/files" | sort >"$tmp/rooms"

# FILE LINE INCLUDED
sed '/\.def$/d' "$tmp/files" | xargs awk '
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        s = $0
        sub(/^[^"]*"/, "", s)
        sub(/".*/, "", s)
        print FILENAME, FNR, s
    }' >"$tmp/includes"

# ROOM LINE and what follows "May include:", up to an empty line; line 0 without
# a README.md, -1 and a word that begins no paragraph of it
while read -r room; do
    f=$room/README.md
    if [ -f "$f" ]; then
        awk -v room="$room" '
            function put() { if (at) print room, at, text; at = 0 }
            /^[ \t]*$/ { put() }
            at { text = text " " $0 }
            /^May include:/ { put(); at = FNR; text = substr($0, 13) }
            /^Enter:/ { enter = 1 }
            /^Vocabulary:/ { vocabulary = 1 }
            END {
                put()
                if (!enter) print room, -1, "Enter:"
                if (!vocabulary) print room, -1, "Vocabulary:"
            }' "$f"
    else
        echo "$room 0"
    fi
done <"$tmp/rooms" >"$tmp/readmes"

# DIR/NAME of each object; DIR/NAME KIND SYMBOL of each symbol with linkage, of
# which KIND U is one that is used.
find "$build/obj/dsl" "$build/obj/gen" "$build/obj/src" -name '*.o' \
    >"$tmp/objects" 2>/dev/null
[ -s "$tmp/objects" ] ||
    { echo "no objects in $build/obj; make all first"; exit 1; }
{
    cat "$tmp/objects"
    xargs nm -A -g -P <"$tmp/objects" 2>/dev/null
} | awk -v from="$build/obj/" '{
        file = $1
        sub(/\.o:?$/, "", file)
        print substr(file, length(from) + 1), $3, $2
    }' >"$tmp/symbols"

awk -v tmp="$tmp" -v build="$build" -v most_files=25 -v most_circle=6 '
function fault(s)
{
    print s
    bad = 1
}
function dir_of(path)
{
    return substr(path, 1, match(path, /\/[^\/]*$/) - 1)
}
# A room as #include lines name it.
function name_of(dir)
{
    return dir ~ /^src\// ? substr(dir, 5) : dir
}

# ---- graphs ----

function clear_graph()
{
    nvertex = 0
    split("", vertex)
    split("", nto)
    split("", to)
    split("", why)
}
function add_vertex(v)
{
    if (!(v in nto)) {
        nto[v] = 0
        vertex[nvertex++] = v
    }
}
# v depends on w; reason: a place or a symbol.
function add_edge(v, w, reason)
{
    if (v == w)
        return
    add_vertex(v)
    add_vertex(w)
    if (!((v, w) in why))
        to[v, nto[v]++] = w
    else if (length(why[v, w]) > 60)
        return
    why[v, w] = why[v, w] " " reason
}
# Strongly connected components by the algorithm of Tarjan; without recursion,
# whose depth awk may limit.  Fills of[v], the component of v, and size[];
# returns how many there are.
function components(    i, n, v, w, ncall, nstack, clock)
{
    split("", of)
    split("", number)
    for (i = 0; i < nvertex; i++) {
        if (vertex[i] in number)
            continue
        call[ncall = 1] = vertex[i]
        next_to[1] = 0
        while (ncall > 0) {
            v = call[ncall]
            if (!(v in number)) {
                number[v] = low[v] = ++clock
                stack[++nstack] = v
            }
            if (next_to[ncall] < nto[v]) {
                w = to[v, next_to[ncall]++]
                if (!(w in number)) {
                    call[++ncall] = w
                    next_to[ncall] = 0
                } else if (!(w in of) && number[w] < low[v]) {
                    low[v] = number[w]
                }
                continue
            }
            if (low[v] == number[v]) {
                size[++n] = 0
                do {
                    w = stack[nstack--]
                    of[w] = n
                    size[n]++
                } while (w != v)
            }
            if (--ncall > 0 && low[v] < low[call[ncall]])
                low[call[ncall]] = low[v]
        }
    }
    return n
}
function members(k,    i, s)
{
    for (i = 0; i < nvertex; i++)
        if (of[vertex[i]] == k)
            s = s (s == "" ? "" : ", ") vertex[i]
    return s
}
# The dependences that make component k a circle.
function show_circle(k,    i, j, v, w)
{
    for (i = 0; i < nvertex; i++) {
        v = vertex[i]
        for (j = 0; of[v] == k && j < nto[v]; j++) {
            w = to[v, j]
            if (of[w] == k)
                print "    " v " -> " w ":" why[v, w]
        }
    }
}

# ---- rooms, files, symbols ----

function read_files(    f)
{
    while ((getline f <(tmp "/files")) > 0) {
        file[nfile++] = f
        exists[f] = 1
        if (!(dir_of(f) in ninside))
            nroom++
        ninside[dir_of(f)] += f !~ /\.def$/
    }
    while ((getline f <(tmp "/rooms")) > 0) {
        room[nfolder++] = f
        folder[name_of(f)] = f
    }
}
function read_readme(dir, at, text,    i, n, part)
{
    if (text == "nothing")
        return
    n = split(text, part, /[ \t]*,[ \t]*/)
    if (n == 0)
        fault(at ": expected rooms or \"nothing\" after \"May include:\"")
    for (i = 1; i <= n; i++)
        if (part[i] in folder)
            may[name_of(dir), part[i]] = at
        else
            fault(at ": no room is named \"" part[i] "\"")
}
function read_readmes(    line, part, dir, i)
{
    while ((getline line <(tmp "/readmes")) > 0) {
        split(line, part, " ")
        dir = part[1]
        sub(/^[^ ]* [^ ]*[ \t]*/, "", line)
        sub(/[ \t]+$/, "", line)
        if (part[2] == -1) {
            fault(dir "/README.md: no line \"" line "\"")
            continue
        }
        if (part[2] == 0)
            fault(dir ": room without README.md")
        else if (dir in said)
            fault(dir "/README.md:" part[2] ": a second \"May include:\"")
        else
            read_readme(dir, dir "/README.md:" part[2], line)
        said[dir] = 1
    }
    for (i = 0; i < nfolder; i++)
        if (!(room[i] in said))
            fault(room[i] "/README.md: no line \"May include:\"")
}
# The file that an include names: as the compiler looks for it.
function included(from, name)
{
    if ((dir_of(from) "/" name) in exists)
        return dir_of(from) "/" name
    return ("src/" name) in exists ? "src/" name : name
}

# ---- the checks ----

function check_folders(    i, d)
{
    for (i = 0; i < nfolder; i++) {
        d = room[i]
        if (ninside[d] > largest) {
            largest = ninside[d]
            largest_in = d
        }
        if (ninside[d] > most_files)
            fault(d ": " ninside[d] " files of C, at most " most_files)
    }
}
function check_includes(    line, part, at, f, v, w)
{
    while ((getline line <(tmp "/includes")) > 0) {
        split(line, part, " ")
        at = part[1] ":" part[2]
        f = included(part[1], part[3])
        if (!(f in exists)) {
            if (f ~ /\//)
                fault(at ": \"" part[3] "\" is not in the tree")
            continue
        }
        from[ninclude] = part[1]
        included_at[ninclude] = at
        target[ninclude++] = f
        v = name_of(dir_of(part[1]))
        w = name_of(dir_of(f))
        if (v == w)
            continue
        used[v, w] = used[v, w] " " at
        if (!((v, w) in may))
            fault(at ": \"" part[3] "\": " folder[v] "/README.md does not allow " w)
    }
}
function check_rooms(    i, j, k, n, v, w)
{
    clear_graph()
    for (i = 0; i < nfolder; i++)
        for (j = 0; j < nfolder; j++) {
            v = name_of(room[i])
            w = name_of(room[j])
            if ((v, w) in may)
                add_edge(v, w, may[v, w] ((v, w) in used ? ";" used[v, w] \
                    : "; no file needs it"))
        }
    n = components()
    for (k = 1; k <= n; k++)
        if (size[k] > 1) {
            fault("circle of rooms: " members(k))
            show_circle(k)
        }
}
# Where a symbol is searched first: dsl and gen are one program, src is another,
# which shares its base with the first.
function program(unit)
{
    return unit ~ /^src\// ? "src" : "gen"
}
function read_symbols(    line, part, n)
{
    while ((getline line <(tmp "/symbols")) > 0) {
        n = split(line, part, " ")
        if (!((part[1] ".c") in exists)) # of a file that is gone
            continue
        has_object[part[1]] = 1
        if (n == 3 && part[2] == "U") {
            user[nuse] = part[1]
            use[nuse++] = part[3]
        } else if (n == 3 && part[2] ~ /^[A-TV-Z]$/) {
            home[program(part[1]), part[3]] = part[1]
        }
    }
}
function check_files(    i, k, n, v, w, p)
{
    clear_graph()
    for (i = 0; i < ninclude; i++) {
        v = from[i]
        w = target[i]
        sub(/\.[^.\/]*$/, "", v)
        if (sub(/\.h$/, "", w) && (w ".c") in exists && (v ".c") in exists)
            add_edge(v, w, included_at[i])
    }
    read_symbols()
    for (i = 0; i < nuse; i++) {
        p = program(user[i])
        if (!((p, use[i]) in home))
            p = p == "src" ? "gen" : "src"
        if ((p, use[i]) in home)
            add_edge(user[i], home[p, use[i]], use[i])
    }
    for (i = 0; i < nfile; i++) {
        v = file[i]
        if (sub(/\.c$/, "", v) && !(v in has_object))
            fault(file[i] ": no object in " build "/obj; make all first")
    }
    n = components()
    for (k = 1; k <= n; k++) {
        if (size[k] > circle) {
            circle = size[k]
            circle_of = members(k)
        }
        if (size[k] > most_circle) {
            fault("circle of " size[k] " files, at most " most_circle ": " \
                members(k))
            show_circle(k)
        }
    }
}

BEGIN {
    read_files()
    read_readmes()
    check_folders()
    check_includes()
    check_rooms()
    check_files()
    printf("%d rooms; largest folder: %d files, %s; largest circle of files: %s\n",
        nroom, largest, largest_in,
        circle > 1 ? circle ", " circle_of : "none")
    exit bad
}' </dev/null
