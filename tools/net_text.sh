# SPDX-License-Identifier: Apache-2.0
# C files as a table of lines, sn_net_text, from which `sinter compile` copies
# functions.  Usage: sh tools/net_text.sh FILE...
. "${0%/*}/help.sh"
echo '/* Lines of files whose functions sinter compile copies; made by'
echo ' * tools/net_text.sh. */'
echo '#include "aot/blocks/pick.h"'
echo
echo 'const char *const sn_net_text[] = {'
cat "$@" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/    "&",/'
echo '    0,'
echo '};'
