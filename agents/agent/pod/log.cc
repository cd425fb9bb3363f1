// SPDX-License-Identifier: Apache-2.0
//
// The records are read first and printed last: whatever was printed before their end was written
// is then in the files already.
#include "agents/agent/pod/leader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "agents/agent/file.h"

namespace kneepoint::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEndMark = ",\"type\":\"end\",\"outcome\":";
constexpr std::size_t kLongLine = 4096;  // is not waited for to end

std::size_t size_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

std::string read_part_of(const std::string& path, std::size_t offset, std::size_t size) {
  return read_part(Fd(open(path.c_str(), O_RDONLY | O_CLOEXEC)), offset, size);
}

// Without a last line that has not ended yet, unless it is long.
void keep_whole_lines(std::string& text) {
  const std::size_t newline = text.rfind('\n');
  const std::size_t whole = newline == std::string::npos ? 0 : newline + 1;
  if (text.size() - whole < kLongLine) text.resize(whole);
}

}  // namespace

PodLog::PodLog(std::string runs, const std::vector<std::string>& attempts, std::size_t head,
               std::size_t tail)
    : head_(head), tail_(tail) {
  for (const std::string& attempt : attempts) {
    const auto followed = [&](const char* name) {
      return Followed{runs + "/" + attempt + "/" + name, attempt + "/" + name};
    };
    steps_.push_back({followed("records.ndjson"), followed("stdout.txt"), followed("stderr.txt"),
                      runs + "/" + attempt + "/kept", false});
  }
}

void PodLog::take_output(Followed& file, bool over, std::string& frames) {
  const std::size_t size = size_of(file.path);
  if (file.offset < head_ && size > file.offset) {
    std::string text = read_part_of(file.path, file.offset, std::min(size, head_) - file.offset);
    if (!over && size < head_) keep_whole_lines(text);
    frames += writer_.append(file.name, text);
    file.offset += text.size();
  }
  if (!over || size <= file.offset) return;
  const std::size_t from = std::max(file.offset, size - std::min(size, tail_));
  if (from > file.offset) {
    frames += writer_.append(
        file.name, "\n[kneepoint: " + std::to_string(from - file.offset) + " bytes not sent]\n");
  }
  frames += writer_.append(file.name, read_part_of(file.path, from, size - from));
  file.offset = size;
}

// The step has bounded them: they go whole.
void PodLog::take_kept(const Step& step, std::string& frames) {
  const std::string name = step.records.name.substr(0, step.records.name.rfind('/')) + "/kept/";
  std::error_code problem;
  std::set<std::string> paths;
  fs::recursive_directory_iterator entry(step.kept, problem);
  for (; !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
    std::error_code ignored;
    if (!entry->is_symlink(ignored) && entry->is_regular_file(ignored)) {
      paths.insert(entry->path().string());
    }
  }
  for (const std::string& path : paths) {
    frames += writer_.append(name + path.substr(step.kept.size() + 1),
                             read_part_of(path, 0, size_of(path)));
  }
}

void PodLog::take_step(Step& step, bool last, std::string& frames) {
  const std::size_t size = size_of(step.records.path);
  std::string records;
  if (size > step.records.offset) {
    records = read_part_of(step.records.path, step.records.offset, size - step.records.offset);
    if (!last) keep_whole_lines(records);
  }
  const bool over = last || records.find(kEndMark) != std::string::npos;
  take_output(step.out, over, frames);
  take_output(step.err, over, frames);
  if (over) take_kept(step, frames);
  frames += writer_.append(step.records.name, records);
  step.records.offset += records.size();
  step.over = over;
}

std::string PodLog::take(bool last) {
  std::string frames;
  for (Step& step : steps_) {
    if (!step.over) take_step(step, last, frames);
  }
  return frames;
}

}  // namespace kneepoint::agent
