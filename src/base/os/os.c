// SPDX-License-Identifier: Apache-2.0
#include "base/os/os.h"

#include <limits.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__) && !defined(SN_OS_PLAIN)
#include <linux/futex.h>
#include <sys/syscall.h>

void
sn_os_wait(atomic_uint *at, unsigned value)
{
    syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void
sn_os_wake(atomic_uint *at)
{
    syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

int
sn_os_memory_file(void)
{
    return memfd_create("sinter", MFD_CLOEXEC);
}

#else
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>

/* One bed for all: whoever is woken for another's sake looks and sleeps on. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

void
sn_os_wait(atomic_uint *at, unsigned value)
{
    pthread_mutex_lock(&lock);
    if (atomic_load(at) == value)
        pthread_cond_wait(&woken, &lock);
    pthread_mutex_unlock(&lock);
}

/* The lock orders this with a sleeper's look at *at: it has seen the new value,
 * or sleeps already. */
void
sn_os_wake(atomic_uint *at)
{
    (void)at;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&woken);
    pthread_mutex_unlock(&lock);
}

int
sn_os_memory_file(void)
{
    static atomic_uint count;
    char name[64];

    snprintf(name, sizeof name, "/sinter.%ld.%u", (long)getpid(),
             atomic_fetch_add(&count, 1u));
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
        shm_unlink(name);
    return fd;
}
#endif
