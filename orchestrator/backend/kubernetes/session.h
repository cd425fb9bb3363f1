// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a Kubernetes launcher share: where it works, what it knows of the API server's
// objects, and which allocations are its own. One of it per launcher.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "orchestrator/backend/kubernetes/book.h"
#include "orchestrator/backend/kubernetes/client.h"
#include "orchestrator/backend/kubernetes/view.h"

namespace kneepoint {

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

}  // namespace kneepoint
