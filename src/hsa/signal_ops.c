/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The atomics on signals in all memory orders; the older names (acquire, release, acq_rel) mean the
 * same as the newer (scacquire, screlease, scacq_screl). Those that change a value wake who waits for it.
 */
#include "hsa/runtime.h"

/* M(name, order of a load or a compare that fails) of what reads, writes, and does both */
#define READ_ORDERS(M)                                                                                       \
    M(relaxed, __ATOMIC_RELAXED) M(scacquire, __ATOMIC_ACQUIRE) M(acquire, __ATOMIC_ACQUIRE)
#define WRITE_ORDERS(M)                                                                                      \
    M(relaxed, __ATOMIC_RELAXED) M(screlease, __ATOMIC_RELEASE) M(release, __ATOMIC_RELEASE)
#define ALL_ORDERS(M)                                                                                        \
    READ_ORDERS(M)                                                                                           \
    M(screlease, __ATOMIC_RELEASE)                                                                           \
    M(release, __ATOMIC_RELEASE) M(scacq_screl, __ATOMIC_ACQ_REL) M(acq_rel, __ATOMIC_ACQ_REL)

#define VALUE(signal) (&ez_signal_of(signal)->abi.value)

#define LOAD(name, order)                                                                                    \
    hsa_signal_value_t hsa_signal_load_##name(hsa_signal_t signal) {                                         \
        return __atomic_load_n(VALUE(signal), order);                                                        \
    }
READ_ORDERS(LOAD)

#define STORE(name, order)                                                                                   \
    void hsa_signal_store_##name(hsa_signal_t signal, hsa_signal_value_t value) {                            \
        __atomic_store_n(VALUE(signal), value, order);                                                       \
        ez_signal_notify(ez_signal_of(signal));                                                              \
    }
WRITE_ORDERS(STORE)

/* Silent: nobody waits, so nobody is woken. */
#define SILENT_STORE(name, order)                                                                            \
    void hsa_signal_silent_store_##name(hsa_signal_t signal, hsa_signal_value_t value) {                     \
        __atomic_store_n(VALUE(signal), value, order);                                                       \
    }
SILENT_STORE(relaxed, __ATOMIC_RELAXED)
SILENT_STORE(screlease, __ATOMIC_RELEASE)

#define EXCHANGE(name, order)                                                                                \
    hsa_signal_value_t hsa_signal_exchange_##name(hsa_signal_t signal, hsa_signal_value_t value) {           \
        hsa_signal_value_t old = __atomic_exchange_n(VALUE(signal), value, order);                           \
        ez_signal_notify(ez_signal_of(signal));                                                              \
        return old;                                                                                          \
    }
ALL_ORDERS(EXCHANGE)

#define CAS(name, order)                                                                                     \
    hsa_signal_value_t hsa_signal_cas_##name(hsa_signal_t signal, hsa_signal_value_t expected,               \
                                             hsa_signal_value_t value) {                                     \
        if (__atomic_compare_exchange_n(VALUE(signal), &expected, value, false, order, __ATOMIC_RELAXED))    \
            ez_signal_notify(ez_signal_of(signal));                                                          \
        return expected;                                                                                     \
    }
ALL_ORDERS(CAS)

#define MODIFY(verb, operation, name, order)                                                                 \
    void hsa_signal_##verb##_##name(hsa_signal_t signal, hsa_signal_value_t value) {                         \
        __atomic_fetch_##operation(VALUE(signal), value, order);                                             \
        ez_signal_notify(ez_signal_of(signal));                                                              \
    }
#define ADD(name, order) MODIFY(add, add, name, order)
#define SUBTRACT(name, order) MODIFY(subtract, sub, name, order)
#define AND(name, order) MODIFY(and, and, name, order)
#define OR(name, order) MODIFY(or, or, name, order)
#define XOR(name, order) MODIFY(xor, xor, name, order)
ALL_ORDERS(ADD)
ALL_ORDERS(SUBTRACT)
ALL_ORDERS(AND)
ALL_ORDERS(OR)
ALL_ORDERS(XOR)

/* The state hint says whether to spin; waiting is always a sleep, with acquire semantics. */
#define WAIT(name, order)                                                                                    \
    hsa_signal_value_t hsa_signal_wait_##name(hsa_signal_t signal, hsa_signal_condition_t condition,         \
                                              hsa_signal_value_t compare, uint64_t timeout,                  \
                                              hsa_wait_state_t state) {                                      \
        (void)state;                                                                                         \
        return ez_signal_wait(ez_signal_of(signal), condition, compare, timeout);                            \
    }
READ_ORDERS(WAIT)
