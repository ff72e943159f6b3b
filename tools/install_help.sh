# SPDX-License-Identifier: Apache-2.0
# Writes manual pages and completion scripts, as printed by the programs, into
# the places that shells and man search.
# Usage: install_help.sh SINTER SINTER-GEN SHARE, such as /usr/local/share
. "${0%/*}/help.sh"
set -eu
sinter=${1:?usage: install_help.sh SINTER SINTER-GEN SHARE}
gen=${2:?usage: install_help.sh SINTER SINTER-GEN SHARE}
share=${3:?usage: install_help.sh SINTER SINTER-GEN SHARE}

man=$share/man/man1
mkdir -p "$man" "$share/bash-completion/completions" "$share/zsh/site-functions" \
    "$share/fish/vendor_completions.d"
"$sinter" help --man >"$man/sinter.1"
for v in $("$sinter" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    "$sinter" help "$v" --man >"$man/sinter-$v.1"
done
sh tools/gen_man.sh "$gen" >"$man/sinter-gen.1"
"$sinter" help --completion bash >"$share/bash-completion/completions/sinter"
"$sinter" help --completion zsh >"$share/zsh/site-functions/_sinter"
"$sinter" help --completion fish >"$share/fish/vendor_completions.d/sinter.fish"
