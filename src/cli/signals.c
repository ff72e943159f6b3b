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

/* A file that is mapped has been cut short, or is on a disk that fails.  Its
 * name may come from a model: control characters are not printed. */
static void
gone(int sig, siginfo_t *info, void *context)
{
    const char *path = sn_file_mapped_at(info->si_addr);

    (void)context;
    if (!path) { /* the signal comes again and ends the process */
        signal(sig, SIG_DFL);
        return;
    }
    sn_file_drop_temporaries();
    for (char c[2] = ""; *path; path++) {
        c[0] = (unsigned char)*path < ' ' || *path == 127 ? '?' : *path;
        say(c);
    }
    say(": " SN_FILE_CUT "\n");
    _exit(SN_EINPUT);
}

static void
over(int sig)
{
    const char *doing = sn_budget_doing();

    (void)sig;
    sn_file_drop_temporaries();
    say("sinter: the time of --timeout is over");
    say(doing ? " while " : "");
    say(doing ? doing : "");
    say("\n");
    _exit(SN_ENOMEM);
}

void
sn_cli_signals(void)
{
    struct sigaction bus = {.sa_sigaction = gone, .sa_flags = SA_SIGINFO};

    sn_file_signals();
    signal(SIGABRT, defect);
    sigaction(SIGBUS, &bus, NULL);
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
