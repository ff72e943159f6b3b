// SPDX-License-Identifier: Apache-2.0
/* Completion for shells: a script each, made from the tables of verbs and
 * options. */
#include <string.h>

#include "cli/args/option.h"

/* "a|b" of lower case: the words that the option takes. */
static bool
is_choice(const SnOption *o)
{
    return o->metavar && strchr(o->metavar, '|') &&
           !o->metavar[strspn(o->metavar, "abcdefghijklmnopqrstuvwxyz"
                                          "0123456789.-_|")];
}

/* A file or a folder, perhaps after NAME= or among several. */
static bool
is_file(const SnOption *o)
{
    return o->metavar &&
           (strstr(o->metavar, "FILE") || strstr(o->metavar, "MODEL"));
}

/* s in single quotes, as shells read it. */
static void
put_quoted(SnBuf *b, const char *s)
{
    sn_putc(b, '\'');
    for (; *s; s++)
        if (*s == '\'')
            sn_puts(b, "'\\''");
        else
            sn_putc(b, *s);
    sn_putc(b, '\'');
}

static void
put_words(SnBuf *b, const char *choice, const char *between)
{
    for (const char *p = choice; *p;) {
        size_t n = strcspn(p, "|");
        sn_putn(b, p, n);
        p += n + (p[n] == '|');
        sn_puts(b, *p ? between : "");
    }
}

/* ---- bash ---- */

/* case VERB,OPTION) of those options that want something. */
static void
bash_values(SnBuf *b)
{
    for (const SnVerb *v = sn_verbs; v->name; v++)
        for (const SnOption *o = sn_options; o->name; o++) {
            if (!(o->verbs & v->bit) || !o->metavar)
                continue;
            sn_putf(b, "    %s,%s) ", v->name, o->name);
            if (is_choice(o)) {
                sn_puts(b, "COMPREPLY=($(compgen -W '");
                put_words(b, o->metavar, " ");
                sn_puts(b, "' -- \"$cur\"))");
            } else if (is_file(o)) {
                sn_puts(b, "COMPREPLY=($(compgen -f -- \"$cur\"))");
            } else {
                sn_puts(b, "COMPREPLY=()");
            }
            sn_puts(b, "; return ;;\n");
        }
}

static void
bash(SnBuf *b)
{
    sn_puts(b, "# bash completion of sinter; made by sinter help "
               "--completion bash\n_sinter()\n{\n"
               "    local cur=${COMP_WORDS[COMP_CWORD]} verb= word i\n"
               "    local prev=${COMP_WORDS[COMP_CWORD-1]}\n"
               "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
               "        case ${COMP_WORDS[i]} in\n        ");
    for (const SnVerb *v = sn_verbs; v->name; v++)
        sn_putf(b, "%s%s", v == sn_verbs ? "" : "|", v->name);
    sn_puts(b, ") verb=${COMP_WORDS[i]}; break ;;\n        esac\n    done\n"
               "    compopt -o filenames 2>/dev/null\n"
               "    if [ -z \"$verb\" ]; then\n"
               "        COMPREPLY=($(compgen -W '");
    for (const SnVerb *v = sn_verbs; v->name; v++)
        sn_putf(b, "%s ", v->name);
    sn_puts(b, "--help --version' -- \"$cur\"))\n        return\n    fi\n"
               "    case $verb,$prev in\n");
    bash_values(b);
    sn_puts(b, "    esac\n    case $verb,$cur in\n");
    for (const SnVerb *v = sn_verbs; v->name; v++) {
        sn_putf(b, "    %s,-*) word='", v->name);
        for (const SnOption *o = sn_options; o->name; o++)
            if (o->verbs & v->bit)
                sn_putf(b, "%s ", o->name);
        sn_puts(b, "' ;;\n");
    }
    sn_puts(b, "    *) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n"
               "    esac\n    COMPREPLY=($(compgen -W \"$word\" -- \"$cur\"))\n"
               "}\ncomplete -F _sinter sinter\n");
}

/* ---- zsh ---- */

/* '(...)--name[help]:METAVAR:action', for _arguments. */
static void
zsh_option(SnBuf *b, const SnOption *o, const char *help)
{
    SnBuf s;

    sn_buf_init(&s, b->a);
    sn_putf(&s, "*%s[", o->name);
    for (const char *p = help; *p; p++) {
        if (strchr("[]:\\", *p))
            sn_putc(&s, '\\');
        sn_putc(&s, *p);
    }
    sn_puts(&s, "]");
    if (is_choice(o)) {
        sn_puts(&s, ":value:(");
        put_words(&s, o->metavar, " ");
        sn_puts(&s, ")");
    } else if (o->metavar) {
        sn_puts(&s, is_file(o) ? ":file:_files" : ":value: ");
    }
    sn_puts(b, " \\\n            ");
    put_quoted(b, sn_buf_str(&s));
}

static void
zsh(SnBuf *b)
{
    sn_puts(b, "#compdef sinter\n# made by sinter help --completion zsh\n"
               "_sinter() {\n    local -a verbs\n    verbs=(\n");
    for (const SnVerb *v = sn_verbs; v->name; v++) {
        sn_puts(b, "        ");
        put_quoted(b, sn_format(b->a, "%s:%s", v->name, v->help));
        sn_puts(b, "\n");
    }
    sn_puts(b, "    )\n    if (( CURRENT == 2 )); then\n"
               "        _describe verb verbs\n        return\n    fi\n"
               "    local verb=$words[2]\n    shift words\n"
               "    (( CURRENT-- ))\n    case $verb in\n");
    for (const SnVerb *v = sn_verbs; v->name; v++) {
        const char *help = "";
        sn_putf(b, "    %s)\n        _arguments -s", v->name);
        for (const SnOption *o = sn_options; o->name; o++) {
            help = o->help ? o->help : help;
            if (o->verbs & v->bit)
                zsh_option(b, o, help);
        }
        sn_puts(b, " \\\n            '*:file:_files' ;;\n");
    }
    sn_puts(b, "    esac\n}\n_sinter \"$@\"\n");
}

/* ---- fish ---- */

static void
fish_option(SnBuf *b, const SnVerb *v, const SnOption *o, const char *help)
{
    bool lone = o->name[1] != '-'; /* -o, -n */

    sn_putf(b,
            "complete -c sinter -n '__fish_seen_subcommand_from %s' %s %s%s "
            "-d ",
            v->name, lone ? "-s" : "-l", o->name + (lone ? 1 : 2),
            !o->metavar  ? ""
            : is_file(o) ? " -r -F"
                         : " -x");
    put_quoted(b, help);
    if (is_choice(o)) {
        sn_puts(b, " -a '");
        put_words(b, o->metavar, " ");
        sn_puts(b, "'");
    }
    sn_puts(b, "\n");
}

static void
fish(SnBuf *b)
{
    sn_puts(b, "# made by sinter help --completion fish\n");
    for (const SnVerb *v = sn_verbs; v->name; v++) {
        sn_putf(b, "complete -c sinter -n __fish_use_subcommand -f -a %s -d ",
                v->name);
        put_quoted(b, v->help);
        sn_puts(b, "\n");
    }
    for (const SnVerb *v = sn_verbs; v->name; v++) {
        const char *help = "";
        for (const SnOption *o = sn_options; o->name; o++) {
            help = o->help ? o->help : help;
            if (o->verbs & v->bit)
                fish_option(b, v, o, help);
        }
    }
}

bool
sn_args_complete(SnBuf *b, const char *shell)
{
    static const struct {
        const char *name;
        void (*put)(SnBuf *b);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (!strcmp(shells[i].name, shell)) {
            shells[i].put(b);
            return true;
        }
    return false;
}
