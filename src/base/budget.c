// SPDX-License-Identifier: Apache-2.0
#include "base/budget.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"

struct SnBudget {
    SnArenaList *arenas;
    SnMemory memory; /* alloc NULL: the system's */
    SnLimits given;
    _Atomic int64_t deadline; /* of sn_now_ns; 0: none */
    _Atomic size_t held;      /* bytes of arenas */
    _Atomic size_t more;      /* beyond the limit, to report that it was met */
    _Atomic uint64_t file, nmodel;
    _Atomic uint64_t spent[SN_NCHARGE];
};

/* Room for messages after a limit was met. */
enum { REPORT = 1 << 20 };

/* What each charge is called, its unit, the option that raises it, and its
 * default: base for each file and so much for each byte of it. */
static const struct {
    const char *asks, *unit, *option;
    uint64_t base, per_byte;
    bool file;
} charges[SN_NCHARGE] = {
    [SN_CHARGE_MEMORY] = {"", "", "--max-memory", SN_MAX_MEMORY, 0, false},
    [SN_CHARGE_OPS] = {"one sample takes", "operations", "--max-ops",
                       SN_MAX_OPS, 0, false},
    [SN_CHARGE_NODES] = {"the graph has", "nodes", "--max-nodes", SN_MAX_NODES,
                         0, false},
    [SN_CHARGE_TIME] = {"", "", "--timeout", 0, 0, false},
    [SN_CHARGE_FOLD_OPS] = {"folding constants takes", "operations",
                            "--max-ops", UINT64_C(1) << 28, 512, true},
    [SN_CHARGE_FOLD_NBYTE] = {"folded constants take", "B", "--max-memory",
                              UINT64_C(1) << 28, 64, true},
    [SN_CHARGE_UNROLL] = {"loops unroll to", "nodes", "--max-nodes",
                          UINT64_C(1) << 17, 1, true},
};

static _Thread_local SnBudget *current;
static _Thread_local struct {
    const char *doing;
    char what[sizeof((SnTrip *)NULL)->where];
} at;
static _Thread_local SnTrip trip;

SnBudget *
sn_budget_new(const SnLimits *l)
{
    SnBudget *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->arenas = sn_arena_list_new();
    if (!b->arenas) {
        free(b);
        return NULL;
    }
    sn_budget_limit(b, l);
    return b;
}

void
sn_budget_free(SnBudget *b)
{
    if (!b)
        return;
    if (current == b)
        current = NULL;
    sn_arena_list_free(b->arenas);
    free(b);
}

void
sn_budget_set_memory(SnBudget *b, const SnMemory *m)
{
    b->memory = *m;
}

const SnMemory *
sn_budget_memory(const SnBudget *b)
{
    return b && b->memory.alloc ? &b->memory : NULL;
}

void
sn_budget_limit(SnBudget *b, const SnLimits *l)
{
    b->given = *l;
    atomic_store(&b->deadline, l->seconds > 0
                                   ? sn_now_ns() + (int64_t)(l->seconds * 1e9)
                                   : 0);
}

SnBudget *
sn_budget_use(SnBudget *b)
{
    SnBudget *was = current;

    current = b;
    return was;
}

SnBudget *
sn_budget_now(void)
{
    return current;
}

SnArenaList *
sn_budget_arenas(SnBudget *b)
{
    return b->arenas;
}

/* ---- limits ---- */

/* What the user gave for it, or 0. */
static uint64_t
given(const SnBudget *b, SnCharge c)
{
    switch (c) {
    case SN_CHARGE_MEMORY:
    case SN_CHARGE_FOLD_NBYTE:
        return b->given.memory;
    case SN_CHARGE_OPS:
    case SN_CHARGE_FOLD_OPS:
        return b->given.ops;
    case SN_CHARGE_NODES:
    case SN_CHARGE_UNROLL:
        return b->given.nodes;
    case SN_CHARGE_TIME:
        break;
    }
    return 0;
}

static uint64_t
limit(const SnBudget *b, SnCharge c)
{
    uint64_t n = given(b, c);

    if (n)
        return n;
    if (!charges[c].file)
        return charges[c].base;
    uint64_t nmodel = atomic_load(&b->nmodel), nbyte = atomic_load(&b->file);
    n = charges[c].base * (nmodel ? nmodel : 1);
    return nbyte > (UINT64_MAX - n) / charges[c].per_byte
               ? UINT64_MAX
               : n + nbyte * charges[c].per_byte;
}

/* ---- what is said ---- */

typedef struct Amount {
    char s[48];
} Amount;

/* With few digits: "1.07 GB", "3.2 M operations", "263 B". */
static Amount
amount(uint64_t n, const char *unit)
{
    static const char prefix[] = " kMGTPE";
    Amount out;
    double v = (double)n;
    int i = 0;

    for (; v >= 999.5 && i < 6; i++)
        v /= 1000;
    if (i == 0)
        snprintf(out.s, sizeof out.s, "%.0f %s", v, unit);
    else
        snprintf(out.s, sizeof out.s, "%.4g %c%s%s", v, prefix[i],
                 unit[1] ? " " : "", unit);
    return out;
}

static void
note(const char *option)
{
    snprintf(trip.where, sizeof trip.where, "%s",
             at.what[0] ? at.what : "sinter");
    trip.option = option;
}

static void
note_charge(const SnBudget *b, SnCharge c, uint64_t n)
{
    Amount sum = amount(n, charges[c].unit);
    Amount most = amount(limit(b, c), charges[c].unit);
    Amount file = amount(atomic_load(&b->file), "B");
    bool by_file = charges[c].file && !given(b, c);

    note(charges[c].option);
    snprintf(trip.text, sizeof trip.text, "%s %s; the limit%s%s is %s",
             charges[c].asks, sum.s, by_file ? " for files of " : "",
             by_file ? file.s : "", most.s);
}

static void
note_memory(const SnBudget *b, size_t nbyte)
{
    Amount want = amount(nbyte, "B");
    Amount held = amount(atomic_load(&b->held), "B");
    Amount most = amount(limit(b, SN_CHARGE_MEMORY), "B");

    note(charges[SN_CHARGE_MEMORY].option);
    snprintf(trip.text, sizeof trip.text,
             "%s asks for %s of memory in addition to the %s in use; the limit "
             "is %s",
             at.doing ? at.doing : "it", want.s, held.s, most.s);
}

static void
note_time(const SnBudget *b)
{
    note(charges[SN_CHARGE_TIME].option);
    snprintf(trip.text, sizeof trip.text, "the limit of %g s is over%s%s",
             b->given.seconds, at.doing ? " while " : "",
             at.doing ? at.doing : "");
}

const SnTrip *
sn_budget_trip(void)
{
    return &trip;
}

void
sn_out_of_memory(void)
{
    note(NULL);
    snprintf(trip.text, sizeof trip.text, "out of memory");
    sn_guard_jump();
}

/* ---- charging ---- */

static void
check_time(SnBudget *b)
{
    int64_t end = atomic_load(&b->deadline);

    if (!end || sn_now_ns() < end)
        return;
    note_time(b);
    atomic_store(&b->more, REPORT);
    atomic_store(&b->deadline, 0); /* the report takes time too */
    sn_guard_jump();
}

void
sn_budget_at(const char *doing, const char *what)
{
    size_t n = what ? strnlen(what, sizeof at.what - 1) : 0;

    at.doing = doing;
    memcpy(at.what, what ? what : "", n);
    at.what[n] = '\0';
    if (current)
        check_time(current);
}

const char *
sn_budget_doing(void)
{
    return at.doing;
}

void
sn_budget_beside(uint64_t n)
{
    if (current)
        atomic_fetch_add(&current->file, n);
}

void
sn_budget_model(uint64_t n)
{
    sn_budget_beside(n);
    if (current)
        atomic_fetch_add(&current->nmodel, 1);
}

uint64_t
sn_budget_limit_of(SnCharge what)
{
    return current ? limit(current, what) : UINT64_MAX;
}

uint64_t
sn_budget_left(SnCharge what)
{
    uint64_t most = sn_budget_limit_of(what);
    uint64_t n = current ? atomic_load(&current->spent[what]) : 0;

    return n < most ? most - n : 0;
}

void
sn_charge_level(SnCharge what, uint64_t n)
{
    if (!current || n <= limit(current, what))
        return;
    note_charge(current, what, n);
    atomic_store(&current->more, REPORT);
    sn_guard_jump();
}

void
sn_charge(SnCharge what, uint64_t n)
{
    if (!current)
        return;
    uint64_t was = atomic_load(&current->spent[what]);
    uint64_t sum = n > UINT64_MAX - was ? UINT64_MAX : was + n;
    sn_charge_level(what, sum);
    atomic_fetch_add(&current->spent[what], n);
    check_time(current);
}

bool
sn_budget_has(SnBudget *b, size_t nbyte)
{
    size_t held = b ? atomic_load(&b->held) : 0;

    return !b || (held <= SIZE_MAX - nbyte &&
                  held + nbyte <= limit(b, SN_CHARGE_MEMORY));
}

bool
sn_budget_take(SnBudget *b, size_t nbyte)
{
    if (!b)
        return true;
    size_t held = atomic_fetch_add(&b->held, nbyte);
    uint64_t most = limit(b, SN_CHARGE_MEMORY) + atomic_load(&b->more);
    if (held <= SIZE_MAX - nbyte && held + nbyte <= most)
        return true;
    atomic_fetch_sub(&b->held, nbyte);
    note_memory(b, nbyte);
    atomic_store(&b->more, REPORT);
    return false;
}

void
sn_budget_give(SnBudget *b, size_t nbyte)
{
    if (b)
        atomic_fetch_sub(&b->held, nbyte);
}
