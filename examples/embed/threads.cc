// SPDX-License-Identifier: Apache-2.0
// Two sessions of one model, each run by four threads at once: all get the same
// values.  Usage: threads MODEL
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>
#include <sinter.h>

struct Free {
    void operator()(SinterModel *m) const { sinter_model_free(m); }
    void operator()(SinterSession *s) const { sinter_session_free(s); }
};
using Model = std::unique_ptr<SinterModel, Free>;
using Session = std::unique_ptr<SinterSession, Free>;
using Bytes = std::vector<unsigned char>;

static Bytes run(SinterSession *s)
{
    const SinterPort *in = sinter_session_input(s, 0);
    const SinterPort *out = sinter_session_output(s, 0);
    std::vector<float> x(in->nbyte / sizeof(float));
    Bytes y(out->nbyte);
    for (std::size_t i = 0; i < x.size(); i++)
        x[i] = static_cast<float>(i % 17) / 17;
    const void *xs[] = {x.data()};
    void *ys[] = {y.data()};
    SinterError err;
    if (sinter_session_run(s, xs, ys, &err) != SINTER_OK) {
        std::fprintf(stderr, "%s: %s\n", err.where, err.message);
        y.clear();
    }
    return y;
}

int main(int argc, char **argv)
{
    SinterError err = {SINTER_EUSAGE, 0, 0, "", "threads", "one argument", ""};
    SinterModel *m = nullptr;
    SinterSession *one = nullptr, *two = nullptr;
    SinterSessionConfig wide = {};
    wide.size = sizeof wide;
    wide.threads = 2;
    bool ok = argc == 2 &&
              sinter_model_load(nullptr, argv[1], nullptr, &m, &err) == SINTER_OK;
    Model model(m);
    ok = ok && sinter_session_new(m, nullptr, &one, &err) == SINTER_OK;
    Session first(one);
    ok = ok && sinter_session_new(m, &wide, &two, &err) == SINTER_OK;
    Session second(two);
    if (!ok) {
        std::fprintf(stderr, "%s: %s\n", err.where, err.message);
        return err.status;
    }
    const Bytes want = run(one);
    std::vector<int> wrong(8);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 20; i++)
                wrong[t] += run(t % 2 ? one : two) != want;
        });
    int n = 0;
    for (int t = 0; t < 8; t++) {
        threads[t].join();
        n += wrong[t];
    }
    std::printf("%d of 160 runs differ\n", n);
    return n != 0 || want.empty();
}
