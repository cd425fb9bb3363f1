// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/tables/columns.h"

#include <algorithm>
#include <utility>

#include "orchestrator/base/suggest.h"
#include "orchestrator/base/text.h"
#include "orchestrator/plan/tables/values.h"

namespace kneepoint {
namespace {

enum class UnitKind { none, seconds, currency, percent };

struct ColumnNames {
  ColumnKind kind;
  std::vector<std::string_view> names;
  UnitKind unit = UnitKind::none;
  std::optional<WorkerUnit> worker = {};
};

// The one list of names, in lower case with underscores. Where a table has several columns of K,
// the earlier name here is K.
const std::vector<ColumnNames>& known_columns() {
  using enum ColumnKind;
  using enum UnitKind;
  static const std::vector<ColumnNames> table = {
      {k, {"k", "workers", "worker", "num_workers"}},
      {k,
       {"gpus", "gpu", "ngpus", "num_gpus", "n_gpus", "gpu_count", "accelerators", "devices"},
       none,
       WorkerUnit::gpu},
      {k,
       {"ranks", "nranks", "num_ranks", "n_ranks", "mpi_ranks", "processes", "procs", "nprocs",
        "np", "tasks", "ntasks", "cores", "ncores", "num_cores", "cpus", "threads", "p"},
       none,
       WorkerUnit::rank},
      {nodes,
       {"nodes", "node", "nnodes", "num_nodes", "n_nodes", "node_count"},
       none,
       WorkerUnit::node},
      {time,
       {"t", "time", "times", "seconds", "wall", "walltime", "wall_time", "wall_clock",
        "wall_clock_time", "elapsed", "elapsed_time", "runtime", "run_time", "duration",
        "step_time", "time_per_step", "iteration_time", "time_per_iteration", "epoch_time"},
       seconds},
      {speedup, {"speedup", "speed_up"}},
      {efficiency,
       {"efficiency", "e", "eff", "parallel_efficiency", "scaling_efficiency"},
       percent},
      {throughput, {"throughput", "rate"}},
      {repeat, {"repeat", "rep", "repetition", "trial", "run"}},
      {results, {"results", "result"}},
      {mode, {"mode", "scaling", "scaling_mode"}},
      {cost, {"cost", "price", "cost_per_run"}, currency},
      {case_name, {"case", "workload", "benchmark", "application", "app", "name"}},
      {build, {"build", "version", "binary", "image"}},
      {size, {"size", "problem_size", "batch", "batch_size", "global_batch"}},
      {night, {"night", "date", "timestamp"}},
  };
  return table;
}

// What a column means, and the unit that its title names.
struct Meaning {
  ColumnKind kind = ColumnKind::k;
  std::string unit;
  UnitKind unit_kind = UnitKind::none;
  std::optional<WorkerUnit> worker;
  int rank = 0;  // place of its name in the list
};

std::optional<Meaning> meaning_of_word(std::string_view word) {
  int rank = 0;
  for (const ColumnNames& column : known_columns()) {
    for (const std::string_view name : column.names) {
      if (name == word) return Meaning{column.kind, "", column.unit, column.worker, rank};
      ++rank;
    }
  }
  return std::nullopt;
}

struct Title {
  std::string word, unit;  // lower case, blanks and dashes as underscores
};

// "Wall-time (ms)" -> wall_time, ms. "T(K)" -> t: of K is no unit.
Title read_title(std::string_view text) {
  Title title;
  std::string* into = &title.word;
  for (const char c : ascii_lower(text)) {
    if (c == '(' || c == '[') {
      into = &title.unit;
    } else if (c == ')' || c == ']') {
      into = &title.word;
    } else if (c == ' ' || c == '-' || c == '.' || c == '_') {
      if (!into->empty() && into->back() != '_') *into += '_';
    } else {
      *into += c;
    }
  }
  while (title.word.ends_with('_')) title.word.pop_back();
  while (title.unit.ends_with('_')) title.unit.pop_back();
  if (title.unit == "k") title.unit.clear();
  return title;
}

bool is_rate(std::string_view word) {
  for (const std::string_view end :
       {"/s", "/sec", "/second", "_per_s", "_per_sec", "_per_second"}) {
    if (word.ends_with(end)) return true;
  }
  return false;
}

std::optional<Meaning> meaning_of(const Title& title) {
  if (is_rate(title.word) || is_rate("_" + title.unit) || title.unit == "1/s") {
    return Meaning{ColumnKind::throughput};
  }
  if (auto known = meaning_of_word(title.word)) {
    known->unit = title.word == "seconds" ? "s" : title.unit;
    return known;
  }
  if (seconds_in(title.word)) return Meaning{ColumnKind::time, title.word, UnitKind::seconds};
  // "time_ms", "cost_usd": the last word is the unit.
  const std::size_t cut = title.word.rfind('_');
  if (cut == std::string::npos) return std::nullopt;
  auto known = meaning_of_word(title.word.substr(0, cut));
  if (!known) return std::nullopt;
  known->unit = title.word.substr(cut + 1);
  const bool is_time = known->unit_kind == UnitKind::seconds && seconds_in(known->unit);
  const bool is_currency = known->unit_kind == UnitKind::currency && known->unit.size() == 3;
  if (!is_time && !is_currency) return std::nullopt;
  return known;
}

class HeaderReader {
 public:
  HeaderReader(const TableRecord& header, TableProblems& problems)
      : header_(header), problems_(problems) {
    out_.index.fill(-1);
  }

  TableColumns read() {
    meanings_.resize(header_.fields.size());
    for (std::size_t i = 0; i < header_.fields.size(); ++i) place(i);
    choose_workers();
    choose_value();
    return std::move(out_);
  }

 private:
  int& index(ColumnKind kind) { return out_.index[static_cast<std::size_t>(kind)]; }
  void add(std::size_t field, std::string message) {
    const TableField& at = header_.fields[field];
    problems_.add(header_.line, at.column, std::string(at.text), std::move(message));
  }

  void place(std::size_t i) {
    const std::string& text = out_.titles.emplace_back(header_.fields[i].text);
    if (text.empty()) return;
    const Title title = read_title(text);
    if (title.word == "s") {
      value_is_unclear_ = true;
      add(i, "can mean seconds or speedup; call the column 'seconds' or 'speedup'");
      return;
    }
    const auto meaning = meaning_of(title);
    if (!meaning) {
      out_.unused.push_back(text);
      return;
    }
    meanings_[i] = *meaning;
    int& slot = index(meaning->kind);
    if (slot < 0) {
      slot = static_cast<int>(i);
      read_unit(i);
    } else if (meaning->kind != ColumnKind::k) {
      add(i, "says the same as column '" + out_.title(meaning->kind) + "'; leave one of them out");
    } else {  // ranks beside GPUs or cores beside ranks: one of them is K
      auto other = static_cast<int>(i);
      if (meaning->rank < meanings_[static_cast<std::size_t>(slot)].rank) std::swap(other, slot);
      out_.unused.push_back(out_.titles[static_cast<std::size_t>(other)]);
    }
  }

  void read_unit(std::size_t i) {
    const auto& [kind, unit, unit_kind, worker, rank] = meanings_[i];
    if (unit.empty()) return;
    if (unit_kind == UnitKind::currency) out_.cost_unit = ascii_upper(unit);
    if (unit_kind == UnitKind::percent) out_.percent = unit == "%";
    if (unit_kind != UnitKind::seconds) return;
    out_.time_unit = seconds_in(unit);
    out_.time_unit_word = unit;
    if (!out_.time_unit) add(i, "'" + unit + "' is not a unit of time; expected " + kTimeUnits);
  }

  void choose_workers() {
    int& k = index(ColumnKind::k);
    if (k < 0) std::swap(k, index(ColumnKind::nodes));
    if (k >= 0) {
      out_.worker = meanings_[static_cast<std::size_t>(k)].worker;
      return;
    }
    problems_.add(header_.line, 1, "",
                  "no column with the number of workers; expected a header such as K,T (or "
                  "workers, nodes, ranks, gpus)" +
                      suggestion(ColumnKind::k));
  }

  void choose_value() {
    bool found = false;
    for (const ColumnKind kind :
         {ColumnKind::time, ColumnKind::throughput, ColumnKind::speedup, ColumnKind::efficiency}) {
      if (!out_.has(kind)) continue;
      if (found) {
        out_.unused.push_back(out_.title(kind));
        index(kind) = -1;
      } else {
        out_.value = kind;
      }
      found = true;
    }
    if (found || value_is_unclear_) return;
    problems_.add(header_.line, 1, "",
                  "no column with times; expected a header such as K,T (or time, seconds, "
                  "time_ms), or speedup, efficiency or throughput" +
                      suggestion(ColumnKind::time));
  }

  std::string suggestion(ColumnKind kind) const {
    std::vector<std::string> words;
    for (const ColumnNames& column : known_columns()) {
      if (column.kind == kind) words.insert(words.end(), column.names.begin(), column.names.end());
    }
    for (const std::string& title : out_.unused) {
      const std::string near = nearest_word(read_title(title).word, words);
      if (!near.empty()) return "; did '" + title + "' mean '" + near + "'?";
    }
    return "";
  }

  const TableRecord& header_;
  TableProblems& problems_;
  TableColumns out_;
  bool value_is_unclear_ = false;
  std::vector<Meaning> meanings_;
};

}  // namespace

TableColumns read_columns(const TableRecord& header, TableProblems& problems) {
  return HeaderReader(header, problems).read();
}

}  // namespace kneepoint
