// SPDX-License-Identifier: Apache-2.0
/* --jobs and --threads. */
#include <unistd.h>

#include "base/team/spread.h"
#include "cli/cli.h"
#include "run/exec.h"

/* --jobs, or one for each processor. */
static long
jobs(const SnCli *c)
{
    return c->args.njob ? c->args.njob : sysconf(_SC_NPROCESSORS_ONLN);
}

SnStatus
sn_cli_threads(SnCli *c, unsigned *out)
{
    long n = c->args.nthread;

    if (n > SN_MAXTHREAD)
        return sn_fail(c->d, SN_EUSAGE, "--threads",
                       "%ld threads: expected at most %d", n, SN_MAXTHREAD);
    *out = n ? (unsigned)n : 1;
    return SN_OK;
}

/* More threads hardly load faster: memory is the limit. */
enum { MOST_SPREAD = 8 };

void
sn_cli_spread(SnCli *c)
{
    long n = jobs(c);

    n = n > MOST_SPREAD ? MOST_SPREAD : n;
    if (n > 1)
        sn_spread_use(sn_spread_new(c->a, (unsigned)n));
}

SnStatus
sn_cli_run_threads(SnCli *c, int64_t nsample, unsigned *out)
{
    long n = jobs(c);

    SN_TRY(sn_cli_threads(c, out));
    if (c->args.nthread || c->args.tune_file || nsample < 1)
        return SN_OK;
    if (n > SN_MAXTHREAD)
        n = SN_MAXTHREAD;
    if (n / nsample > 1)
        *out = (unsigned)(n / nsample);
    return SN_OK;
}
