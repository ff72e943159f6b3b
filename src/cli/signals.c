// SPDX-License-Identifier: Apache-2.0
/* Signals: whatever ends the process removes what it is writing. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "cli/cli.h"

/* Work that does not look at the time gets so much longer. */
static const double GRACE = 0.5;

static void
say(const char *s)
{
    ssize_t n = write(STDERR_FILENO, s, strlen(s));

    (void)n; /* nothing is left to do about it */
}

/* sn_bug and a failed assert have said what is wrong: the status does too. */
static void
defect(int sig)
{
    (void)sig;
    sn_file_drop_temporaries();
    _exit(SN_EINTERNAL);
}

static void
over(int sig)
{
    const char *doing = sn_budget_doing();

    (void)sig;
    sn_file_drop_temporaries();
    say("sinter: --timeout is over");
    say(doing ? " while " : "");
    say(doing ? doing : "");
    say("\n");
    _exit(SN_ENOMEM);
}

void
sn_cli_signals(void)
{
    sn_file_signals();
    signal(SIGABRT, defect);
}

void
sn_cli_alarm(double seconds)
{
    double s = seconds + GRACE;
    struct itimerval t = {.it_value = {.tv_sec = (time_t)s}};

    if (!(seconds > 0))
        return;
    t.it_value.tv_usec = (suseconds_t)((s - (double)(time_t)s) * 1e6);
    signal(SIGALRM, over);
    setitimer(ITIMER_REAL, &t, NULL);
}
