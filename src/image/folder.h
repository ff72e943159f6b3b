// SPDX-License-Identifier: Apache-2.0
/* Folders of pictures. */
#ifndef SN_IMAGE_FOLDER_H
#define SN_IMAGE_FOLDER_H

#include "base/diag.h"
#include "image/image.h"

typedef struct SnImageFolder {
    uint32_t n;
    const char **path;
    /* Where the folder holds folders, a class each: their names, sorted, and
     * the number of that of each picture. */
    uint32_t nclass;
    const char **name;
    uint32_t *of; /* [n] */
} SnImageFolder;

bool sn_image_is_folder(const char *path);
/* The .png, .jpg and .jpeg files of a folder, sorted by name (bytes), or of
 * the folders in it: the first of each, then the second of each, so that the
 * first few are of all classes.  Other files, and names that begin with a dot,
 * are passed over.  SN_EINPUT for a folder without pictures, with pictures
 * beside folders of them, or that cannot be read. */
SnStatus sn_image_folder(SnArena *a, const char *path, SnDiag *d,
                         SnImageFolder *out);

#endif
