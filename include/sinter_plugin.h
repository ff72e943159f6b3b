// SPDX-License-Identifier: Apache-2.0
/* Everything that a backend outside the tree sees of sinter: node kinds and
 * their attributes, graphs, rules, rounding, rows, the description of a plugin.
 * In the tree these are headers of their own; `make install` writes their text
 * in place of the lines below, so that one file is installed.  SN_PLUGIN_ABI
 * is its version.  C11 and C++17. */
#ifndef SINTER_PLUGIN_H
#define SINTER_PLUGIN_H

#include "backend/plugin.h"
#include "base/budget.h"
#include "base/data.h"
#include "base/diag_format.h"
#include "base/file/file.h"
#include "base/status.h"
#include "base/version.h"
#include "graph/late/late.h"
#include "graph/text/text.h"
#include "kernel/eval/eval.h"
#include "kernel/eval/inv.h"
#include "kernel/eval/rows.h"
#include "rewrite/rule.h"
#include "sn_arith.h"
#include "sn_kinds.h"
#include "sn_rules.h"

#endif
