// SPDX-License-Identifier: Apache-2.0
//
// One run of a workload, from arguments to exit status.
#include "workloads/harness/harness.h"

#include <cstdio>
#include <cstdlib>
#include <new>

#include "workloads/harness/collect.h"
#include "workloads/harness/placement.h"
#include "workloads/harness/reporter.h"
#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads {

void Workload::prepare(int, bool) {}

namespace {

constexpr int kBadArguments = 2;
constexpr int kWrongAnswer = 3;
constexpr int kFailed = 4;
constexpr int kMostTimed = 10'000;  // samples of one run by --min-time: records stay readable

void complain(const Description& description, const std::string& message) {
  std::fprintf(stderr, "kp-%s: %s\n", description.name.c_str(), message.c_str());
  std::fflush(stderr);
}

// Before MPI_Init only the starter's environment tells who is first.
bool may_be_rank_0() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* value = std::getenv(variable)) return std::string(value) == "0";
  }
  return true;
}

std::string processor_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return {name, static_cast<std::size_t>(length)};
}

record::Provenance provenance(const Description& description, const Workload& workload) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0, version = 0, subversion = 0;
  MPI_Get_library_version(library, &length);
  MPI_Get_version(&version, &subversion);
  std::string library_line = library;  // Open MPI counts the final zero in `length`
  library_line = library_line.substr(0, library_line.find_first_of("\r\n"));
  record::Provenance p;
  p.scope = "workload";
  p.facts = {{"program", "kp-" + description.name},
             {"version", KNEEPOINT_VERSION},
             {"compiler", KP_COMPILER},
             {"flags", KP_FLAGS},
             {"kernels", kernels().name},
             {"mpi.library", library_line},
             {"mpi.standard", std::to_string(version) + "." + std::to_string(subversion)},
             {"threads", std::to_string(thread_count())}};
  for (auto& fact : workload.facts()) p.facts.push_back(std::move(fact));
  return p;
}

// KNEEPOINT_KERNELS may name a kernel set; one that isn't there must not be replaced in silence.
Result<void> check_kernels() {
  const char* wanted = std::getenv("KNEEPOINT_KERNELS");
  if (wanted == nullptr || *wanted == '\0' || kernels().name == std::string(wanted)) return {};
  std::string known;
  for (int i = 0; i < kernel_set_count(); ++i) {
    known += (i == 0 ? "" : ", ") + std::string(kernel_set(i).name);
  }
  return Error{ErrorCode::invalid,
               "KNEEPOINT_KERNELS '" + std::string(wanted) + "': expected one of " + known, false};
}

// The life of one run on this rank.
class Session {
 public:
  Session(const Setup& setup, Workload& workload, std::unique_ptr<Reporter> reporter)
      : setup_(setup),
        workload_(workload),
        reporter_(std::move(reporter)),
        polite_(workload.sleeps()) {}

  int run() {
    const auto failure = workload_.begin();
    report(provenance(setup_.description, workload_));
    if (failure) {
      report(*failure);
      if (setup_.rank == 0) complain(setup_.description, failure->detail);
      return kFailed;
    }
    const Options& options = setup_.options;
    for (int i = 0; i < options.warmup; ++i) iterate(true);
    do {
      iterate(false);
    } while (more());
    return finish();
  }

 private:
  void iterate(bool warmup) {
    workload_.prepare(iteration_, warmup);
    meet(setup_.comm, polite_);
    Timers timers;
    const Nanoseconds start = system_clock().steady();
    workload_.iterate(timers);
    const Nanoseconds total = system_clock().steady() - start;
    record::Sample sample = combine(setup_.comm, total, timers, polite_);
    sample.iteration = iteration_++;
    sample.warmup = warmup;
    if (!warmup) {
      ++timed_;
      elapsed_ += sample.max_ns;
      compute_ += timers.compute_ns();
      communication_ += timers.communication_ns();
    }
    report(sample);
  }

  bool more() {
    const Options& options = setup_.options;
    if (options.min_time == 0) return timed_ < options.iterations;
    const bool again = elapsed_ < options.min_time && timed_ < kMostTimed;  // true of rank 0 alone
    return told_by_rank_0(setup_.comm, again ? 1 : 0, polite_) != 0;
  }

  int finish() {
    const auto totals =
        gather_totals(setup_.comm, {setup_.rank, node_name(processor_name()), allowed_cpus(),
                                    compute_, communication_, workload_.work()});
    for (const auto& total : totals) report(total);
    for (const auto& metric : workload_.metrics()) report(metric);
    if (setup_.options.break_answer) workload_.spoil();
    const record::Check check = workload_.verify();
    report(check);
    report(record::Done{timed_});
    const int passed = told_by_rank_0(setup_.comm, check.passed ? 1 : 0, polite_);
    if (passed == 0 && setup_.rank == 0) {
      complain(setup_.description, "wrong answer: " + check.detail);
    }
    return passed != 0 ? 0 : kWrongAnswer;
  }

  // A record that can't be written ends the run at once: numbers nobody receives are worth nothing.
  template <typename Record>
  void report(const Record& record) {
    if (reporter_ == nullptr) return;
    if (const auto done = reporter_->report(record); !done) {
      complain(setup_.description, done.error().message);
      MPI_Abort(setup_.comm, 1);
    }
  }

  const Setup& setup_;
  Workload& workload_;
  std::unique_ptr<Reporter> reporter_;  // rank 0 only
  bool polite_;
  int iteration_ = 0;
  int timed_ = 0;
  Nanoseconds elapsed_ = 0;
  Nanoseconds compute_ = 0;
  Nanoseconds communication_ = 0;
};

int run_between_init_and_finalize(const Description& description, const Result<Options>& parsed,
                                  const Factory& make) {
  Setup setup{description, parsed ? *parsed : Options{}, MPI_COMM_WORLD, 0, 1, 1};
  MPI_Comm_rank(setup.comm, &setup.rank);
  MPI_Comm_size(setup.comm, &setup.ranks);
  if (!parsed) {
    if (setup.rank == 0) complain(description, parsed.error().message);
    return kBadArguments;
  }
  if (const auto known = check_kernels(); !known) {
    if (setup.rank == 0) complain(description, known.error().message);
    return kBadArguments;
  }
  setup.workers = parsed->workers > 0 ? parsed->workers : setup.ranks;
  limit_threads_by_environment();
  auto workload = make(setup);
  if (!workload) {
    if (setup.rank == 0) complain(description, workload.error().message);
    return kBadArguments;
  }
  std::unique_ptr<Reporter> reporter;
  if (setup.rank == 0) {
    auto made = make_reporter();
    if (!made) {
      complain(description, made.error().message);
      MPI_Abort(setup.comm, 1);
    }
    reporter = std::move(made).value();
  }
  return Session(setup, **workload, std::move(reporter)).run();
}

}  // namespace

std::optional<record::Failure> first_failure(MPI_Comm comm,
                                             const std::optional<record::Failure>& mine) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int here = mine ? rank : ranks;
  int first = ranks;
  MPI_Allreduce(&here, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == ranks) return std::nullopt;
  std::string text = first == rank ? mine->reason + '\n' + mine->detail : "";
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, first, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, first, comm);
  const std::size_t cut = text.find('\n');
  return record::Failure{text.substr(0, cut), text.substr(cut + 1)};
}

void fail_run(const Setup& setup, const record::Failure& failure) {
  append_if_shared(failure);
  complain(setup.description, failure.detail);
  MPI_Abort(setup.comm, kFailed);
  std::abort();  // not reached
}

int run_workload(int argc, char** argv, const Description& description, const Factory& make) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const Result<Options> parsed = parse_command_line(description, arguments);
  if (parsed && parsed->help) {
    if (may_be_rank_0()) std::fputs(help_text(description).c_str(), stdout);
    return 0;
  }
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int status = 1;
  try {
    status = run_between_init_and_finalize(description, parsed, make);
  } catch (const std::bad_alloc&) {  // on this rank perhaps alone, so all must be stopped
    complain(description, "out of memory; take a smaller --size or more nodes");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Barrier(
      MPI_COMM_WORLD);  // a starter that kills at the first status must not cut rank 0 short
  MPI_Finalize();
  return status;
}

}  // namespace kneepoint::workloads
