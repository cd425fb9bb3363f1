// SPDX-License-Identifier: Apache-2.0
//
// The list of compared facts, and the text they make.
#include "orchestrator/model/provenance.h"

#include <array>
#include <cmath>
#include <set>

#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

constexpr std::string_view kMemory = "memory.bytes";

constexpr std::array<ComparedFact, 10> kCompared = {{
    {"cpu.model", "cpu.model"},
    {"cpu.sockets", "cpu.sockets"},
    {"cpu.cores", "cpu.cores"},
    {"cpu.threads_per_core", "cpu.threads_per_core"},
    {"memory", kMemory},
    {"gpu", "gpu"},
    {"device", kFactDevice},
    {"program", kFactProgramHash},
    {"kernels", "kernels"},
    // What the program was linked with says more than what its starter says of itself.
    {"mpi", "mpi.library", "mpi.version"},
}};

// The values of one fact over all scopes, each once, sorted.
std::set<std::string> values_of(std::span<const Fact> facts, std::string_view name) {
  std::set<std::string> values;
  for (const Fact& fact : facts) {
    if (fact.name != name || fact.value.empty() || fact.value == "unknown") continue;
    if ((name == "gpu" || name == kFactDevice) && fact.value == "none") continue;
    values.insert(name == kMemory ? memory_class(fact.value) : fact.value);
  }
  return values;
}

}  // namespace

std::span<const ComparedFact> compared_facts() {
  return kCompared;
}

bool is_stand_in(std::string_view provenance) {
  return provenance.find(kStandInDevice) != std::string_view::npos;
}

std::string comparable_provenance(std::span<const Fact> facts) {
  std::string text;
  for (const ComparedFact& compared : kCompared) {
    auto values = values_of(facts, compared.name);
    if (values.empty() && !compared.instead.empty()) values = values_of(facts, compared.instead);
    if (values.empty()) continue;
    text += (text.empty() ? "" : "; ") + std::string(compared.label) + "=";
    for (const std::string& value : values) text += (value == *values.begin() ? "" : " + ") + value;
  }
  return text;
}

std::string memory_class(const std::string& bytes) {
  const double number = parse_number<double>(bytes).value_or(0);
  if (!(number >= 1) || !std::isfinite(number)) return bytes;
  int exponent = 0;  // 2^(exponent-1) <= number < 2^exponent
  std::frexp(number, &exponent);
  const double step = std::ldexp(1.0, exponent - 3);
  return format_number("%.6g GiB", std::ceil(number / step) * step / (1024.0 * 1048576));
}

}  // namespace kneepoint
