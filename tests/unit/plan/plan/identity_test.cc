// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/plan/matrix.h"

#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

const std::string kWorkloads =
    "workloads:\n  - name: j\n    use: jacobi3d\n    size: {strong: 128, weak: \"64 * K\"}\n";

std::string hash_of(const std::string& lines, const std::string& workloads = kWorkloads,
                    const Site& site = simulated_site()) {
  return series_hash(plan_of("study: demo\n" + lines + workloads), site);
}

const std::string kBase = "scale: [1, 2, 4]\n";

TEST(Identity, IsEightHexDigitsThatNeverChange) {
  // A stored series is found by this number: if it changes, so must kVersion in identity.cc.
  EXPECT_EQ(hash_of(kBase), "26fd0dcd");
}

TEST(Identity, StaysWhenAStudyIsOnlyExtendedOrSteeredDifferently) {
  const std::string base = hash_of(kBase);
  EXPECT_EQ(hash_of("scale: [1, 2, 4, 8]\n"), base);
  EXPECT_EQ(hash_of(kBase + "repeat: 20\n"), base);
  EXPECT_EQ(hash_of(kBase + "seed: 5\n"), base);
  EXPECT_EQ(hash_of(kBase + "search: grid\n"), base);
  EXPECT_EQ(hash_of(kBase + "search: {knee: adaptive}\n"), base);
  EXPECT_EQ(hash_of(kBase + "limits: {concurrent: 4, retries: 3, timeout: 1h}\n"), base);
  EXPECT_EQ(hash_of(kBase + "knee: {floor: 0.5}\n"), base);
  EXPECT_EQ(hash_of(kBase + "gate: {alpha: 0.01}\n"), base);
  EXPECT_EQ(hash_of(kBase, kWorkloads + "    scale: [16]\n"), base);
  EXPECT_EQ(hash_of(kBase, kWorkloads + "    result: {name: solve}\n"), base);
  Site site = simulated_site();
  site.limits.nodes = 3;
  site.work_dir = "/elsewhere";
  EXPECT_EQ(hash_of(kBase, kWorkloads, site), base);
}

TEST(Identity, StaysWithOptionsOfSbatchThatChangeNoTime) {
  Site site;
  site.name = "cluster";
  site.backend = BackendKind::slurm;
  const std::string base = hash_of(kBase, kWorkloads, site);
  site.slurm.options = {"--comment=tonight", "--nice=100", "--mail-user=ops"};
  EXPECT_EQ(hash_of(kBase, kWorkloads, site), base);
  site.slurm.options.push_back("--mem=0");
  const std::string with_memory = hash_of(kBase, kWorkloads, site);
  EXPECT_NE(with_memory, base);
  site.slurm.options = {"--mem=0"};
  EXPECT_EQ(hash_of(kBase, kWorkloads, site), with_memory);
}

TEST(Identity, StaysWhenADefaultIsWrittenOutOrThingsAreReordered) {
  const std::string base = hash_of(kBase);
  EXPECT_EQ(hash_of(kBase + "worker: rank\niterations: {warmup: 1, count: 5}\n"), base);
  EXPECT_EQ(hash_of(kBase + "modes: [weak, strong]\n"), base);
  EXPECT_EQ(hash_of(kBase, kWorkloads + "    parameters: {order: 2}\n"), base);
  EXPECT_EQ(hash_of(kBase, kWorkloads + "    profile: none\n"), base);
  EXPECT_EQ(hash_of(kBase + "environment: {A: 1, B: 2}\n"),
            hash_of(kBase + "environment: {B: 2, A: 1}\n"));
}

TEST(Identity, ChangesWithWhatIsMeasured) {
  const std::string base = hash_of(kBase);
  EXPECT_NE(hash_of(kBase,
                    "workloads:\n  - {name: j, use: jacobi3d, size: {strong: 129, weak: \"64 "
                    "* K\"}}\n"),
            base);
  EXPECT_NE(hash_of(kBase, kWorkloads + "    parameters: {order: 4}\n"), base);
  EXPECT_NE(hash_of(kBase, kWorkloads + "    environment: {A: 1}\n"), base);
  EXPECT_NE(hash_of(kBase, kWorkloads + "    build: candidate\n"), base);
  EXPECT_NE(hash_of(kBase, kWorkloads + "    profile: mpi\n"), base);
  EXPECT_NE(hash_of(kBase + "worker: node\n"), base);
  EXPECT_NE(hash_of(kBase + "shape: {threads_per_rank: 2}\n"), base);
  EXPECT_NE(hash_of(kBase + "shape: {bind: socket}\n"), base);
  EXPECT_NE(hash_of(kBase + "environment: {A: 1}\n"), base);
  EXPECT_NE(hash_of(kBase + "iterations: {count: 6}\n"), base);
}

TEST(Identity, ChangesWithTheSitesResourceRequest) {
  const std::string base = hash_of(kBase);
  EXPECT_NE(hash_of(kBase, kWorkloads, built_in_local_site()), base);
  Site site = simulated_site();
  site.starter_options = {"--bind-to", "core"};
  EXPECT_NE(hash_of(kBase, kWorkloads, site), base);
  site = simulated_site();
  site.programs = "/opt/other";
  EXPECT_NE(hash_of(kBase, kWorkloads, site), base);
}

TEST(Identity, IsPartOfTheExpandedStudy) {
  EXPECT_EQ(study_of("study: demo\n" + kBase + kWorkloads).hash8, hash_of(kBase));
}

}  // namespace
}  // namespace kneepoint
