// SPDX-License-Identifier: Apache-2.0
//
// The MPI calls of one attempt, as the preloaded profile saw them: how far ranks differ, and every
// operation with its calls, bytes and time.
#include <algorithm>

#include "orchestrator/base/numbers.h"
#include "orchestrator/cli/explain_text.h"
#include "orchestrator/report/table.h"

namespace kneepoint::cli {
namespace {

constexpr std::size_t kMostOperations = 20;  // that people want to read

std::string bytes_text(std::int64_t bytes) {
  static constexpr const char* kUnits[] = {" B", " kB", " MB", " GB", " TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return number_text(value, 3) + kUnits[unit];
}

// "from MPI_Init to MPI_Finalize 1.2s; in MPI 12% (rank 0) to 45% (rank 3) of it"
std::string ranks_sentence(const std::vector<RankProfile>& ranks) {
  Nanoseconds window = 0;
  const RankProfile* least = nullptr;
  const RankProfile* most = nullptr;
  const auto share = [](const RankProfile& rank) {
    return rank.window_ns > 0 ? static_cast<double>(rank.communication_ns() + rank.other_ns) /
                                    static_cast<double>(rank.window_ns)
                              : 0;
  };
  std::size_t complete = 0;
  for (const RankProfile& rank : ranks) {
    window = std::max(window, rank.window_ns);
    complete += rank.complete ? 1 : 0;
    if (least == nullptr || share(rank) < share(*least)) least = &rank;
    if (most == nullptr || share(rank) > share(*most)) most = &rank;
  }
  std::string text =
      "  MPI: " + to_duration_text(window) + " from MPI_Init to MPI_Finalize; in MPI ";
  text += number_percent(share(*least));
  if (ranks.size() > 1) {
    text += " (rank " + std::to_string(least->rank) + ") to " + number_percent(share(*most)) +
            " (rank " + std::to_string(most->rank) + ")";
  }
  text += " of it";
  if (complete < ranks.size()) {
    text += "; " + std::to_string(ranks.size() - complete) + " of " + std::to_string(ranks.size()) +
            " ranks ended before MPI_Finalize";
  }
  return text + "\n";
}

}  // namespace

std::string profile_text(const AttemptProfile& profile) {
  if (profile.ranks.empty()) return "";
  std::vector<OperationTotal> operations = profile.operations;
  std::stable_sort(
      operations.begin(), operations.end(),
      [](const OperationTotal& a, const OperationTotal& b) { return a.time_ns > b.time_ns; });
  const auto ranks = static_cast<Nanoseconds>(profile.ranks.size());
  std::vector<std::vector<std::string>> rows;
  const std::size_t shown = std::min(operations.size(), kMostOperations);
  for (std::size_t i = 0; i < shown; ++i) {
    const OperationTotal& one = operations[i];
    rows.push_back({one.name, one.kind, std::to_string(one.calls), bytes_text(one.bytes),
                    to_duration_text(one.time_ns / ranks), to_duration_text(one.max_ns)});
  }
  std::string text = ranks_sentence(profile.ranks);
  if (rows.empty()) return text;
  text += "  MPI calls of all ranks:\n" + to_table({{"call"},
                                                    {"kind"},
                                                    {"calls", Align::right},
                                                    {"bytes sent", Align::right},
                                                    {"a rank, mean", Align::right},
                                                    {"longest rank", Align::right}},
                                                   rows, 4);
  if (operations.size() > shown) {
    text += "    and " + std::to_string(operations.size() - shown) + " more; --json has all\n";
  }
  return text;
}

}  // namespace kneepoint::cli
