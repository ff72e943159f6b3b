// SPDX-License-Identifier: Apache-2.0
/* The words of lang.h and of forms by their numbers. */
#include "base/lang/arithmetic.h"

#include <string.h>

#define ELEM(ID, n, w, s, t) [SN_##ID] = {n, w, s, t, "SN_" #ID},
const SnElemWord sn_elem_words[SN_NELEM] = {SN_ELEMS(ELEM)};

#define KIND(ID, w, f, t) [SN_##ID] = {w, t, "SN_" #ID, SN_TF_##f},
const SnAttrKindWord sn_attr_kind_words[SN_NATTRKIND] = {SN_ATTR_KINDS(KIND)};

#define WORD(ID, w, text) [SN_##ID] = {w, text, "SN_" #ID},
const SnLangWord sn_fact_words[SN_NFACT] = {SN_FACTS(WORD)};
const SnLangWord sn_class_words[SN_NCLASS] = {SN_CLASSES(WORD)};
const SnLangWord sn_claim_words[SN_NCLAIM] = {SN_CLAIMS(WORD)};
const SnLangWord sn_family_words[SN_NFAM] = {SN_FAMILIES(WORD)};

#define FORM(ID, w, n, text) [SN_FORM_##ID] = {w, text, "SN_FORM_" #ID},
const SnLangWord sn_form_words[SN_NFORM] = {SN_FORMS(FORM)};

int
sn_elem_declared(const char *word)
{
    int i = SN_NELEM;

    while (i-- > 0 && strcmp(sn_elem_words[i].word, word))
        ;
    return i;
}

int
sn_attr_kind_declared(const char *word, SnTypeForm form)
{
    int i = 0;

    while (i < SN_NATTRKIND && (sn_attr_kind_words[i].form != form ||
                                strcmp(sn_attr_kind_words[i].word, word)))
        i++;
    return i;
}

size_t
sn_lang_named(const SnLangWord *v, size_t n, const char *s)
{
    size_t i = 0;

    while (i < n && (!*v[i].word || strcmp(v[i].word, s)))
        i++;
    return i;
}
