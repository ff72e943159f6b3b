# SPDX-License-Identifier: Apache-2.0
# Files as C arrays, which `sinter report` puts into its page, the scripts one
# after another.  Usage: sh tools/page.sh HTML CSS JS...
. "${0%/*}/help.sh"
set -u
html=${1:?usage: page.sh HTML CSS JS...}
css=${2:?usage: page.sh HTML CSS JS...}
shift 2

# array NAME FILE...
array() {
    name=$1
    shift
    echo
    echo "const unsigned char sn_report_part_$name[] = {"
    cat "$@" | od -An -v -tu1 | sed -e 's/  */,/g' -e 's/^,//' -e 's/$/,/'
    echo "};"
    echo "const unsigned int sn_report_part_${name}_n = sizeof sn_report_part_$name;"
}
echo '/* Parts of the page of sinter report; made by tools/page.sh. */'
echo '#include "report/report_priv.h"'
array html "$html"
array css "$css"
array js "$@"
