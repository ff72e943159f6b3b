// SPDX-License-Identifier: Apache-2.0
/* Text is written over text only: a model or data whose name was given for an
 * output by mistake stays as it is. */
#include "base/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where in a file text ends: UTF-8 without control characters but those that
 * lay out text.  more counts the bytes that the last sequence still lacks. */
typedef struct Scan {
    uint64_t at;
    unsigned more;
} Scan;

static bool
is_control(unsigned char c)
{
    return c == 0x7f || (c < 0x20 && !(c >= '\t' && c <= '\r'));
}

/* false: the byte at s->at, *bad, is not text. */
static bool
scan(Scan *s, const unsigned char *p, size_t n, unsigned char *bad)
{
    for (size_t i = 0; i < n; i++, s->at++) {
        unsigned char c = p[i];
        *bad = c;
        if (s->more > 0) {
            if ((c & 0xc0) != 0x80)
                return false;
            s->more--;
        } else if (c >= 0x80) {
            if (c < 0xc2 || c > 0xf4)
                return false;
            s->more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        } else if (is_control(c)) {
            return false;
        }
    }
    return true;
}

SnStatus
sn_file_text_check(SnDiag *d, const char *where, const char *path)
{
    unsigned char chunk[16384], bad = 0;
    Scan s = {0};
    struct stat st;
    bool text = true;
    ssize_t r = 1;

    if (strcmp(path, "-") == 0 || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return SN_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (fd >= 0 && text && r != 0) {
        r = read(fd, chunk, sizeof chunk);
        if (r < 0 && errno != EINTR)
            break;
        if (r > 0)
            text = scan(&s, chunk, (size_t)r, &bad);
    }
    int err = errno;
    if (fd >= 0)
        close(fd);
    if (fd < 0 || r < 0)
        return sn_fail(d, SN_EOUTPUT, where,
                       "cannot read '%s' to check that it is text (only text "
                       "is replaced by text): %s",
                       path, strerror(err));
    if (text && s.more == 0)
        return SN_OK;
    sn_fail(d, SN_EOUTPUT, where,
            "'%s' is not text (byte 0x%02x at offset "
            "%llu) and is not replaced by text",
            path, bad,
            (unsigned long long)(text && s.at > 0 ? s.at - 1 : s.at));
    sn_diag_help(d, "give another name, or remove the file first");
    return SN_EOUTPUT;
}

SnStatus
sn_file_write_text(SnDiag *d, const char *path, const void *p, size_t n)
{
    SN_TRY(sn_file_text_check(d, path, path));
    return sn_file_write(d, path, p, n);
}
