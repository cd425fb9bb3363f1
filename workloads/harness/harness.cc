// SPDX-License-Identifier: Apache-2.0
//
// One run of a workload, from arguments to exit status.
#include "workloads/harness/harness.h"

#include <cstdio>
#include <cstdlib>
#include <new>

#include "workloads/harness/reporter.h"
#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads {

namespace {

constexpr int kBadArguments = 2;
constexpr int kWrongAnswer = 3;
constexpr int kFailed = 4;
constexpr int kMostTimed = 10'000;  // samples of one run by --min-time: records stay readable

// What is said between ranks, always outside the timed region. `polite` waits by napping instead of
// spinning: for emulated workloads, whose ranks outnumber the cores. MPI errors are fatal by MPI's
// own default.
constexpr Nanoseconds kNap = 100 * kMicrosecond;

void wait(MPI_Request request, bool polite) {
  if (!polite) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  for (;;) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    sleep_until(system_clock().steady() + kNap);
  }
}

std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const auto count = static_cast<std::size_t>(rank == 0 ? ranks : 0);
  std::vector<int> lengths(count), begins(count);
  const int length = static_cast<int>(mine.size());
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
  int total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    begins[i] = total;
    total += lengths[i];
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, 0,
              comm);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

// A barrier.
void meet(MPI_Comm comm, bool polite) {
  if (!polite) {
    MPI_Barrier(comm);
    return;
  }
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  wait(request, polite);
}

// Rank 0's value, everywhere.
int told_by_rank_0(MPI_Comm comm, int value, bool polite) {
  MPI_Request request;
  MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request);
  wait(request, polite);
  return value;
}

// One iteration over all ranks; only rank 0's answer means anything.
record::Sample combine(MPI_Comm comm, Nanoseconds total, const Timers& timers, bool polite) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const std::int64_t extremes[2] = {total, -total};
  const std::int64_t parts[3] = {total, timers.compute_ns(), timers.communication_ns()};
  std::int64_t most[2] = {0, 0};
  std::int64_t sums[3] = {0, 0, 0};
  MPI_Request request;
  MPI_Ireduce(extremes, most, 2, MPI_INT64_T, MPI_MAX, 0, comm, &request);
  wait(request, polite);
  MPI_Ireduce(parts, sums, 3, MPI_INT64_T, MPI_SUM, 0, comm, &request);
  wait(request, polite);

  record::Sample sample;
  sample.max_ns = most[0];
  sample.min_ns = -most[1];
  sample.mean_ns = sums[0] / ranks;
  sample.compute_ns = sums[1] / ranks;
  sample.communication_ns = sums[2] / ranks;
  sample.other_ns = sample.mean_ns - sample.compute_ns - sample.communication_ns;
  return sample;
}

// One entry per rank in rank order on rank 0, empty elsewhere.
std::vector<record::RankTotal> gather_totals(MPI_Comm comm, const record::RankTotal& mine) {
  const auto hosts = gather_texts(comm, mine.host);
  const auto cpus = gather_texts(comm, mine.cpus);
  const std::int64_t times[2] = {mine.compute_ns, mine.communication_ns};
  std::vector<std::int64_t> all_times(hosts.size() * 2);
  std::vector<double> work(hosts.size());
  MPI_Gather(times, 2, MPI_INT64_T, all_times.data(), 2, MPI_INT64_T, 0, comm);
  MPI_Gather(&mine.work, 1, MPI_DOUBLE, work.data(), 1, MPI_DOUBLE, 0, comm);
  std::vector<record::RankTotal> totals;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    totals.push_back(
        {static_cast<int>(i), hosts[i], cpus[i], all_times[2 * i], all_times[2 * i + 1], work[i]});
  }
  return totals;
}

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
  Session(const Setup& setup, Workload& workload, std::optional<Reporter> reporter)
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
    const auto totals = gather_totals(setup_.comm, {setup_.rank, this_node(), allowed_cpus(),
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
  void report(const Record& record) {
    if (!reporter_) return;
    if (const auto done = reporter_->report(record); !done) {
      complain(setup_.description, done.error().message);
      MPI_Abort(setup_.comm, 1);
    }
  }

  const Setup& setup_;
  Workload& workload_;
  const std::optional<Reporter> reporter_;  // rank 0 only
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
  const auto refused = [&](const Error& error) {
    if (setup.rank == 0) complain(description, error.message);
    return kBadArguments;
  };
  if (!parsed) return refused(parsed.error());
  if (const auto known = check_kernels(); !known) return refused(known.error());
  setup.workers = parsed->workers > 0 ? parsed->workers : setup.ranks;
  limit_threads_by_environment();
  auto workload = make(setup);
  if (!workload) return refused(workload.error());
  std::optional<Reporter> reporter;
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

std::string this_node() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return node_name({name, static_cast<std::size_t>(length)});
}

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
