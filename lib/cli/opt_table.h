/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opt_table: what the parts of opt share.  Not for tools.
 *
 * A tool's table, those of the parts that it joins, and that of the common
 * options are one: entries 0 to count - 1, in this order.
 */
#ifndef TAPE_CLI_OPT_TABLE_H
#define TAPE_CLI_OPT_TABLE_H

#include "cli/opt.h"

size_t tape_opt_table_count(const struct tape_opt_spec *s);
const struct tape_opt *tape_opt_table_entry(
    const struct tape_opt_spec *s, size_t i);

/* Where the struct with the fields of this entry begins in the tool's. */
size_t tape_opt_table_base(
    const struct tape_opt_spec *s, const struct tape_opt *o);

/* The entry of that long name, or NULL. */
const struct tape_opt *tape_opt_table_find(
    const struct tape_opt_spec *s, struct tape_str name);

/* TAPE_E_BUG, in words, when the tables cannot be used. */
enum tape_status tape_opt_table_check(
    const struct tape_opt_spec *s, struct tape_err *err) TAPE_NODISCARD;

/* What the entry asks for when it is given; RUN for most. */
enum tape_opt_action tape_opt_table_action(const struct tape_opt *o);

/* Takes the next word off a list separated by single spaces; empty at its
   end. */
struct tape_str tape_opt_table_word(const char **list);

/* Sets the option's field from its argument (NULL: none). */
enum tape_status tape_opt_value_set(const struct tape_opt *o, const char *arg,
    void *options, struct tape_err *err) TAPE_NODISCARD;

/* The rules and the number of operands, after parsing. */
enum tape_status tape_opt_rules_check(
    const struct tape_opt_result *r, struct tape_err *err) TAPE_NODISCARD;

#endif
