# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts of tools and tests/long before they do anything:
# --help prints the comment at the script's head, and an option that is not
# among $flags is refused with 2.  Only the shell itself is used.
help_head() {
    while IFS= read -r help_line; do
        case $help_line in
        '#!'* | '# SPDX'*) ;;
        '# '*) printf '%s\n' "${help_line#\# }" ;;
        '#') echo ;;
        *) return ;;
        esac
    done <"$0"
}
for help_arg in "$@"; do
    case $help_arg in
    -h | --help)
        help_head
        exit 0
        ;;
    -*)
        case " ${flags:-} " in
        *" $help_arg "*) ;;
        *)
            echo "${0##*/}: unknown option '$help_arg'; 'sh $0 --help' says how to call it" >&2
            exit 2
            ;;
        esac
        ;;
    esac
done
