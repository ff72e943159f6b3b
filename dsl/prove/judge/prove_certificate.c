// SPDX-License-Identifier: Apache-2.0
/* Certificates of the proofs by lemmas, by elements and over the reals: each is
 * checked in every run, even if the verdict is from an earlier one, and stored
 * in certificates.txt next to proofs.txt, under the same key.
 *
 * A verdict whose certificate is missing is proved again; one whose certificate
 * the checker refuses, or which has another certificate than the verdict's, is
 * a defect: of sinter-gen, or of whatever changed the file. */
#include "dsl/prove/prover.h"

#include <string.h>
#include <xxhash.h>
#include "base/file/file.h"
#include "base/hashes.h"
#include "dsl/prove/judge/prove_rounds.h"

typedef struct Kept {
    const char *key, *text;
} Kept;

struct SnCertificates {
    const char *path; /* NULL: none is kept */
    uint32_t n;
    Kept *v;
    SnHashes key;
    SnBuf out;
    SnCheck sum; /* over all checked certificates */
    uint32_t checked;
};

/* "proof KEY NAME", the certificate, "end"; other lines are ignored. */
static void
read_all(SnProver *pv, SnCertificates *c)
{
    SnDiag *quiet = sn_diag_new(pv->a);
    Kept k = {0};
    char *text;
    size_t n;

    if (!sn_file_exists(c->path) ||
        sn_file_read(pv->a, quiet, c->path, 1 << 26, &text, &n))
        return;
    for (char *p = text, *nl; (nl = strchr(p, '\n')); p = nl) {
        nl++;
        if (!strncmp(p, "proof ", 6) && nl - p > 39 && p[38] == ' ') {
            k = (Kept){sn_strndup(pv->a, p + 6, 32), nl};
        } else if (k.text && !strncmp(p, "end\n", 4)) {
            *p = '\0';
            sn_hashes_add(&c->key, XXH64(k.key, 32, 0), c->n);
            SN_PUSH(pv->a, c->v, c->n, k);
            k.text = NULL;
        }
    }
}

SnCertificates *
sn_certificates(SnProver *pv)
{
    SnCertificates *c = SN_NEW(pv->a, SnCertificates);

    sn_hashes_init(&c->key, pv->a);
    sn_buf_init(&c->out, pv->a);
    if (!pv->cache)
        return c;
    c->path = pv->o->certificates;
    if (c->path)
        read_all(pv, c);
    return c;
}

const char *
sn_certificate_of(SnCertificates *c, const char *key)
{
    size_t probe = 0;

    for (uint32_t i; (i = sn_hashes_next(&c->key, XXH64(key, 32, 0), &probe)) !=
                     SN_HASHES_END;)
        if (!memcmp(c->v[i].key, key, 32))
            return c->v[i].text;
    return NULL;
}

const char *
sn_certificate_hash(SnProver *pv, const char *text)
{
    return text ? sn_format(pv->a, "%016llx",
                            (unsigned long long)XXH3_64bits(text, strlen(text)))
                : "";
}

void
sn_certificate_keep(SnProver *pv, const char *key, const SnProof *p)
{
    SnCertificates *c = pv->certificates;

    if (p->certificate && c->path)
        sn_putf(&c->out, "proof %s %s\n%send\n", key, p->name, p->certificate);
}

void
sn_certificates_store(SnProver *pv)
{
    SnCertificates *c = pv->certificates;

    if (c->path)
        sn_file_update(pv->d, c->path, sn_buf_str(&c->out), c->out.n);
}

static bool
refused(SnProver *pv, const SnProof *p, uint32_t line, const char *why)
{
    const char *path = pv->certificates->path;
    const char *where = sn_format(
        pv->a, "%s%scertificate of '%s'%s", path ? path : "", path ? ": " : "",
        p->name, line ? sn_format(pv->a, ", line %u", line) : "");

    sn_fail(pv->d, SN_EINTERNAL, where,
            "%s; expected each step to follow from earlier ones: a defect of "
            "sinter-gen, or the file was changed (remove it, and rules are "
            "proved again)",
            why);
    return false;
}

/* Questions that a solver can also answer: one file for each certificate. */
static void
put_questions(SnProver *pv, const SnProof *p)
{
    const char *dir = sn_path_join(pv->a, pv->o->smt2, "steps");
    uint32_t n;
    const char *text = sn_prove_smt2_steps(pv->a, p->certificate, &n);

    if (!text || !n || sn_file_mkdirs(pv->d, dir))
        return;
    const char *path = sn_path_join(
        pv->a, dir,
        sn_format(pv->a, "%s.smt2", sn_prove_file_name(pv->a, p->name)));
    text = sn_format(pv->a, "; %s: %u questions\n%s", p->name, n, text);
    sn_file_update(pv->d, path, text, strlen(text));
}

/* Is what the calculus has shown enough for the claim?  0: a proof by elements
 * or over the reals, which is enough for the requested claim. */
static bool
carries(const SnInstance *pr, bool by_lemma, char shown)
{
    if (!by_lemma || !shown)
        return !by_lemma && !shown;
    switch (pr->r->claim.kind) {
    case SN_CLAIM_EXACT:
        return shown == 'e';
    case SN_CLAIM_WITHIN:
        return shown == 'e' || shown == 'w';
    default:
        return pr->r->claim.kind == SN_CLAIM_REFINES;
    }
}

static bool
check(SnProver *pv, const char *text, SnCheck *k)
{
    k->scratch = sn_prove_scratch(pv);
    bool ok = sn_check_certificate(pv->a, text, k);

    sn_prove_scratch_back(pv);
    return ok;
}

const char *
sn_certificate_why_not(SnProver *pv, const SnInstance *pr, bool by_lemma,
                       const char *text, const char **roundings)
{
    SnCheck k = {0};

    if (!text)
        return "the proof wrote no certificate";
    if (!check(pv, text, &k))
        return sn_format(pv->a,
                         "a proof was found, but line %u of its "
                         "certificate is refused: %s",
                         k.line, k.error);
    *roundings = sn_prove_roundings(pv->a, &k);
    return carries(pr, by_lemma, k.shown) ? NULL : "another claim is certified";
}

/* Does the verdict of a rule over the reals have the number of roundings that
 * the certificate has? */
static bool
counted(SnProver *pv, const SnInstance *pr, const SnProof *p, const SnCheck *k)
{
    const char *is = sn_prove_roundings(pv->a, k);

    return pr->r->claim.kind != SN_CLAIM_REAL ||
           !strncmp(p->under, is, strlen(is)) ||
           refused(pv, p, 0,
                   sn_format(pv->a, "it has '%s', and the verdict '%s'", is,
                             p->under));
}

bool
sn_certificate_check(SnProver *pv, const SnInstance *pr, const SnProof *p)
{
    SnCertificates *c = pv->certificates;
    SnCheck k = {0};

    if (!p->certificate)
        return refused(pv, p, 0, "the proof did not write one");
    if (!check(pv, p->certificate, &k))
        return refused(pv, p, k.line, k.error);
    if (!carries(pr, p->layer == SN_LAYER_LEMMA, k.shown))
        return refused(pv, p, 0, "it is of another claim");
    if (!counted(pv, pr, p, &k))
        return false;
    if (p->hash &&
        strncmp(p->hash, sn_certificate_hash(pv, p->certificate), 17) != 0)
        return refused(pv, p, 0, "it is not that of the verdict");
    if (pv->o && pv->o->smt2)
        put_questions(pv, p);
    c->checked++;
    c->sum.nstep += k.nstep;
    c->sum.nread += k.nread;
    c->sum.npath += k.npath;
    c->sum.nthrough += k.nthrough;
    c->sum.nabsurd += k.nabsurd;
    c->sum.nclosed += k.nclosed;
    c->sum.nlemma += k.nlemma;
    c->sum.ncalculus += k.ncalculus;
    return true;
}

void
sn_certificates_report(const SnProver *pv, SnBuf *b)
{
    const SnCertificates *c = pv->certificates;

    if (!c->checked)
        return;
    sn_putf(b,
            "# %u certificates checked: %u steps from %u facts; %u paths: %u "
            "through, %u contradictions,\n#   %u closed by what was read; %u "
            "by a lemma; %u claims of the calculus\n",
            c->checked, c->sum.nstep, c->sum.nread, c->sum.npath,
            c->sum.nthrough, c->sum.nabsurd, c->sum.nclosed, c->sum.nlemma,
            c->sum.ncalculus);
}
