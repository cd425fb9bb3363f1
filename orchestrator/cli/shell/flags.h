// SPDX-License-Identifier: Apache-2.0
//
// The values of flags: lists of numbers, ages, prices; each checked, each refusal by the flag's
// name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/prices.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {
struct AtWorkers;  // of orchestrator/answers/study/predict.h
}

namespace kneepoint::cli {

inline constexpr int kLargestTo = 1'048'576;

// "0.01,0.05" as numbers from 0 to `most`, each once.
Result<std::vector<double>> share_list(const std::string& flag, const std::string& text,
                                       double most);
// "64,128" as numbers of workers, each once, ascending.
Result<std::vector<int>> worker_list(const std::string& flag, const std::string& text);
Result<int> last_worker(const std::string& text);  // of --to: one number
// One number above 0: "4e6", "50%" where `percent` may be.
Result<double> positive_number(const std::string& flag, const std::string& text,
                               bool percent = false);

// --floor, a share below 1, where it was given.
Result<std::optional<double>> floor_flag(const Arguments& arguments);

// "256:50%,2048:30%": a number for each K, ascending.
Result<std::vector<AtWorkers>> values_at_workers(const std::string& flag, const std::string& text,
                                                 bool percent);

// How old is old: "90d", "12w", "36h".
Result<Nanoseconds> parse_age(const std::string& flag, const std::string& text);

// --prices and --item, then those given; and what was typed for the two.
std::vector<Flag> with_price_flags(std::vector<Flag> flags);
PriceChoice price_choice(const Arguments& arguments);

// What a table of times leaves out: --mode, --decimal and --unit; the rest is the caller's.
Result<TableOptions> table_options(const Arguments& arguments);

// The public key of --key, by which a pack must be signed; none: it was not given.
Result<std::optional<std::string>> trusted_key_of(const Arguments& arguments);

}  // namespace kneepoint::cli
