// SPDX-License-Identifier: Apache-2.0
/* sinter._core: sinter.h for Python, by the stable ABI of Python 3.11.  What is
 * Python about it (arrays, names, exceptions) is in sinter/__init__.py, which
 * alone calls this. */
#include "py_ports.h"

#include <stdbool.h>
#include <string.h>

/* A SinterModel is for one thread at a time: calls about it wait for each
 * other, without the interpreter.  Whoever has the lock calls nothing of
 * Python's that may run code, as collecting garbage does: that may ask the same
 * model.  While data is asked for the model may be used, but not changed. */
typedef struct Model {
    PyObject_HEAD SinterModel *m;
    PyThread_type_lock lock;
    int asking; /* calls that ask for data; under the lock */
} Model;

typedef struct Session {
    PyObject_HEAD SinterSession *s;
} Session;

static PyTypeObject *model_type, *session_type;
static PyObject *make_error, *see_note; /* functions of sinter */

/* ---- messages ---- */

enum { NNOTE = 32 };

/* Warnings and notes of the call under way in this thread, which has not the
 * interpreter: they are told when it is back. */
typedef struct Notes {
    int n;
    struct {
        SinterSeverity severity;
        char where[256], text[768];
    } v[NNOTE];
} Notes;
static _Thread_local Notes *notes;

static void
note(void *ctx, SinterSeverity severity, const char *where, const char *text)
{
    (void)ctx;
    if (!notes || severity == SINTER_LOG_ERROR || notes->n == NNOTE)
        return;
    notes->v[notes->n].severity = severity;
    PyOS_snprintf(notes->v[notes->n].where, sizeof notes->v->where, "%s",
                  where);
    PyOS_snprintf(notes->v[notes->n].text, sizeof notes->v->text, "%s", text);
    notes->n++;
}

static const SinterConfig config = {.size = sizeof config, .log = note};

/* A call without the interpreter. */
typedef struct Call {
    Notes *notes;
    PyThreadState *out;
    Model *model; /* whose lock it has; or NULL */
    SinterError err;
} Call;

/* With the interpreter, but not while it waits. */
static void
lock_model(Model *x)
{
    PyThreadState *out = PyEval_SaveThread();

    PyThread_acquire_lock(x->lock, WAIT_LOCK);
    PyEval_RestoreThread(out);
}

/* false: there is no memory, and an exception. */
static bool
begin(Call *c)
{
    c->model = NULL;
    c->notes = PyMem_Calloc(1, sizeof *c->notes);
    if (!c->notes) {
        PyErr_NoMemory();
        return false;
    }
    notes = c->notes;
    c->out = PyEval_SaveThread();
    return true;
}

/* A call about x. */
static bool
begin_model(Call *c, Model *x)
{
    if (!begin(c))
        return false;
    PyThread_acquire_lock(x->lock, WAIT_LOCK);
    c->model = x;
    return true;
}

static bool
raise_error(const SinterError *e)
{
    PyObject *where = sn_py_text(e->where), *text = sn_py_text(e->message);
    PyObject *help = sn_py_text(e->help);
    PyObject *x = where && text && help
                      ? PyObject_CallFunction(
                            make_error, "iOOOII", (int)e->status, where, text,
                            help, (unsigned)e->line, (unsigned)e->column)
                      : NULL;

    Py_XDECREF(where);
    Py_XDECREF(text);
    Py_XDECREF(help);
    if (x)
        PyErr_SetObject((PyObject *)Py_TYPE(x), x);
    Py_XDECREF(x);
    return false;
}

/* Has the interpreter again; false: an exception, the call's own where it has
 * one. */
static bool
end(Call *c, SinterStatus st)
{
    bool ok = true;

    if (c->model)
        PyThread_release_lock(c->model->lock);
    PyEval_RestoreThread(c->out);
    notes = NULL;
    if (PyErr_Occurred()) /* in data that was asked for */
        ok = false;
    for (int i = 0; i < c->notes->n && ok; i++) {
        PyObject *where = sn_py_text(c->notes->v[i].where);
        PyObject *text = sn_py_text(c->notes->v[i].text);
        PyObject *r = where && text
                          ? PyObject_CallFunction(see_note, "iOO",
                                                  (int)c->notes->v[i].severity,
                                                  where, text)
                          : NULL;
        ok = r != NULL;
        Py_XDECREF(r);
        Py_XDECREF(where);
        Py_XDECREF(text);
    }
    PyMem_Free(c->notes);
    return ok && (st == SINTER_OK || raise_error(&c->err));
}

/* ---- arguments ---- */

/* The strings of a list, ending with NULL; they live as long as it does.  NULL
 * with an exception, or for None. */
static const char **
strings(PyObject *list)
{
    Py_ssize_t n = list == Py_None ? 0 : PyList_Size(list);

    if (list == Py_None || n < 0)
        return NULL;
    const char **v = PyMem_Calloc((size_t)n + 1, sizeof *v);
    if (!v)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; v && i < n; i++) {
        v[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL);
        if (!v[i]) {
            PyMem_Free(v);
            return NULL;
        }
    }
    return v;
}

/* A converter: a number of threads, which "I" would cut to its low bits. */
static int
count(PyObject *o, void *to)
{
    long long n = PyLong_AsLongLong(o);

    if (n == -1 && PyErr_Occurred())
        return 0;
    if (n < 0 || n > UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError,
                        "a number of threads or jobs is negative or too large");
        return 0;
    }
    *(uint32_t *)to = (uint32_t)n;
    return 1;
}

/* ---- ports ---- */

static const SinterPort *
model_in(const void *m, uint32_t i)
{
    return sinter_model_input(m, i);
}

static const SinterPort *
model_out(const void *m, uint32_t i)
{
    return sinter_model_output(m, i);
}

static PyObject *
model_ports(PyObject *self, PyObject *none)
{
    Model *x = (Model *)self;

    (void)none;
    lock_model(x);
    uint32_t nin = sinter_model_ninput(x->m), nout = sinter_model_noutput(x->m);
    SinterPort *in = sn_py_copy_ports(x->m, nin, model_in);
    SinterPort *out = sn_py_copy_ports(x->m, nout, model_out);
    PyThread_release_lock(x->lock);
    PyObject *t = in && out
                      ? Py_BuildValue("NN", sn_py_ports(in, nin, sn_py_copied),
                                      sn_py_ports(out, nout, sn_py_copied))
                      : PyErr_NoMemory();
    PyMem_Free(in);
    PyMem_Free(out);
    return t;
}

/* ---- models ---- */

static PyObject *
wrap_model(SinterModel *m)
{
    PyThread_type_lock lock = PyThread_allocate_lock();
    Model *x = lock ? PyObject_New(Model, model_type) : NULL;

    if (!x) {
        if (lock)
            PyThread_free_lock(lock);
        sinter_model_free(m);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    x->m = m;
    x->lock = lock;
    x->asking = 0;
    return (PyObject *)x;
}

static void
model_dealloc(PyObject *self)
{
    PyTypeObject *t = Py_TYPE(self);

    sinter_model_free(((Model *)self)->m);
    PyThread_free_lock(((Model *)self)->lock);
    PyObject_Free(self);
    Py_DECREF(t);
}

/* load(path or None, bytes or None, is_onnx, name, dir, dims, shapes, batch) */
static PyObject *
load(PyObject *mod, PyObject *args)
{
    PyObject *pdims, *pshapes;
    const char *path, *name, *dir;
    Py_buffer data = {0};
    int onnx;
    long long batch;
    SinterModel *m = NULL;
    Call c;

    (void)mod;
    if (!PyArg_ParseTuple(args, "zz*pzzOOL", &path, &data, &onnx, &name, &dir,
                          &pdims, &pshapes, &batch))
        return NULL;
    const char **dv = strings(pdims), **sv = strings(pshapes);
    SinterImport io = {
        .size = sizeof io, .dims = dv, .shapes = sv, .batch = batch};
    bool given = dv || sv || batch;
    SinterStatus st = SINTER_OK;
    bool ok = !PyErr_Occurred() && begin(&c);
    if (ok) {
        st = path ? sinter_model_load(&config, path, given ? &io : NULL, &m,
                                      &c.err)
                  : sinter_model_parse(
                        &config, onnx ? SINTER_FORMAT_ONNX : SINTER_FORMAT_SN,
                        data.buf, (size_t)data.len, name, dir,
                        given ? &io : NULL, &m, &c.err);
        ok = end(&c, st);
    }
    PyMem_Free(dv);
    PyMem_Free(sv);
    PyBuffer_Release(&data); /* nothing where there was None */
    if (!ok)
        sinter_model_free(m);
    return ok ? wrap_model(m) : NULL;
}

static PyObject *
model_optimize(PyObject *self, PyObject *args)
{
    const char *passes;
    Call c;

    Model *x = (Model *)self;

    if (!PyArg_ParseTuple(args, "z", &passes) || !begin_model(&c, x))
        return NULL;
    bool asking = x->asking > 0;
    SinterStatus st =
        asking ? SINTER_OK : sinter_model_optimize(x->m, passes, &c.err);
    if (!end(&c, st))
        return NULL;
    if (asking) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the model is in use: quantize asks for data");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
model_verify(PyObject *self, PyObject *none)
{
    Call c;

    (void)none;
    if (!begin_model(&c, (Model *)self) ||
        !end(&c, sinter_model_verify(((Model *)self)->m, &c.err)))
        return NULL;
    Py_RETURN_NONE;
}

/* write(path or None, is_onnx, form, opset, uint8): bytes without a path */
static PyObject *
model_write(PyObject *self, PyObject *args)
{
    SinterModel *m = ((Model *)self)->m;
    SinterExport e = {.size = sizeof e};
    int onnx, form, opset, u8;
    const char *path;
    void *p = NULL;
    size_t n = 0;
    Call c;

    if (!PyArg_ParseTuple(args, "zpiip", &path, &onnx, &form, &opset, &u8) ||
        !begin_model(&c, (Model *)self))
        return NULL;
    e.form = form ? SINTER_QOPERATOR : SINTER_QDQ;
    e.opset = opset;
    e.uint8 = u8;
    const SinterExport *x = onnx ? &e : NULL;
    SinterStatus st =
        path
            ? sinter_model_save(m, path, x, &c.err)
            : sinter_model_pack(m, onnx ? SINTER_FORMAT_ONNX : SINTER_FORMAT_SN,
                                x, &p, &n, &c.err);
    if (!end(&c, st)) {
        sinter_free(p);
        return NULL;
    }
    if (path)
        Py_RETURN_NONE;
    PyObject *b = PyBytes_FromStringAndSize(p, (Py_ssize_t)n);
    sinter_free(p);
    return b;
}

static PyObject *
model_report(PyObject *self, PyObject *none)
{
    Model *x = (Model *)self;

    (void)none;
    lock_model(x);
    const char *text = sinter_model_report(x->m);
    size_t n = strlen(text) + 1;
    char *copy = PyMem_Malloc(n);
    if (copy)
        memcpy(copy, text, n);
    PyThread_release_lock(x->lock);
    PyObject *t = copy ? sn_py_text(copy) : PyErr_NoMemory();
    PyMem_Free(copy);
    return t;
}

/* ---- quantizing ---- */

typedef struct Fill {
    Call *call; /* whose thread state is asked for */
    PyObject *fn;
    Model *model;
} Fill;

/* The memory ends with the call: whoever has kept a view, a traceback for one,
 * finds it released.  Keeps the exception there is. */
static bool
close_views(PyObject *l)
{
    PyObject *type, *value, *trace;
    bool ok = true;

    PyErr_Fetch(&type, &value, &trace);
    for (Py_ssize_t i = 0; ok && i < PyList_Size(l); i++) {
        PyObject *r =
            PyObject_CallMethod(PyList_GetItem(l, i), "release", NULL);
        ok = r != NULL;
        Py_XDECREF(r);
    }
    if (type)
        PyErr_Restore(type, value, trace);
    return ok;
}

/* fn([memory of each input]): is there a sample? */
static int
ask(const Fill *f, void *const *input)
{
    uint32_t n = sinter_model_ninput(f->model->m);
    PyObject *l = PyList_New((Py_ssize_t)n), *r = NULL;
    int more = -1;

    for (uint32_t i = 0; l && i < n; i++) {
        size_t nbyte = sinter_model_input(f->model->m, i)->nbyte;
        PyObject *v =
            PyMemoryView_FromMemory(input[i], (Py_ssize_t)nbyte, PyBUF_WRITE);
        if (!v || PyList_SetItem(l, (Py_ssize_t)i, v) < 0) {
            Py_DECREF(l);
            l = NULL;
        }
    }
    if (l)
        r = PyObject_CallFunctionObjArgs(f->fn, l, NULL);
    if (r)
        more = PyObject_IsTrue(r);
    Py_XDECREF(r);
    if (l && !close_views(l))
        more = -1;
    Py_XDECREF(l);
    return more < 0 ? 2 : !more;
}

static int
fill(void *ctx, int64_t sample, void *const *input)
{
    Fill *f = ctx;

    (void)sample;
    f->model->asking++;
    PyThread_release_lock(f->model->lock);
    PyEval_RestoreThread(f->call->out);
    Notes *mine = notes; /* the data may come from sinter */
    int r = ask(f, input);
    notes = mine;
    f->call->out = PyEval_SaveThread();
    PyThread_acquire_lock(f->model->lock, WAIT_LOCK);
    f->model->asking--;
    return r;
}

/* quantize(fn, n, precision, scheme, range, keep_float, per_tensor, bias8,
 * require_int8): a new model */
static PyObject *
model_quantize(PyObject *self, PyObject *args)
{
    SinterModel *m = ((Model *)self)->m, *to = NULL;
    SinterQuantize q = {.size = sizeof q, .fill = fill};
    PyObject *fn, *list[4];
    const char **v[4] = {NULL};
    int per_tensor, bias8, require;
    long long n;
    Call c;

    if (!PyArg_ParseTuple(args, "OLOOOOppp", &fn, &n, &list[0], &list[1],
                          &list[2], &list[3], &per_tensor, &bias8, &require))
        return NULL;
    for (int i = 0; i < 4 && !PyErr_Occurred(); i++)
        v[i] = strings(list[i]);
    bool ok = !PyErr_Occurred() && begin_model(&c, (Model *)self);
    if (ok) {
        Fill f = {&c, fn, (Model *)self};
        q.fill_ctx = &f;
        q.nsample = n;
        q.precision = v[0];
        q.scheme = v[1];
        q.range = v[2];
        q.keep_float = v[3];
        q.per_tensor = per_tensor;
        q.bias8 = bias8;
        q.require_int8 = require;
        SinterStatus st = sinter_model_quantize(m, &q, &to, &c.err);
        ok = end(&c, st);
    }
    for (int i = 0; i < 4; i++)
        PyMem_Free(v[i]);
    if (!ok)
        sinter_model_free(to);
    return ok ? wrap_model(to) : NULL;
}

/* ---- sessions ---- */

static const SinterPort *
session_in(const void *s, uint32_t i)
{
    return sinter_session_input(s, i);
}

static const SinterPort *
session_out(const void *s, uint32_t i)
{
    return sinter_session_output(s, i);
}

static PyObject *
session_ports(PyObject *self, PyObject *none)
{
    SinterSession *s = ((Session *)self)->s;

    (void)none;
    return Py_BuildValue(
        "NN", sn_py_ports(s, sinter_session_ninput(s), session_in),
        sn_py_ports(s, sinter_session_noutput(s), session_out));
}

static PyObject *
model_session(PyObject *self, PyObject *args)
{
    SinterSessionConfig o = {.size = sizeof o};
    SinterSession *s = NULL;
    Call c;

    if (!PyArg_ParseTuple(args, "O&", count, &o.threads) ||
        !begin_model(&c, (Model *)self))
        return NULL;
    SinterStatus st = sinter_session_new(((Model *)self)->m, &o, &s, &c.err);
    Session *x = end(&c, st) ? PyObject_New(Session, session_type) : NULL;
    if (x)
        x->s = s;
    else
        sinter_session_free(s);
    return (PyObject *)x;
}

static void
session_dealloc(PyObject *self)
{
    PyTypeObject *t = Py_TYPE(self);

    sinter_session_free(((Session *)self)->s);
    PyObject_Free(self);
    Py_DECREF(t);
}

/* The memory of a run's arrays. */
typedef struct Buffers {
    Py_ssize_t n;
    Py_buffer *b; /* those that were had */
    void **p;
} Buffers;

static void
give_back(Buffers *x)
{
    for (Py_ssize_t i = 0; i < x->n; i++)
        PyBuffer_Release(&x->b[i]);
    PyMem_Free(x->b);
    PyMem_Free(x->p);
}

/* Of the objects of a list, times as many bytes as the ports say. */
static bool
take(Buffers *x, PyObject *list, const void *s, uint32_t nport, SnPyPortFn *at,
     int64_t times, bool writable)
{
    int flags =
        writable ? PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE : PyBUF_C_CONTIGUOUS;

    *x = (Buffers){0};
    if (PyList_Size(list) != (Py_ssize_t)nport) {
        PyErr_SetString(PyExc_ValueError, "another number of arrays");
        return false;
    }
    x->b = PyMem_Calloc(nport + 1u, sizeof *x->b);
    x->p = PyMem_Calloc(nport + 1u, sizeof *x->p);
    if (!x->b || !x->p) {
        PyErr_NoMemory();
        return false;
    }
    for (uint32_t i = 0; i < nport; i++) {
        PyObject *o = PyList_GetItem(list, (Py_ssize_t)i);
        if (o == Py_None)
            PyErr_SetString(PyExc_TypeError, "an array is missing");
        if (o == Py_None || PyObject_GetBuffer(o, &x->b[i], flags) < 0)
            return false;
        x->n++;
        x->p[i] = x->b[i].buf;
        size_t n = at(s, i)->nbyte, len = (size_t)x->b[i].len;
        if (times < 0 || (n ? len % n || len / n != (size_t)times : len)) {
            PyErr_Format(PyExc_ValueError,
                         "'%s' has %zu bytes, expected %lld times %zu",
                         at(s, i)->name, len, (long long)times, n);
            return false;
        }
    }
    return true;
}

/* run(inputs, outputs, n, jobs): lists of contiguous buffers; n 0: one sample,
 * else n after each other. */
static PyObject *
session_run(PyObject *self, PyObject *args)
{
    SinterSession *s = ((Session *)self)->s;
    Buffers x = {0}, y = {0};
    PyObject *in, *out;
    long long n;
    uint32_t jobs;
    Call c;

    if (!PyArg_ParseTuple(args, "O!O!LO&", &PyList_Type, &in, &PyList_Type,
                          &out, &n, count, &jobs))
        return NULL;
    int64_t times = n ? n : 1;
    bool ok =
        take(&x, in, s, sinter_session_ninput(s), session_in, times, false) &&
        take(&y, out, s, sinter_session_noutput(s), session_out, times, true) &&
        begin(&c);
    if (ok) {
        const void *const *from = (const void *const *)x.p;
        SinterStatus st =
            n ? sinter_session_run_batch(s, n, jobs, from, y.p, &c.err)
              : sinter_session_run(s, from, y.p, &c.err);
        ok = end(&c, st);
    }
    give_back(&x);
    give_back(&y);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

/* ---- the module ---- */

static PyMethodDef model_methods[] = {
    {"ports", model_ports, METH_NOARGS, NULL},
    {"optimize", model_optimize, METH_VARARGS, NULL},
    {"verify", model_verify, METH_NOARGS, NULL},
    {"write", model_write, METH_VARARGS, NULL},
    {"report", model_report, METH_NOARGS, NULL},
    {"quantize", model_quantize, METH_VARARGS, NULL},
    {"session", model_session, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef session_methods[] = {
    {"ports", session_ports, METH_NOARGS, NULL},
    {"run", session_run, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot model_slots[] = {
    {Py_tp_dealloc, __extension__(void *) model_dealloc},
    {Py_tp_methods, model_methods},
    {0, NULL},
};

static PyType_Slot session_slots[] = {
    {Py_tp_dealloc, __extension__(void *) session_dealloc},
    {Py_tp_methods, session_methods},
    {0, NULL},
};

enum { MADE_HERE = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION };

static PyType_Spec model_spec = {"sinter._core.Model", sizeof(Model), 0,
                                 MADE_HERE, model_slots};
static PyType_Spec session_spec = {"sinter._core.Session", sizeof(Session), 0,
                                   MADE_HERE, session_slots};

/* start(make_error, see_note): the functions of sinter that are called */
static PyObject *
start(PyObject *mod, PyObject *args)
{
    (void)mod;
    if (!PyArg_ParseTuple(args, "OO", &make_error, &see_note))
        return NULL;
    Py_INCREF(make_error);
    Py_INCREF(see_note);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"start", start, METH_VARARGS, NULL},
    {"load", load, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT,
                                    "_core",
                                    NULL,
                                    -1,
                                    functions,
                                    NULL,
                                    NULL,
                                    NULL,
                                    NULL};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC
PyInit__core(void)
{
    PyObject *m = PyModule_Create(&module);

    if (!m)
        return NULL;
    model_type = (PyTypeObject *)PyType_FromSpec(&model_spec);
    session_type = (PyTypeObject *)PyType_FromSpec(&session_spec);
    if (!model_type || !session_type ||
        PyModule_AddStringConstant(m, "version", sinter_version()) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
