// SPDX-License-Identifier: Apache-2.0
/* Inputs and outputs as objects of Python, for core.c. */
#ifndef SN_PY_PORTS_H
#define SN_PY_PORTS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <sinter.h>

/* Bytes of names come from files. */
PyObject *sn_py_text(const char *s);

typedef const SinterPort *SnPyPortFn(const void *x, uint32_t i);

/* A list of n tuples (name, element, shape, axis, scales, zero points). */
PyObject *sn_py_ports(const void *x, uint32_t n, SnPyPortFn *at);
/* n ports of x in one piece, for PyMem_Free; NULL: there is no memory. */
SinterPort *sn_py_copy_ports(const void *x, uint32_t n, SnPyPortFn *at);
/* Port i of such a copy. */
const SinterPort *sn_py_copied(const void *v, uint32_t i);

#endif
