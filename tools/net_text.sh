# SPDX-License-Identifier: Apache-2.0
# Files of C as a table of lines, sn_net_text: what `sinter compile` copies
# functions from.  Usage: sh tools/net_text.sh FILE...
echo '/* Lines of files whose functions sinter compile copies; made by'
echo ' * tools/net_text.sh. */'
echo '#include "aot/blocks/pick.h"'
echo
echo 'const char *const sn_net_text[] = {'
cat "$@" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/    "&",/'
echo '    0,'
echo '};'
