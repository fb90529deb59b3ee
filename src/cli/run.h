/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `execz run` share: the arguments of a kernel and how they are shown. */
#ifndef EZ_CLI_RUN_H
#define EZ_CLI_RUN_H

#include "cli.h"

enum { RUN_ARGS_MAX = 256, RUN_KERNARG_MAX = 65536 };

/* A buffer that an argument made in device memory. */
typedef struct run_buffer {
    void *bytes;
    uint64_t size;
    const char *out; /* the file that it is written to after the run; NULL: none */
    char *made;      /* memory of that name, where it is not part of the command line */
    uint64_t row, pitch; /* of an image: bytes of a row, and from one to the next; pitch 0: none, or it has been packed */
} run_buffer;

typedef struct run_args {
    const ez_kernel *kernel;
    ez_device *device;
    const ez_kernel_arg *expected[RUN_ARGS_MAX]; /* the explicit arguments */
    unsigned count;
    run_buffer buffer[RUN_ARGS_MAX]; /* bytes NULL: no buffer */
    char *file[RUN_ARGS_MAX];        /* owned file names of out:FILE:BYTES */
    uint8_t kernarg[RUN_KERNARG_MAX];
    size_t kernarg_size;
    uint32_t dynamic_lds;
    ez_kernel_arg made[RUN_ARGS_MAX]; /* for a kernel without metadata: what the words say */
} run_args;

/* Whether a word is an ARG, by its KIND: */
bool run_is_arg(const char *word);

/* Turns the words into the kernel's arguments, buffers included. CLI_GO, or the status to exit with. */
int run_take_args(const cli_command *self, run_args *args, int count, char **words);

/* Frees the arguments, buffers apart: those belong to the device. NULL is allowed. */
void run_args_free(run_args *args);

/* Frees what the arguments hold beside the device's memory, and themselves. NULL is allowed. */
void run_free_args(run_args *args);

/* Writes the buffers that have a file. CLI_OK or CLI_INPUT. */
int run_write_files(const run_args *args);

/* What run_args.c and run_image.c share. The n-th field of text, fields separated by colons; false when there is none. */
bool run_field(const char *text, unsigned n, char *out, size_t room);
/* Says what is wrong with an argument, and what the kernel takes. CLI_USAGE. */
int run_wrong(const run_args *args, unsigned n, const char *word, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Device memory for an argument, and its address in the argument. CLI_GO, or the status to exit with. */
int run_allocate(run_args *args, unsigned n, const char *word, uint64_t size);
void run_put_address(run_args *args, unsigned n, const void *pointer);

/* image:TEXT and sampler:TEXT. */
int run_take_image(run_args *args, unsigned n, const char *word, const char *text);
int run_take_sampler(run_args *args, unsigned n, const char *word, const char *text);
/* After the run: takes the gaps between the rows of images out, so that they are shown and written without. */
void run_pack_images(run_args *args);

/* --show ARGINDEX:TYPE[:COUNT] */
typedef struct run_show {
    unsigned index;
    const struct cli_type *type;
    uint64_t count; /* 0: all */
} run_show;
int run_parse_show(const cli_command *self, const run_args *args, const char *text, run_show *show);
void run_print(const run_args *args, const run_show *show);

/* What stopped a dispatch, for people. */
void run_report(const ez_dispatch *dispatch, const ez_result *result);

/* What was executed of a module and how near to hardware that is, as text or JSON. CLI_OK or the status to exit with. */
int run_print_fidelity(ez_module *module, bool json);

#endif
