// SPDX-License-Identifier: Apache-2.0
//
// The header of a table. Names are compared without regard to case, blanks, dashes and underscores;
// only a unit after the name needs one of those before it.
#include <algorithm>

#include "orchestrator/base/text.h"
#include "orchestrator/plan/tables/rows.h"

namespace kneepoint {
namespace {

struct ColumnNames {
  ColumnKind kind;
  std::vector<std::string> names;
  std::optional<WorkerUnit> worker = {};
};

// The one list of names. Where a table has several columns of K, the earlier name here is K.
const std::vector<ColumnNames>& known_columns() {
  using enum ColumnKind;
  static const std::vector<ColumnNames> table = {
      {k, {"k", "workers", "worker", "numworkers"}},
      {k,
       {"gpus", "gpu", "ngpus", "numgpus", "gpucount", "accelerators", "devices"},
       WorkerUnit::gpu},
      {k,
       {"ranks", "nranks", "numranks", "mpiranks", "processes", "procs", "nprocs", "np", "tasks",
        "ntasks", "cores", "ncores", "numcores", "cpus", "threads", "p"},
       WorkerUnit::rank},
      {nodes, {"nodes", "node", "nnodes", "numnodes", "nodecount"}, WorkerUnit::node},
      {time,
       {"t", "time", "times", "seconds", "wall", "walltime", "wallclock", "wallclocktime",
        "elapsed", "elapsedtime", "runtime", "duration", "steptime", "timeperstep", "iterationtime",
        "timeperiteration", "epochtime"}},
      {speedup, {"speedup"}},
      {efficiency, {"efficiency", "e", "eff", "parallelefficiency", "scalingefficiency"}},
      {throughput, {"throughput", "rate"}},
      {repeat, {"repeat", "rep", "repetition", "trial", "run"}},
      {results, {"results", "result"}},
      {mode, {"mode", "scaling", "scalingmode"}},
      {cost, {"cost", "price", "costperrun"}},
      {case_name, {"case", "workload", "benchmark", "application", "app", "name"}},
      {build, {"build", "version", "binary", "image"}},
      {size, {"size", "problemsize", "batch", "batchsize", "globalbatch"}},
      {night, {"night", "date", "timestamp"}},
  };
  return table;
}

// What a column means, and the unit that its title names.
struct Meaning {
  ColumnKind kind = ColumnKind::k;
  std::string unit;
  std::optional<WorkerUnit> worker;
  std::size_t rank = 0;  // place of its name in the list
};

std::string squeezed(std::string word) {
  std::erase(word, '_');
  return word;
}

std::optional<Meaning> meaning_of_word(const std::string& word, const std::string& unit) {
  std::size_t rank = 0;
  for (const ColumnNames& column : known_columns()) {
    for (const std::string& name : column.names) {
      if (name == squeezed(word)) return Meaning{column.kind, unit, column.worker, rank};
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
  return word.ends_with("/s") || word.ends_with("/sec") || word.ends_with("/second") ||
         word.ends_with("_per_s") || word.ends_with("_per_sec") || word.ends_with("_per_second");
}

std::optional<Meaning> meaning_of(const Title& title) {
  const std::string& word = title.word;
  if (is_rate(word) || is_rate("_" + title.unit)) return Meaning{ColumnKind::throughput};
  if (seconds_in(word)) return Meaning{ColumnKind::time, word == "seconds" ? "s" : word};
  // "time_ms", "cost_usd": the last word is the unit.
  if (const std::size_t cut = word.rfind('_'); cut != std::string::npos) {
    const std::string unit = word.substr(cut + 1);
    auto known = meaning_of_word(word.substr(0, cut), unit);
    if (known && known->kind == ColumnKind::time && seconds_in(unit)) return known;
    if (known && known->kind == ColumnKind::cost && unit.size() == 3) return known;
  }
  return meaning_of_word(word, title.unit);
}

// "; did 'workerz' mean 'workers'?"
std::string suggestion(const TableColumns& columns, ColumnKind kind) {
  std::vector<std::string> words;
  for (const ColumnNames& column : known_columns()) {
    if (column.kind == kind) words.insert(words.end(), column.names.begin(), column.names.end());
  }
  for (const std::string& title : columns.unused) {
    const std::string near = nearest_word(squeezed(read_title(title).word), words);
    if (!near.empty()) return "; did '" + title + "' mean '" + near + "'?";
  }
  return "";
}

// T is read from one of them; the others are not used.
bool choose_value(TableColumns& columns) {
  bool found = false;
  for (const ColumnKind kind :
       {ColumnKind::time, ColumnKind::throughput, ColumnKind::speedup, ColumnKind::efficiency}) {
    if (!columns.has(kind)) continue;
    if (found) {
      columns.unused.push_back(columns.title(kind));
      columns.index[static_cast<std::size_t>(kind)] = -1;
    } else {
      columns.value = kind;
    }
    found = true;
  }
  return found;
}

}  // namespace

TableColumns read_columns(const TableRecord& header, TableProblems& problems) {
  TableColumns out;
  out.line = header.line;
  out.index.fill(-1);
  std::vector<Meaning> meanings(header.fields.size());
  bool unclear = false;  // what may be the value
  const auto slot_of = [&](ColumnKind kind) -> int& {
    return out.index[static_cast<std::size_t>(kind)];
  };
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    const std::string& text = out.titles.emplace_back(header.fields[i].text);
    const auto fail = [&](std::string message) {
      problems.add(header.line, header.fields[i].column, text, std::move(message));
    };
    if (text.empty()) continue;
    const Title title = read_title(text);
    if (title.word == "s") {
      unclear = true;
      fail("can mean seconds or speedup; call the column 'seconds' or 'speedup'");
      continue;
    }
    const auto meaning = meaning_of(title);
    if (!meaning) {
      out.unused.push_back(text);
      continue;
    }
    meanings[i] = *meaning;
    int& slot = slot_of(meaning->kind);
    if (slot < 0) {
      slot = static_cast<int>(i);
      const std::string& unit = meaning->unit;
      if (meaning->kind == ColumnKind::cost) out.cost_unit = ascii_upper(unit);
      if (meaning->kind == ColumnKind::efficiency) out.percent = unit == "%";
      if (meaning->kind != ColumnKind::time || unit.empty()) continue;
      out.time_unit = seconds_in(unit);
      out.time_unit_word = unit;
      if (!out.time_unit) fail("'" + unit + "' is not a unit of time; expected " + kTimeUnits);
    } else if (meaning->kind != ColumnKind::k) {
      fail("says the same as column '" + out.title(meaning->kind) + "'; leave one of them out");
    } else {  // ranks beside GPUs or cores beside ranks: one of them is K
      auto other = static_cast<int>(i);
      if (meaning->rank < meanings[static_cast<std::size_t>(slot)].rank) std::swap(other, slot);
      out.unused.push_back(out.titles[static_cast<std::size_t>(other)]);
    }
  }
  int& k = slot_of(ColumnKind::k);
  if (k < 0) std::swap(k, slot_of(ColumnKind::nodes));
  if (k >= 0) {
    out.worker = meanings[static_cast<std::size_t>(k)].worker;
  } else {
    problems.add(header.line, 1, "",
                 "no column with the number of workers; expected a header such as K,T (or "
                 "workers, nodes, ranks, gpus)" +
                     suggestion(out, ColumnKind::k));
  }
  if (!choose_value(out) && !unclear) {
    problems.add(header.line, 1, "",
                 "no column with times; expected a header such as K,T (or time, seconds, "
                 "time_ms), or speedup, efficiency or throughput" +
                     suggestion(out, ColumnKind::time));
  }
  return out;
}

TableColumns read_header(TableText& text, const char* wanted, TableProblems& problems) {
  TableRecord header;
  if (!text.next(header)) {
    problems.add(0, 0, "", std::string("the table is empty; ") + wanted);
    return {};
  }
  if (header.open_quote_column > 0) {
    problems.add(header.line, header.open_quote_column, "", "this quote is never closed");
  }
  return read_columns(header, problems);
}

}  // namespace kneepoint
