// SPDX-License-Identifier: Apache-2.0
//
// Who may include whom, as two tables. A new edge or a new library is a line here and a record in
// docs/decisions.
#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/rules.h"

namespace kneepoint::architecture {
namespace {

struct Edges {
  std::string_view from;             // folder; the first row that fits counts
  std::vector<std::string_view> to;  // folders ("a/b/") or single headers ("a/b/c.h")
};

const std::vector<Edges>& edges() {
  static const std::vector<Edges> table = {
      {"orchestrator/base/", {}},
      // The values that a run reports, and what is asked of its program, are those of the wire.
      {"orchestrator/model/", {"agents/wire/", "orchestrator/base/"}},
      {"orchestrator/io/", {"orchestrator/base/"}},
      {"orchestrator/plan/", {"orchestrator/model/", "orchestrator/base/"}},
      {"orchestrator/store/", {"orchestrator/model/", "orchestrator/base/"}},
      {"orchestrator/pack/", {"orchestrator/model/", "orchestrator/base/"}},
      {"orchestrator/backend/",
       {"orchestrator/io/", "orchestrator/model/", "agents/wire/", "orchestrator/base/"}},
      {"orchestrator/analysis/", {"orchestrator/model/", "orchestrator/base/"}},
      {"orchestrator/cost/",
       {"orchestrator/analysis/", "orchestrator/model/", "orchestrator/base/"}},
      {"orchestrator/answers/",
       {"orchestrator/engine/", "orchestrator/store/", "orchestrator/pack/", "orchestrator/cost/",
        "orchestrator/analysis/", "orchestrator/plan/", "orchestrator/backend/launcher.h",
        "agents/wire/", "orchestrator/io/", "orchestrator/model/", "orchestrator/base/"}},
      {"orchestrator/report/",
       {"orchestrator/answers/", "orchestrator/cost/", "orchestrator/analysis/",
        "orchestrator/web/", "orchestrator/model/", "orchestrator/base/"}},
      {"orchestrator/web/", {}},
      {"orchestrator/engine/",
       {"orchestrator/store/", "orchestrator/backend/launcher.h", "orchestrator/io/poller.h",
        "orchestrator/analysis/", "orchestrator/cost/", "orchestrator/plan/", "agents/wire/",
        "orchestrator/model/", "orchestrator/base/"}},
      {"orchestrator/server/",
       {"orchestrator/answers/", "orchestrator/report/", "orchestrator/store/",
        "orchestrator/cost/", "orchestrator/analysis/", "orchestrator/web/", "orchestrator/io/",
        "orchestrator/model/", "orchestrator/base/"}},
      // What commands show is decided in answers; the engine, packs and the server are only driven.
      {"orchestrator/cli/",
       {"orchestrator/answers/", "orchestrator/report/", "orchestrator/server/",
        "orchestrator/engine/engine.h", "orchestrator/pack/pack.h", "orchestrator/plan/",
        "orchestrator/web/", "orchestrator/io/", "orchestrator/base/"}},
      {"agents/wire/", {"orchestrator/base/"}},
      // Loaded into other people's programs: nothing but each other.
      {"agents/pmpi/", {"agents/probe/"}},
      {"agents/probe/", {}},
      {"agents/agent/", {"agents/wire/", "orchestrator/base/"}},
      {"workloads/", {"agents/wire/", "orchestrator/base/"}},
      {"tests/", {"orchestrator/", "agents/", "workloads/"}},
  };
  return table;
}

struct Library {
  std::string_view include;             // as written between the brackets, or how it begins
  std::vector<std::string_view> homes;  // files, or folders ("a/b/") whose .cc files may
  bool in_headers = false;              // may headers of those folders include it too?
};

const std::vector<Library>& libraries() {
  static const std::vector<Library> table = {
      {"sqlite3.h", {"orchestrator/store/database.cc"}},
      {"yaml-cpp/", {"orchestrator/plan/yaml/yaml.cc"}},
      {"muParser", {"orchestrator/plan/plan/formula.cc"}},
      {"spdlog/", {"orchestrator/base/log.cc"}},
      {"fmt/core.h", {"orchestrator/report/"}},
      {"curl/",
       {"orchestrator/io/http_client.cc", "orchestrator/io/curl_request.cc",
        "agents/agent/push/main.cc"}},
      {"openssl/",
       {"orchestrator/server/http/sockets.cc", "orchestrator/server/http/certificate.cc",
        "orchestrator/pack/pack.cc"}},
      {"CLI/", {"orchestrator/cli/shell/command_line.cc"}},
      {"nlohmann/",
       {"agents/wire/record_line.cc", "agents/wire/allocation.cc",
        "agents/agent/supervise/json_value.cc", "orchestrator/backend/simulated/journal.cc",
        "orchestrator/backend/slurm/rest_read.cc", "orchestrator/backend/kubernetes/manifest.cc",
        "orchestrator/backend/kubernetes/pod.cc", "orchestrator/backend/kubernetes/read.cc",
        "orchestrator/backend/kubernetes/session.cc", "orchestrator/store/store_evidence.cc",
        "orchestrator/pack/pack_rows.cc", "orchestrator/server/dashboard/api.cc"}},
      {"boost/", {"orchestrator/analysis/statistics/distributions.cc"}},
      {"mpi.h", {"workloads/", "agents/pmpi/"}, true},
      {"omp.h", {"workloads/"}, true},
      {"cuda_runtime_api.h", {"workloads/nccl/"}, true},
      {"cublas_v2.h", {"workloads/nccl/"}, true},
      {"nccl.h", {"workloads/nccl/"}, true},
      {"gtest/", {"tests/"}, true},
  };
  return table;
}

// Headers of the C library and the kernel; all else with a dot or a slash is somebody's library.
bool is_system_header(std::string_view name) {
  if (name.starts_with("sys/") || name.starts_with("linux/") || name.starts_with("netinet/") ||
      name.starts_with("arpa/"))
    return true;
  if (name.find('.') == std::string_view::npos) return name.find('/') == std::string_view::npos;
  static const std::vector<std::string_view> known = {
      "cpuid.h",     "dirent.h",  "dlfcn.h", "errno.h",    "fcntl.h",  "fnmatch.h",  "ftw.h",
      "immintrin.h", "limits.h",  "link.h",  "netdb.h",    "poll.h",   "pthread.h",  "pty.h",
      "pwd.h",       "resolv.h",  "sched.h", "signal.h",   "spawn.h",  "stdlib.h",   "string.h",
      "syscall.h",   "termios.h", "time.h",  "ucontext.h", "unistd.h", "x86intrin.h"};
  return std::find(known.begin(), known.end(), name) != known.end();
}

bool is_header(std::string_view path) {
  return path.ends_with(".h");
}

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

bool fits(std::string_view path, std::string_view folder_or_file) {
  return folder_or_file.ends_with('/') ? path.starts_with(folder_or_file) : path == folder_or_file;
}

std::string at(const SourceFile& file, int line) {
  return file.path + ":" + std::to_string(line) + ": ";
}

void check_own(const SourceFile& file, int line, std::string_view target, Violations& out) {
  if (!target.starts_with("orchestrator/") && !target.starts_with("agents/") &&
      !target.starts_with("workloads/") && !target.starts_with("tests/")) {
    out.push_back(at(file, line) + "\"" + std::string(target) +
                  "\" is not written from the repository's root");
    return;
  }
  if (folder_of(target) == folder_of(file.path)) return;
  for (const Edges& row : edges()) {
    if (!file.path.starts_with(row.from)) continue;
    // Subfolders of one part are one part.
    if (target.starts_with(row.from)) return;
    for (const std::string_view to : row.to) {
      if (fits(target, to)) return;
    }
    out.push_back(at(file, line) + std::string(row.from) + " may not include \"" +
                  std::string(target) + "\"");
    return;
  }
  out.push_back(at(file, line) + file.path + " lies in no folder that the rules know");
}

void check_library(const SourceFile& file, int line, std::string_view target, Violations& out) {
  if (is_system_header(target)) return;
  for (const Library& library : libraries()) {
    if (!target.starts_with(library.include)) continue;
    if (file.path.starts_with("tests/")) return;
    for (const std::string_view home : library.homes) {
      if (fits(file.path, home) && (library.in_headers || !is_header(file.path))) return;
    }
    std::string homes;
    for (const std::string_view home : library.homes) {
      homes += (homes.empty() ? "" : ", ") + std::string(home);
    }
    out.push_back(at(file, line) + "<" + std::string(target) + "> is private to " + homes);
    return;
  }
  out.push_back(at(file, line) + "<" + std::string(target) +
                "> belongs to no library that the rules know; a new dependency needs a record in "
                "docs/decisions and a line in tests/architecture/includes.cc");
}

}  // namespace

Violations check_includes(const SourceFile& file) {
  Violations out;
  std::istringstream lines(file.text);
  std::string text;
  for (int line = 1; std::getline(lines, text); ++line) {
    const std::size_t hash = text.find_first_not_of(" \t");
    if (hash == std::string::npos || text[hash] != '#') continue;
    const std::size_t word = text.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || text.compare(word, 7, "include") != 0) continue;
    const std::size_t open = text.find_first_of("<\"", word + 7);
    if (open == std::string::npos) {
      out.push_back(at(file, line) + "an include that names no file");
      continue;
    }
    const std::size_t close = text.find(text[open] == '<' ? '>' : '"', open + 1);
    const std::string target = text.substr(open + 1, close - open - 1);
    if (text[open] == '"') {
      check_own(file, line, target, out);
    } else {
      check_library(file, line, target, out);
    }
  }
  return out;
}

}  // namespace kneepoint::architecture
