/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping until a word changes: futex(2). */
#ifndef EZ_HSA_FUTEX_H
#define EZ_HSA_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps while *word is `expected`, at most `timeout` ns; may return early. */
static inline void ez_futex_wait(atomic_uint *word, unsigned expected, uint64_t timeout, bool shared) {
    struct timespec t = {.tv_sec = (time_t)(timeout / 1000000000u), .tv_nsec = (long)(timeout % 1000000000u)};
    syscall(SYS_futex, word, shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, expected, &t, NULL, 0);
}

static inline void ez_futex_wake(atomic_uint *word, bool shared) {
    syscall(SYS_futex, word, shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#endif
