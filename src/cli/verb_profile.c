#include "cli/cli.h"

SnStatus
sn_verb_profile(SnCli *c)
{
    const char *path;
    SnStrs files = c->args.calib;
    SnProfile *p;
    SnGraph *g;

    SN_TRY(sn_cli_model(c, UINT32_MAX, &path));
    /* What follows the model is calibration data too. */
    for (uint32_t i = 1; i < c->args.pos.n; i++) {
        SnStrs all = {0};
        for (uint32_t k = 0; k < files.n; k++)
            SN_PUSH(c->a, all.v, all.n, files.v[k]);
        SN_PUSH(c->a, all.v, all.n, c->args.pos.v[i]);
        files = all;
    }
    SN_TRY(sn_cli_load(c, path, &g));
    SN_TRY(sn_cli_profile(c, g, &files, false, &p));
    if (!c->args.output) {
        sn_profile_put(p, &c->out);
        return SN_OK;
    }
    return sn_profile_save(p, c->args.output, c->d);
}
