// SPDX-License-Identifier: Apache-2.0
//
// Records to a file, or a table to stdout.
#include "workloads/harness/reporter.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "orchestrator/base/clock.h"

namespace kneepoint::workloads {
namespace {

class RecordFile final : public Reporter {
 public:
  RecordFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~RecordFile() override { ::close(fd_); }
  Result<void> report(const record::Provenance& r) override { return write(to_line(-1, r)); }
  Result<void> report(const record::Sample& r) override { return write(to_line(-1, r)); }
  Result<void> report(const record::RankTotal& r) override { return write(to_line(-1, r)); }
  Result<void> report(const record::Metric& r) override { return write(to_line(-1, r)); }
  Result<void> report(const record::Check& r) override { return write(to_line(-1, r)); }
  Result<void> report(const record::Failure& r) override { return write(to_line(-1, r)); }
  Result<void> report(const record::Done& r) override { return write(to_line(-1, r)); }

 private:
  Result<void> write(const std::string& line) {
    for (;;) {
      const ssize_t written = ::write(fd_, line.data(), line.size());
      if (written == static_cast<ssize_t>(line.size())) return {};
      if (written >= 0) return Error{ErrorCode::io, "write " + path_ + ": the disk is full", false};
      if (errno != EINTR) return system_error("write " + path_, errno);
    }
  }

  int fd_;
  std::string path_;
};

class Table final : public Reporter {
 public:
  Result<void> report(const record::Provenance& r) override {
    for (const auto& [name, value] : r.facts)
      std::printf("# %s: %s\n", name.c_str(), value.c_str());
    std::printf("%9s %12s %12s %12s %14s %12s\n", "iteration", "max", "min", "compute",
                "communication", "other");
    return flush();
  }
  Result<void> report(const record::Sample& r) override {
    std::printf("%8d%c %12s %12s %12s %14s %12s\n", r.iteration, r.warmup ? 'w' : ' ',
                to_duration_text(r.max_ns).c_str(), to_duration_text(r.min_ns).c_str(),
                to_duration_text(r.compute_ns).c_str(),
                to_duration_text(r.communication_ns).c_str(), to_duration_text(r.other_ns).c_str());
    return flush();
  }
  Result<void> report(const record::RankTotal& r) override {
    std::printf("rank %d on %s, cpus %s: compute %s, communication %s, work %.15g\n", r.rank,
                r.host.c_str(), r.cpus.c_str(), to_duration_text(r.compute_ns).c_str(),
                to_duration_text(r.communication_ns).c_str(), r.work);
    return {};
  }
  Result<void> report(const record::Metric& r) override {
    std::printf("%s = %.9g %s\n", r.name.c_str(), r.value, r.unit.c_str());
    return {};
  }
  Result<void> report(const record::Check& r) override {
    std::printf("answer %s: %s\n", r.passed ? "right" : "WRONG", r.detail.c_str());
    return {};
  }
  Result<void> report(const record::Failure& r) override {
    std::printf("failed (%s): %s\n", r.reason.c_str(), r.detail.c_str());
    return flush();
  }
  Result<void> report(const record::Done& r) override {
    std::printf("done, %d timed iterations\n", r.iterations);
    return flush();
  }

 private:
  static Result<void> flush() {
    if (std::fflush(stdout) != 0) return system_error("write to stdout", errno);
    return {};
  }
};

}  // namespace

Result<std::unique_ptr<Reporter>> make_reporter() {
  const char* path = std::getenv(record::kPathVariable);
  if (path == nullptr || *path == '\0') return std::unique_ptr<Reporter>(new Table());
  const int fd = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) {
    return system_error(std::string("open ") + path + " (named by " + record::kPathVariable + ")",
                        errno);
  }
  return std::unique_ptr<Reporter>(new RecordFile(fd, path));
}

void append_if_shared(const record::Failure& r) {
  const char* path = std::getenv(record::kPathVariable);
  if (path == nullptr || *path == '\0') return;
  const int fd = ::open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return;
  (void)RecordFile(fd, path).report(r).has_value();  // stderr has it too
}

}  // namespace kneepoint::workloads
