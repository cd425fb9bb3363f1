// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/tables/columns.h"

#include <algorithm>
#include <utility>

#include "orchestrator/base/suggest.h"
#include "orchestrator/plan/tables/values.h"

namespace kneepoint {
namespace {

struct Name {
  std::string_view word;
  ColumnKind kind;
  std::optional<WorkerUnit> worker = {};
};

constexpr auto kGpu = WorkerUnit::gpu;
constexpr auto kNode = WorkerUnit::node;
constexpr auto kRank = WorkerUnit::rank;

// Where a table has several columns of K, the earlier name here is K.
const std::vector<Name>& names() {
  using enum ColumnKind;
  static const std::vector<Name> table = {
      {"k", k},
      {"workers", k},
      {"worker", k},
      {"num_workers", k},
      {"gpus", k, kGpu},
      {"gpu", k, kGpu},
      {"ngpus", k, kGpu},
      {"num_gpus", k, kGpu},
      {"n_gpus", k, kGpu},
      {"gpu_count", k, kGpu},
      {"accelerators", k, kGpu},
      {"devices", k, kGpu},
      {"ranks", k, kRank},
      {"nranks", k, kRank},
      {"num_ranks", k, kRank},
      {"n_ranks", k, kRank},
      {"mpi_ranks", k, kRank},
      {"processes", k, kRank},
      {"procs", k, kRank},
      {"nprocs", k, kRank},
      {"np", k, kRank},
      {"tasks", k, kRank},
      {"ntasks", k, kRank},
      {"cores", k, kRank},
      {"ncores", k, kRank},
      {"num_cores", k, kRank},
      {"cpus", k, kRank},
      {"threads", k, kRank},
      {"p", k, kRank},
      {"nodes", nodes, kNode},
      {"node", nodes, kNode},
      {"nnodes", nodes, kNode},
      {"num_nodes", nodes, kNode},
      {"n_nodes", nodes, kNode},
      {"node_count", nodes, kNode},
      {"t", time},
      {"time", time},
      {"times", time},
      {"seconds", time},
      {"wall", time},
      {"walltime", time},
      {"wall_time", time},
      {"wall_clock", time},
      {"wall_clock_time", time},
      {"elapsed", time},
      {"elapsed_time", time},
      {"runtime", time},
      {"run_time", time},
      {"duration", time},
      {"step_time", time},
      {"time_per_step", time},
      {"iteration_time", time},
      {"time_per_iteration", time},
      {"epoch_time", time},
      {"speedup", speedup},
      {"speed_up", speedup},
      {"efficiency", efficiency},
      {"e", efficiency},
      {"eff", efficiency},
      {"parallel_efficiency", efficiency},
      {"scaling_efficiency", efficiency},
      {"throughput", throughput},
      {"rate", throughput},
      {"repeat", repeat},
      {"rep", repeat},
      {"repetition", repeat},
      {"trial", repeat},
      {"run", repeat},
      {"results", results},
      {"result", results},
      {"mode", mode},
      {"scaling", mode},
      {"scaling_mode", mode},
      {"cost", cost},
      {"price", cost},
      {"cost_per_run", cost},
      {"case", case_name},
      {"workload", case_name},
      {"benchmark", case_name},
      {"application", case_name},
      {"app", case_name},
      {"name", case_name},
      {"build", build},
      {"version", build},
      {"binary", build},
      {"image", build},
      {"size", size},
      {"problem_size", size},
      {"batch", size},
      {"batch_size", size},
      {"global_batch", size},
      {"night", night},
      {"date", night},
      {"timestamp", night},
  };
  return table;
}

struct Title {
  std::string word, unit;  // lower case, blanks and dashes as underscores
};

// "Wall-time (ms)" -> wall_time, ms. "T(K)" -> t: of K is no unit.
Title read_title(std::string_view text) {
  Title title;
  std::string* into = &title.word;
  for (const char c : text) {
    if (c == '(' || c == '[') {
      into = &title.unit;
    } else if (c == ')' || c == ']') {
      into = &title.word;
    } else if (c == ' ' || c == '-' || c == '.' || c == '_') {
      if (!into->empty() && into->back() != '_') *into += '_';
    } else {
      *into += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  while (title.word.ends_with('_')) title.word.pop_back();
  while (title.unit.ends_with('_')) title.unit.pop_back();
  if (title.unit == "k") title.unit.clear();
  return title;
}

int rank_of(std::string_view word) {
  const auto& all = names();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Name& name) { return name.word == word; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

bool is_rate(std::string_view word) {
  for (const std::string_view end :
       {"/s", "/sec", "/second", "_per_s", "_per_sec", "_per_second"}) {
    if (word.ends_with(end)) return true;
  }
  return false;
}

struct Meaning {
  int rank = -1;  // in names(); -1: see `kind`
  std::optional<ColumnKind> kind;
  std::string unit;
};

Meaning meaning_of(const Title& title) {
  if (is_rate(title.word) || is_rate("_" + title.unit) || title.unit == "1/s") {
    return {-1, ColumnKind::throughput, {}};
  }
  if (const int rank = rank_of(title.word); rank >= 0) {
    const ColumnKind kind = names()[static_cast<std::size_t>(rank)].kind;
    return {rank, kind, title.word == "seconds" ? "s" : title.unit};
  }
  if (title.word != "s" && seconds_in(title.word)) return {-1, ColumnKind::time, title.word};
  // "time_ms", "cost_usd": the last word is the unit.
  const std::size_t cut = title.word.rfind('_');
  if (cut == std::string::npos) return {};
  const int rank = rank_of(title.word.substr(0, cut));
  if (rank < 0) return {};
  const ColumnKind kind = names()[static_cast<std::size_t>(rank)].kind;
  const std::string unit = title.word.substr(cut + 1);
  if (kind == ColumnKind::time && seconds_in(unit)) return {rank, kind, unit};
  if (kind == ColumnKind::cost && unit.size() == 3) return {rank, kind, unit};
  return {};
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string suggestion(const TableColumns& columns, ColumnKind kind) {
  std::vector<std::string> words;
  for (const Name& name : names()) {
    if (name.kind == kind) words.emplace_back(name.word);
  }
  for (const std::string& title : columns.unused) {
    const std::string near = nearest_word(read_title(title).word, words);
    if (!near.empty()) return "; did '" + title + "' mean '" + near + "'?";
  }
  return "";
}

class HeaderReader {
 public:
  HeaderReader(const TableRecord& header, TableProblems& problems)
      : header_(header), problems_(problems) {
    out_.index.fill(-1);
  }

  TableColumns read() {
    meanings_.resize(header_.fields.size());
    for (std::size_t i = 0; i < header_.fields.size(); ++i) place(static_cast<int>(i));
    choose_workers();
    choose_value();
    return std::move(out_);
  }

 private:
  void add(int field, std::string message) {
    const TableField& at = header_.fields[static_cast<std::size_t>(field)];
    problems_.add(header_.line, at.column, std::string(at.text), std::move(message));
  }
  int& index(ColumnKind kind) { return out_.index[static_cast<std::size_t>(kind)]; }

  void place(int i) {
    const std::string text(header_.fields[static_cast<std::size_t>(i)].text);
    out_.titles.push_back(text);
    if (text.empty()) return;
    const Title title = read_title(text);
    if (title.word == "s") {
      value_is_unclear_ = true;
      add(i, "can mean seconds or speedup; call the column 'seconds' or 'speedup'");
      return;
    }
    Meaning& meaning = meanings_[static_cast<std::size_t>(i)];
    meaning = meaning_of(title);
    if (!meaning.kind) {
      out_.unused.push_back(text);
      return;
    }
    int& slot = index(*meaning.kind);
    if (slot >= 0) {
      take_better(i, slot, *meaning.kind);
      return;
    }
    slot = i;
    read_unit(i, meaning);
  }

  // Ranks beside GPUs or cores beside ranks: one of them is K. Two times are a question.
  void take_better(int i, int& slot, ColumnKind kind) {
    if (kind != ColumnKind::k) {
      add(i, "says the same as column '" + out_.titles[static_cast<std::size_t>(slot)] +
                 "'; leave one of them out");
      return;
    }
    int other = i;
    if (meanings_[static_cast<std::size_t>(i)].rank <
        meanings_[static_cast<std::size_t>(slot)].rank) {
      std::swap(other, slot);
    }
    out_.unused.push_back(out_.titles[static_cast<std::size_t>(other)]);
  }

  void read_unit(int i, const Meaning& meaning) {
    if (meaning.unit.empty()) return;
    if (*meaning.kind == ColumnKind::cost) out_.cost_unit = upper(meaning.unit);
    if (*meaning.kind == ColumnKind::efficiency) out_.percent = meaning.unit == "%";
    if (*meaning.kind != ColumnKind::time) return;
    out_.time_unit = seconds_in(meaning.unit);
    out_.time_unit_word = meaning.unit;
    if (!out_.time_unit) {
      add(i, "'" + meaning.unit + "' is not a unit of time; expected " + kTimeUnits);
    }
  }

  void choose_workers() {
    int& k = index(ColumnKind::k);
    int& nodes = index(ColumnKind::nodes);
    if (k < 0 && nodes >= 0) {
      k = nodes;
      nodes = -1;
    }
    if (k >= 0) {
      const int rank = meanings_[static_cast<std::size_t>(k)].rank;
      out_.worker = names()[static_cast<std::size_t>(rank)].worker;
      return;
    }
    problems_.add(header_.line, 1, "",
                  "no column with the number of workers; expected a header such as K,T (or "
                  "workers, nodes, ranks, gpus)" +
                      suggestion(out_, ColumnKind::k));
  }

  void choose_value() {
    bool found = false;
    for (const ColumnKind kind :
         {ColumnKind::time, ColumnKind::throughput, ColumnKind::speedup, ColumnKind::efficiency}) {
      int& slot = index(kind);
      if (slot < 0) continue;
      if (!found) {
        out_.value = kind;
      } else {
        out_.unused.push_back(out_.titles[static_cast<std::size_t>(slot)]);
        slot = -1;
      }
      found = true;
    }
    if (found || value_is_unclear_) return;
    problems_.add(header_.line, 1, "",
                  "no column with times; expected a header such as K,T (or time, seconds, "
                  "time_ms), or speedup, efficiency or throughput" +
                      suggestion(out_, ColumnKind::time));
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
