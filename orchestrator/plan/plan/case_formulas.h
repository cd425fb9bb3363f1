// SPDX-License-Identifier: Apache-2.0
//
// What one case of a workload comes to at one K: its parameters, size, model, words and command
// line. Pure pieces of expand().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/point.h"
#include "orchestrator/plan/plan/formula.h"

namespace kneepoint {

// Product of the parameter lists without what `exclude` matches; catalog defaults filled in.
std::vector<std::vector<Parameter>> cases_of(const WorkloadSpec& workload);

// "jacobi", or "jacobi[order=2,tile=8]" with the parameters that take several values.
std::string case_name(const WorkloadSpec& workload, const std::vector<Parameter>& parameters);

bool is_emulated(const CatalogEntry& entry, const std::vector<Parameter>& parameters);

// Sizes go to a whole multiple as the plan says. What is within 1e-9 of a multiple counts as it, so
// that 256 * 8^(1/3) rounded down is 512.
double rounded_size(double size, const SizeSpec& spec);

struct CaseValues {
  bool has_size = false;
  double size = 0;
  double results = 1;
  double modelled_seconds = 0;
  double flops = 0, bytes = 0, parallelism = 0;  // 0: not known
};

// Which formula failed and why.
struct FormulaProblem {
  std::string key;  // within the workload: "size.weak"
  std::string message;
};

// The formulas of one case in one mode, parsed once.
class CaseFormulas {
 public:
  // With a problem: the formulas before it only.
  CaseFormulas(const WorkloadSpec& workload, const std::vector<Parameter>& parameters, Mode mode,
               std::optional<FormulaProblem>& problem);
  CaseValues at(int k, const Shape& shape, std::optional<FormulaProblem>& problem) const;

 private:
  // Its value is to be above 0 and at most `most`; `wrong` says so, with the value for {}.
  struct One {
    std::string key;
    double CaseValues::*value;
    double most;
    std::string wrong;
    Formula formula;
  };

  SizeSpec size_spec_;
  std::vector<double> parameters_;  // those that are numbers
  std::vector<One> formulas_;       // the size first: the others may use it
};

// K, ranks, nodes, threads, [size,] and the parameters that are numbers, in this order.
std::vector<std::string> case_names(const std::vector<Parameter>& parameters, bool with_size);
std::vector<double> case_values(const std::vector<double>& parameters, int k, const Shape& shape,
                                const double* size);
std::vector<double> numbers_of(const std::vector<Parameter>& parameters);

// In words, the same for every K of a case and mode: a weak study's size is its formula.
std::string held_fixed(const WorkloadSpec& workload, const Point& point);

// {K}, {size}, ... and the parameters of a point.
std::vector<Parameter> placeholder_values(const Point& point, std::uint64_t seed);

// Of one of our own workloads: a build's, else the one in the folder of programs.
std::string harness_program(const CatalogEntry& entry, const std::string& programs,
                            const Build& binary);

// The command line that our own workloads share.
std::vector<std::string> harness_arguments(const CatalogEntry& entry, const std::string& programs,
                                           const Plan& plan, const Point& point);

}  // namespace kneepoint
