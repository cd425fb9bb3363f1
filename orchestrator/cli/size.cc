// SPDX-License-Identifier: Apache-2.0
//
// kneepoint size: how to cut a cluster for a mix of workloads.
#include <filesystem>
#include <ostream>

#include "orchestrator/answers/loading.h"
#include "orchestrator/base/files.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/cli/partition_config.h"
#include "orchestrator/cli/size_text.h"
#include "orchestrator/cli/terminal.h"
#include "orchestrator/plan/tables/mix_reader.h"
#include "orchestrator/plan/tables/price_reader.h"

namespace kneepoint::cli {
namespace {

constexpr double kMostFactor = 1000;

// Without prices a node-hour is worth one node-hour.
PriceBook node_hours() {
  PriceBook book;
  book.currency = "node-hour";
  PriceItem item;
  item.name = "node-hours";
  item.per_node_hour = 1'000'000;
  book.items.push_back(item);
  return book;
}

Result<PriceItem> choose_item(const PriceBook& book, const std::string& name,
                              const std::string& where) {
  if (name.empty() && book.items.size() == 1) return book.items.front();
  if (const PriceItem* item = book.find(name)) return *item;
  std::string names;
  for (const PriceItem& item : book.items) names += (names.empty() ? "" : ", ") + item.name;
  return Error{ErrorCode::invalid,
               where + (name.empty() ? ": missing; " : ": no item '" + name + "'; ") + book.path +
                   " has: " + names};
}

// A path in the mix is seen from the mix's folder.
std::string beside(const std::string& mix_path, const std::string& path) {
  const std::filesystem::path given(path);
  if (given.is_absolute()) return path;
  return (std::filesystem::path(mix_path).parent_path() / given).lexically_normal().string();
}

Result<double> factor_flag(const Arguments& arguments, const std::string& flag) {
  if (!arguments.has(flag)) return 1.0;
  TRY_ASSIGN(const double factor, positive_number(flag, arguments.text(flag)));
  if (factor > kMostFactor) return wrong_flag(flag, "expected a factor of at most 1000");
  return factor;
}

void add_others(SizeAnswer& answer) {
  const auto add = [&](const std::string& name, const std::optional<Cut>& cut) {
    if (cut) answer.others.push_back({name, *cut, assess(answer.sizing, *cut)});
  };
  add("one shared partition", one_shared_partition(answer.sizing));
  add("largest K, shared", largest_k(answer.sizing));
  add("equal parts", even_partitions(answer.sizing));
}

Result<void> write_configs(Session& session, const SizeAnswer& answer, const std::string& folder) {
  TRY(claim_folder(folder));
  const auto put = [&](const std::string& name, const std::string& content) -> Result<void> {
    TRY(write_file(folder + "/" + name, content));
    session.err << "wrote " << folder << "/" << name << "\n";
    return {};
  };
  TRY(put("partitions.conf", slurm_config(answer.mix, answer.sizing, *answer.answer.cut)));
  const auto quotas = kubernetes_config(answer.mix, answer.sizing, *answer.answer.cut);
  if (quotas) {
    TRY(put("quotas.yaml", *quotas));
  } else {
    session.err << "no quotas.yaml: " << quotas.error().message << "\n";
  }
  return put("size.json", size_json(answer) + "\n");
}

Result<void> solve(SizeAnswer& answer, const Mix& mix, const WhatIf& factors) {
  answer.factors = factors;
  TRY_ASSIGN(answer.sizing,
             sizing_mix(mix, answer.curves, answer.book, answer.item, factors, answer.notes));
  answer.answer = size_partitions(answer.sizing);
  add_others(answer);
  for (const WhatIf& one : mix.what_if) {
    WhatIfAnswer& other = answer.what_if.emplace_back();
    other.factors = {one.load * factors.load, one.price * factors.price};
    std::vector<std::string> notes;  // the same as above
    TRY_ASSIGN(other.sizing,
               sizing_mix(mix, answer.curves, answer.book, answer.item, other.factors, notes));
    other.answer = size_partitions(other.sizing);
  }
  return {};
}

Result<int> print_config(Session& session, const Arguments& arguments, const SizeAnswer& answer) {
  if (!answer.answer.cut) {
    session.err << "kneepoint: no cut does it: " << answer.answer.why << "\n";
    return kExitNegative;
  }
  if (arguments.has("--slurm")) {
    session.out << slurm_config(answer.mix, answer.sizing, *answer.answer.cut);
    return kExitDone;
  }
  TRY_ASSIGN(const std::string text,
             kubernetes_config(answer.mix, answer.sizing, *answer.answer.cut));
  session.out << text;
  return kExitDone;
}

Result<int> run_size(Session& session, const Arguments& arguments) {
  const int forms = (session.json ? 1 : 0) + (arguments.has("--slurm") ? 1 : 0) +
                    (arguments.has("--kubernetes") ? 1 : 0);
  if (forms > 1) {
    return Error{ErrorCode::invalid,
                 "--json, --slurm and --kubernetes exclude each other; say one"};
  }
  const std::string path = arguments.text("MIX");
  TRY_ASSIGN(const std::string text, read_file("mix", path));
  MixRead read = read_mix(text, path);
  if (!read.problems.empty()) return report_problems(session, read.problems);
  SizeAnswer answer;
  answer.mix = std::move(read.mix);
  if (arguments.has("--modelled")) answer.mix.modelled = true;
  if (arguments.has("--backfill")) answer.mix.backfill = true;
  answer.book = node_hours();
  if (!answer.mix.price_book.empty()) {
    const std::string book = beside(path, answer.mix.price_book);
    TRY_ASSIGN(const std::string prices, read_file("price book", book));
    PricesRead prices_read = read_prices(prices, book);
    if (!prices_read.problems.empty()) return report_problems(session, prices_read.problems);
    answer.book = std::move(prices_read.book);
  }
  TRY_ASSIGN(answer.item, choose_item(answer.book, answer.mix.price_item, path + ": prices.item"));
  WhatIf factors;
  TRY_ASSIGN(factors.load, factor_flag(arguments, "--load"));
  TRY_ASSIGN(factors.price, factor_flag(arguments, "--price"));
  TRY_ASSIGN(answer.curves, mix_curves(session, answer.mix));
  TRY(solve(answer, answer.mix, factors));
  if (arguments.has("--output-dir") && answer.answer.cut) {
    TRY(write_configs(session, answer, arguments.text("--output-dir")));
  }
  if (arguments.has("--slurm") || arguments.has("--kubernetes")) {
    return print_config(session, arguments, answer);
  }
  session.out << (session.json ? size_json(answer) + "\n"
                               : size_text(answer, predict_width(session)));
  return answer.answer.cut ? kExitDone : kExitNegative;
}

}  // namespace

CommandSpec size_command() {
  return {"size",
          "Cut a cluster into partitions for a mix of workloads",
          "Which K to run each workload of a mix at, and how many workers to set aside for it: the "
          "most results for the money such that 95% of its jobs (or the mix's in_time) keep its "
          "deadline, wait and "
          "run together. Waits and utilisation come from a simulated queue. The usual cuts stand "
          "beside it. Exit code 1 if "
          "no cut does it.",
          {{"MIX", "Mix file (docs/reference/mix.md)", true, {}, Completes::files}},
          {{"--load", "FACTOR", "Every workload runs so many times as often"},
           {"--price", "FACTOR", "Every price is so many times as high"},
           {"--modelled", "", "Also K that were not measured, marked *"},
           {"--backfill", "", "Small jobs may overtake where they delay nobody"},
           {"--slurm", "", "Print the partition lines of slurm.conf"},
           {"--kubernetes", "", "Print quotas and Kueue queues"},
           {"--output-dir",
            "DIR",
            "Also write partitions.conf, quotas.yaml and size.json",
            {},
            false,
            Completes::files}},
          {"kneepoint size plans/mixes/vendor.yaml",
           "kneepoint size plans/mixes/vendor.yaml --load 1.5",
           "kneepoint size plans/mixes/vendor.yaml --slurm"},
          run_size};
}

}  // namespace kneepoint::cli
