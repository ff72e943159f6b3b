# SPDX-License-Identifier: Apache-2.0
# A page of docs as a shell script (tests/sh/pages.sh).  What the first line of a
# fenced block says:
#   sh        commands, run in order in one shell; `sh 3`: the last exits with 3
#   text      lines that the commands before must have printed, in this order;
#             `...` skips some; white space at the ends does not count
#   X FILE    the text of FILE; `X +FILE`: what is appended to it
# Other blocks are left alone.  -v dir=DIR: where blocks go.
function file(suffix) { return dir "/" n suffix }
/^```/ && !on {
    on = 1; n++; out = ""
    split(substr($0, 4), word, " ")
    if (word[1] == "sh") {
        out = file(".sh"); last = n
        print "line=" NR
        if (word[2] == "")
            print ". " out " >" file(".out") " 2>&1"
        else {
            print "rc=0; (. " out ") >" file(".out") " 2>&1 || rc=$?"
            print "[ $rc = " word[2] " ] || { echo \"exits with $rc\" >>" file(".out") "; false; }"
        }
    } else if (word[1] == "text" && last) {
        out = file(".want")
        print "line=" NR "; holds " out " " dir "/" last ".out"
    } else if (word[2] != "") {
        out = file(".file")
        to = word[2]; plus = sub(/^\+/, "", to)
        print "cat " out (plus ? " >>" : " >") to
    }
    next
}
/^```/ { on = 0; if (out != "") close(out); next }
on && out != "" { print >out }
