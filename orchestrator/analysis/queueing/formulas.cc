// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/queueing/formulas.h"

#include <cmath>
#include <limits>

#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

double mean_of_those_who_wait(const WaitTerms& terms, double offered) {
  return terms.seconds / (terms.servers - offered) * (terms.arrival2 + terms.service2) / 2;
}

}  // namespace

double erlang_c(int servers, double offered) {
  ENSURE(servers >= 1 && offered >= 0 && offered < servers, "a queue that grows for ever");
  // Erlang B by its recursion, which never overflows, then C from B.
  double blocked = 1;
  for (int i = 1; i <= servers; ++i) blocked = offered * blocked / (i + offered * blocked);
  return blocked / (1 - offered / servers * (1 - blocked));
}

double expected_wait(const WaitTerms& terms) {
  const double offered = terms.rate * terms.seconds;
  if (offered <= 0) return 0;
  if (offered >= terms.servers) return std::numeric_limits<double>::infinity();
  const double waits = erlang_c(terms.servers, offered);
  return waits * mean_of_those_who_wait(terms, offered);
}

double late_share(const WaitTerms& terms, double seconds) {
  const double offered = terms.rate * terms.seconds;
  if (offered <= 0) return 0;
  if (offered >= terms.servers) return 1;
  const double mean = mean_of_those_who_wait(terms, offered);
  if (mean <= 0) return 0;  // at a fixed pace nobody waits
  return erlang_c(terms.servers, offered) * std::exp(-seconds / mean);
}

}  // namespace kneepoint
