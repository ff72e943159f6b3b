// SPDX-License-Identifier: Apache-2.0
/* Whole files: read at once, written by temporary and rename. */
#ifndef SN_FILE_H
#define SN_FILE_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads path ("-" is standard input) into a; *text gets one NUL byte more
 * than *nbyte.  Refuses directories and files above max (0: 2^31 - 1). */
SnStatus sn_file_read(SnArena *a, SnDiag *d, const char *path, size_t max,
                      char **text, size_t *nbyte);
/* The bytes of a file, mapped where it is a regular file of 32 KiB or more and
 * read otherwise; they last as long as the arena.  Whoever cuts a mapped file
 * short while it is in use ends the process. */
typedef struct SnMap {
    const char *p;
    size_t n;
    bool mapped;
} SnMap;
SnStatus sn_file_map(SnArena *a, SnDiag *d, const char *path, size_t max,
                     SnMap *out);
/* Gives back the memory of bytes that were read and are not needed soon; they
 * can be read again.  Bytes that are not in m are left alone. */
void sn_map_forget(const SnMap *m, const void *p, size_t n);
/* Writes path by a temporary beside it, fsync and rename ("-" is standard
 * output); an existing file keeps its mode, a symbolic link its target's
 * place; devices and pipes are written in place.  Nothing is left behind on
 * failure. */
SnStatus sn_file_write(SnDiag *d, const char *path, const void *p, size_t n);
/* The same of bytes that lie in n pieces. */
typedef struct SnPiece {
    const void *p;
    size_t n;
} SnPiece;
SnStatus sn_file_write_pieces(SnDiag *d, const char *path, const SnPiece *v,
                              size_t n);
/* Writes two regular files that belong together: neither is replaced before
 * both are on disk. */
SnStatus sn_file_write_two(SnDiag *d, const char *const path[2],
                           const SnPiece v[2]);
/* As sn_file_write, for text: refuses to replace a regular file that is not
 * text (SN_EOUTPUT). */
SnStatus sn_file_write_text(SnDiag *d, const char *path, const void *p,
                            size_t n);
/* The refusal alone, for before the work: where says what asks, an option or
 * the path.  SN_OK where there is no file, or a device. */
SnStatus sn_file_text_check(SnDiag *d, const char *where, const char *path);
/* Standard output, a device or a pipe: written in place, not by a rename. */
bool sn_file_in_place(const char *path);
/* As sn_file_write, but leaves an identical file untouched (its mtime too). */
SnStatus sn_file_update(SnDiag *d, const char *path, const void *p, size_t n);
bool sn_file_exists(const char *path);
/* Creates the directory and its parents. */
SnStatus sn_file_mkdirs(SnDiag *d, const char *path);
/* Everything before the last '/' ("/" for "/x"), or "."; everything after
 * it.  sn_path_join gives name alone when it is absolute or dir is ".". */
const char *sn_path_dir(SnArena *a, const char *path);
const char *sn_path_base(const char *path);
const char *sn_path_join(SnArena *a, const char *dir, const char *name);

#ifdef __cplusplus
}
#endif

#endif
