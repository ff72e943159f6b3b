#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A few of the declarations that tests/long/spoiled.sh changes at random, and
# all declarations that once made sinter-gen fail.
exec sh tests/long/spoiled.sh 100 7
