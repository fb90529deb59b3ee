/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a few instructions, given as bytes in hexadecimal, on one wave. For the tests of src/exec. */
#ifndef HARNESS_H
#define HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "execz/exec.h"

/* A wave of the named target, lanes 0: the default; fails the test when there is none. */
ez_wave *new_wave(const char *target, unsigned lanes);

/* The same value in all lanes; one lane of a register. */
void set_all(ez_wave *w, unsigned reg, uint32_t value);
uint32_t lane(const ez_wave *w, unsigned reg, unsigned n);

/* Runs the instructions and expects that the wave then reaches the end of the bytes. */
void run(ez_wave *w, const char *hex);
/* Runs them with the exception flags kept. */
void run_flags(ez_wave *w, const char *hex);
/* Runs them and returns why the wave stopped. */
ez_stop run_until_stop(ez_wave *w, const char *hex, unsigned options);
/* The same for instructions as text, a line each. */
void run_text(ez_wave *w, const char *text);
ez_stop stop_of_text(ez_wave *w, const char *text);

/* The same numbers in every run of a test. Source: Marsaglia, "Xorshift RNGs". */
uint32_t draw(void);

#endif
