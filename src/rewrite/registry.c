// SPDX-License-Identifier: Apache-2.0
/* Rules, passes and backends that plugins add to those of the core. */
#include "rewrite/rewrite.h"

SnMoreRules sn_more_rules;
