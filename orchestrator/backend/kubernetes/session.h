// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a Kubernetes launcher share: where it works, what it knows of the API server's
// objects, and which allocations are its own. One of it per launcher.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orchestrator/backend/kubernetes/client.h"
#include "orchestrator/backend/kubernetes/log.h"
#include "orchestrator/backend/kubernetes/view.h"
#include "orchestrator/backend/launcher.h"

namespace kneepoint {

// The note of an allocation's end, beside its allocation file: the Job is deleted then, and the
// next controller has to know.
Result<void> write_end_note(const std::string& allocation_path, const Observation& end);
std::optional<Observation> read_end_note(const std::string& allocation_path, const JobRef& ref);

// The allocations that a Kubernetes launcher knows: as it made them, or as their files in the
// controller's folder tell. An allocation file is written before its Job is asked for.
struct KubeAllocation {
  JobRef ref;
  std::string path;  // the allocation file
  std::string job;   // its name there
  std::vector<KnownStep> steps;
  std::unique_ptr<KubeLog> log;
  std::string nodes;
  std::map<std::string, KubePod> pods;  // as last seen: a deleted one is gone before its Job ends
  Nanoseconds started = 0;
  Nanoseconds log_asked = 0;   // steady: since when its whole log is wanted
  Nanoseconds log_again = 0;   // steady: when to follow a log that ended before its pod
  Nanoseconds waits = 0;       // steady: since when we know it to wait for its pods
  Nanoseconds next_words = 0;  // steady: when to ask again why it has no pods
  std::string words;           // what was answered
  Nanoseconds hopeless = 0;    // steady: since when it waits for what will not come by waiting
  bool heard = false;          // its log could be read, be it empty
  bool pods_listed = false;    // since its Job has ended
  bool submitted = false;      // by this launcher, its Service included
  bool cancelled = false;
  std::optional<Observation> over;
  bool deleted = false;  // the Job of one that is over
};

// Drawn once for the folder that holds a controller's studies, where it lies in a file: another
// controller may have the same path on another machine. "": not drawn yet.
std::string kube_folder_id(const std::string& directory);
void remember_pods(KubeAllocation& job, const std::vector<KubePod>& pods);
// All that were ever seen, as they were then.
std::vector<KubePod> pods_ever(const KubeAllocation& job);
// For how long it has waited for its pods, as far as we know. A queue is waited for as long as the
// plan says; pods that were to come at once are not. The Job's own deadline is for the case that
// nobody looks.
Nanoseconds waited(KubeAllocation& job, bool waits, Nanoseconds now);
// A pod that had started and left no word may have begun its first step: it counts as begun.
Result<void> begin_if_unheard(const KubeAllocation& job);
// Of a quantity; 0: not said, or nothing that a pod's share could be.
double kube_cores(const std::string& quantity);

class KubeBook {
 public:
  explicit KubeBook(KubeView& view) : view_(view) {}  // which outlives it

  // As we know it, or as its files tell it; nullptr when there is none.
  Result<KubeAllocation*> find(const JobRef& ref);
  // A new one, its file written.
  Result<KubeAllocation*> add(const AllocationRequest& request);

  // Of the allocations in this directory.
  const std::string& id_of(const std::string& directory);

 private:
  void name(KubeAllocation& job);

  KubeView& view_;
  std::map<std::string, std::string> ids_;      // by directory
  std::map<std::string, KubeAllocation> jobs_;  // by allocation file
};

struct KubeSession {
  KubeSession(const Site& its_site, const Clock& its_clock, std::unique_ptr<KubeClient> its_client,
              std::string its_name_space)
      : site(its_site),
        clock(its_clock),
        client(std::move(its_client)),
        name_space(std::move(its_name_space)),
        kind(kube_kind(site)),
        view(*client, name_space, clock, kind),
        book(view) {}

  KubePlace jobs(const std::string& name = "") const {
    return {kind.group_version, kind.resource, name_space, name, ""};
  }

  KubePlace services() const { return {"v1", "services", name_space, "", ""}; }

  const Site& site;
  const Clock& clock;
  const std::unique_ptr<KubeClient> client;
  const std::string name_space;
  const KubeKind& kind;
  KubeView view;
  KubeBook book;
  bool has_made_one = false;  // a Job with all that belongs to it: the site is right
};

// That Job and no other of its name. What it leaves goes with it.
Result<void> delete_kube_job(KubeSession& session, KubeAllocation& job, Deadline deadline);
// The same of several, a few at a time; one answer for each.
std::vector<Result<void>> delete_kube_jobs(KubeSession& session,
                                           std::span<KubeAllocation* const> jobs,
                                           Deadline deadline);

// How an allocation becomes a Job and its Service, or an MPIJob. Asked again after a lost answer it
// finds what it made before: the names are given by us.

// Several are on their way at once; one answer for each, in their order.
std::vector<Result<JobRef>> submit_kube_jobs(KubeSession& session,
                                             std::span<const AllocationRequest> requests,
                                             Deadline deadline);
// The same as a dry run: nothing is made.
Result<void> rehearse_kube_job(KubeSession& session, const AllocationRequest& request,
                               Deadline deadline);

// What submitting would hand over, key and owner excepted.
std::vector<Launcher::EmittedFile> emitted_kube_job(const KubeSession& session,
                                                    const AllocationRequest& request);

}  // namespace kneepoint
