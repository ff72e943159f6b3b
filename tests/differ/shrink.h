// SPDX-License-Identifier: Apache-2.0
/* Making a model that disagrees small; stored vectors. */
#ifndef SN_TEST_DIFFER_SHRINK_H
#define SN_TEST_DIFFER_SHRINK_H

#include "check.h"

/* Cuts g's model while it still disagrees (by this rule, run this way), prints
 * it, and writes it with inputs and ONNX Runtime's output to dir. */
void shrink(Gen *g, CkRule rule, CkWay way, const char *dir);
/* Writes the model, its inputs, and out to dir/model.onnx and
 * dir/test_data_set_0. */
bool vector_write(const Dm *m, const char *dir, const SnData *out);

/* Writes small models of every operator and form to directories in dir. */
int vectors_store(SnArena *a, Ort *o, const char *dir);
/* Runs sinter on what that wrote; 1 when one does not agree. */
int vectors_replay(SnArena *a, const char *dir);

#endif
