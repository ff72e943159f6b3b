// SPDX-License-Identifier: Apache-2.0
#include "py_ports.h"

#include <stdbool.h>
#include <string.h>

PyObject *
sn_py_text(const char *s)
{
    return PyUnicode_DecodeUTF8(s, (Py_ssize_t)strlen(s), "backslashreplace");
}

static PyObject *
numbers(const SinterPort *p, bool scales)
{
    PyObject *t = PyTuple_New((Py_ssize_t)p->nscale);

    for (uint32_t i = 0; t && i < p->nscale; i++) {
        PyObject *v = scales ? PyFloat_FromDouble((double)p->scale[i])
                             : PyLong_FromLong(p->zero[i]);
        if (!v || PyTuple_SetItem(t, (Py_ssize_t)i, v) < 0) {
            Py_DECREF(t);
            return NULL;
        }
    }
    return t;
}

static PyObject *
dims(const SinterPort *p)
{
    PyObject *t = PyTuple_New(p->rank);

    for (int i = 0; t && i < p->rank; i++) {
        PyObject *v = PyLong_FromLongLong(p->dim[i]);
        if (!v || PyTuple_SetItem(t, i, v) < 0) {
            Py_DECREF(t);
            return NULL;
        }
    }
    return t;
}

/* (name, element, shape, axis, scales, zero points) */
static PyObject *
port(const SinterPort *p)
{
    PyObject *name = sn_py_text(p->name), *shape = dims(p);
    PyObject *scale = numbers(p, true), *zero = numbers(p, false);
    PyObject *t = name && shape && scale && zero
                      ? Py_BuildValue("OiOiOO", name, (int)p->elem, shape,
                                      (int)p->axis, scale, zero)
                      : NULL;

    Py_XDECREF(name);
    Py_XDECREF(shape);
    Py_XDECREF(scale);
    Py_XDECREF(zero);
    return t;
}

PyObject *
sn_py_ports(const void *x, uint32_t n, SnPyPortFn *at)
{
    PyObject *l = PyList_New((Py_ssize_t)n);

    for (uint32_t i = 0; l && i < n; i++) {
        PyObject *p = port(at(x, i));
        if (!p || PyList_SetItem(l, (Py_ssize_t)i, p) < 0) {
            Py_DECREF(l);
            return NULL;
        }
    }
    return l;
}

/* ---- copies ---- */

SinterPort *
sn_py_copy_ports(const void *x, uint32_t n, SnPyPortFn *at)
{
    size_t size = (n + 1u) * sizeof(SinterPort);

    for (uint32_t i = 0; i < n; i++) {
        const SinterPort *p = at(x, i);
        size += p->nscale * (sizeof *p->scale + sizeof *p->zero);
        size += strlen(p->name) + 1;
    }
    SinterPort *v = PyMem_Malloc(size);
    if (!v)
        return NULL;
    char *end = (char *)(v + n + 1);
    for (uint32_t i = 0; i < n; i++) { /* numbers first: they are aligned */
        v[i] = *at(x, i);
        size_t each = v[i].nscale * sizeof *v[i].scale;
        v[i].scale = memcpy(end, at(x, i)->scale, each);
        v[i].zero = memcpy(end + each, at(x, i)->zero, each);
        end += 2 * each;
    }
    for (uint32_t i = 0; i < n; i++) {
        size_t each = strlen(v[i].name) + 1;
        v[i].name = memcpy(end, v[i].name, each);
        end += each;
    }
    return v;
}

const SinterPort *
sn_py_copied(const void *v, uint32_t i)
{
    return (const SinterPort *)v + i;
}
