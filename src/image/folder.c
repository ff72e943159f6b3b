// SPDX-License-Identifier: Apache-2.0
#include "image/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"

typedef struct Names {
    uint32_t n;
    const char **v;
} Names;

bool
sn_image_is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int
by_bytes(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void
close_dir(void *dir)
{
    closedir(dir);
}

/* Paths below path: pictures, and folders; sorted. */
static SnStatus
list(SnArena *a, const char *path, SnDiag *d, Names *pictures, Names *folders)
{
    SnArena *own = sn_arena_new(); /* has the folder, should memory run out */
    DIR *dir = opendir(path);
    struct dirent *e;
    SnStatus st = SN_OK;

    *pictures = *folders = (Names){0};
    if (!dir) {
        sn_arena_free(own);
        return sn_fail(d, SN_EINPUT, path, "cannot open: %s", strerror(errno));
    }
    sn_arena_at_free(own, close_dir, dir);
    for (errno = 0; (e = readdir(dir)) != NULL; errno = 0) {
        if (e->d_name[0] == '.')
            continue;
        const char *p = sn_format(a, "%s/%s", path, e->d_name);
        if (sn_image_is_folder(p))
            SN_PUSH(a, folders->v, folders->n, p);
        else if (sn_image_named(p))
            SN_PUSH(a, pictures->v, pictures->n, p);
    }
    if (errno)
        st = sn_fail(d, SN_EINPUT, path, "cannot read: %s", strerror(errno));
    sn_arena_free(own);
    if (pictures->n)
        qsort(pictures->v, pictures->n, sizeof *pictures->v, by_bytes);
    if (folders->n)
        qsort(folders->v, folders->n, sizeof *folders->v, by_bytes);
    return st;
}

static SnStatus
add_classes(SnArena *a, const Names *folders, SnDiag *d, SnImageFolder *out)
{
    Names *in = SN_NEW_N(a, Names, folders->n), deeper;
    uint32_t most = 0, cap = 0;

    for (uint32_t i = 0; i < folders->n; i++) {
        SN_TRY(list(a, folders->v[i], d, &in[i], &deeper));
        if (in[i].n == 0)
            return sn_fail(
                d, SN_EINPUT, folders->v[i],
                "is the folder of a class, but holds no .png or .jpg picture");
        most = in[i].n > most ? in[i].n : most;
        cap += in[i].n;
        SN_PUSH(a, out->name, out->nclass, strrchr(folders->v[i], '/') + 1);
    }
    out->of = SN_NEW_N(a, uint32_t, cap);
    for (uint32_t k = 0; k < most; k++)
        for (uint32_t i = 0; i < folders->n; i++)
            if (k < in[i].n) {
                out->of[out->n] = i;
                SN_PUSH(a, out->path, out->n, in[i].v[k]);
            }
    return SN_OK;
}

SnStatus
sn_image_folder(SnArena *a, const char *path, SnDiag *d, SnImageFolder *out)
{
    Names pictures, folders;
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    path = sn_strndup(a, path, n);
    *out = (SnImageFolder){0};
    SN_TRY(list(a, path, d, &pictures, &folders));
    if (pictures.n && folders.n)
        return sn_fail(d, SN_EINPUT, path,
                       "holds pictures (%s) and folders (%s): expected "
                       "pictures, or a folder of them for each class",
                       strrchr(pictures.v[0], '/') + 1,
                       strrchr(folders.v[0], '/') + 1);
    if (!pictures.n && !folders.n)
        return sn_fail(d, SN_EINPUT, path, "holds no .png or .jpg picture");
    if (folders.n)
        return add_classes(a, &folders, d, out);
    out->n = pictures.n;
    out->path = pictures.v;
    return SN_OK;
}
