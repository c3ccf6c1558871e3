// The compiled module: one submodule for each file of NumPy twins, with the same functions.
#include <nanobind/nanobind.h>

#include "design/kernels.hpp"
#include "learn/dfe/kernels.hpp"
#include "spaces/kernels.hpp"
#include "inference/kernels.hpp"
#include "objectives/interactions.hpp"
#include "objectives/small_newton.hpp"
#include "native/vector_math.hpp"

#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#include <immintrin.h>
#include <intrin.h>
#endif

namespace nb = nanobind;

#ifdef BNLR_BASELINE
namespace {

// How many of the instruction sets beyond the baseline, AVX2 and AVX-512, the CPU has.
int instruction_sets() {
#if defined(_MSC_VER) && defined(_M_X64)
  int one[4], seven[4];
  __cpuidex(one, 1, 0);
  __cpuidex(seven, 7, 0);
  if (!(one[2] & (1 << 27))) return 0;  // the system saves no vectors
  const unsigned long long saved = _xgetbv(0);
  const bool avx2 = (seven[1] & (1 << 5)) && (seven[1] & (1 << 3)) && (seven[1] & (1 << 8));
  if (!avx2 || (saved & 0x6) != 0x6) return 0;
  const int wanted = (1 << 16) | (1 << 17) | (1 << 28) | (1 << 30) | (1 << 31);  // F, DQ, CD, BW, VL
  return (seven[1] & wanted) == wanted && (saved & 0xE6) == 0xE6 ? 2 : 1;
#elif defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  __builtin_cpu_init();
  if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")))
    return 0;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512vl")
             ? 2
             : 1;
#else
  return 0;
#endif
}

}  // namespace
#endif

NB_MODULE(BNLR_MODULE, m) {
  const auto room = [&m](const char* name, auto bind) {
    nb::module_ own = m.def_submodule(name);
    bind(own);
  };
  room("packed", bnlr::design::bind_packed);
  room("counting", bnlr::design::bind_counting);
  room("cells", bnlr::design::bind_cells);
  room("dfe", bnlr::learn::bind_dfe);
  room("trees", bnlr::inference::bind_trees);
  room("newton", bnlr::objectives::bind_newton);
  room("interactions", bnlr::objectives::bind_interactions);
  room("math", [](nb::module_& math) {  // for tests
    math.def("exp", &bnlr::math::exp);
    math.def("log", &bnlr::math::log);
    math.def("log1p", &bnlr::math::log1p);
  });
#ifdef BNLR_BASELINE
  m.def("instruction_sets", &instruction_sets);
  room("packed", bnlr::design::bind_packing);
  room("spaces", bnlr::spaces::bind_spaces);
  room("cliques", bnlr::inference::bind_cliques);
  room("fragments", bnlr::inference::bind_fragments);
#endif
}
