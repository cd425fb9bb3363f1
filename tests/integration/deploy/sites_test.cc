// SPDX-License-Identifier: Apache-2.0
//
// The sites that deploy/ ships can be read, and say what their comments promise.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "orchestrator/plan/readers.h"

namespace kneepoint {
namespace {

Site site_in(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const SiteRead read = read_site(text.str(), path.string());
  EXPECT_FALSE(text.str().empty()) << path;
  EXPECT_TRUE(read.problems.empty()) << to_string(read.problems);
  return read.site;
}

std::map<std::string, Site> sites(const std::string& folder) {
  std::map<std::string, Site> found;
  for (const auto& entry : std::filesystem::directory_iterator(KP_SOURCE_DIR "/deploy/" + folder)) {
    if (entry.path().extension() != ".yaml") continue;
    found[entry.path().filename().string()] = site_in(entry.path());
  }
  return found;
}

TEST(DeploySites, AllCanBeReadAndUseSlurm) {
  const auto all = sites("slurm");
  EXPECT_GE(all.size(), 5U);
  for (const auto& [name, site] : all) {
    EXPECT_EQ(site.backend, BackendKind::slurm) << name;
    EXPECT_FALSE(site.work_dir.empty()) << name << ": work_dir must be shared";
  }
}

TEST(DeploySites, ThoseForSlurmrestdNameAPlaceForTheTokenAndNoToken) {
  const auto all = sites("slurm");
  const SlurmRestSite tls = all.at("site-rest.yaml").slurm.rest;
  EXPECT_TRUE(tls.url.starts_with("https://")) << tls.url;
  EXPECT_FALSE(tls.token_file.empty());
  const SlurmRestSite socket = all.at("site-rest-socket.yaml").slurm.rest;
  EXPECT_TRUE(socket.url.starts_with("unix:/")) << socket.url;
  EXPECT_EQ(socket.token_env, "SLURM_TOKEN");
}

TEST(DeploySites, ThoseForKubernetesCanBeReadAndPinTheirImage) {
  auto all = sites("kubernetes");
  EXPECT_GE(all.size(), 3U);
  all["controller"] = site_in(KP_SOURCE_DIR "/deploy/kubernetes/overlays/controller/site.yaml");
  // The pod's own account says where it is.
  EXPECT_TRUE(all["controller"].kubernetes.kubeconfig.empty());
  EXPECT_TRUE(all["controller"].kubernetes.name_space.empty());
  for (const auto& [name, site] : all) {
    EXPECT_EQ(site.backend, BackendKind::kubernetes) << name;
    EXPECT_NE(site.kubernetes.image.find(":0."), std::string::npos) << name;
    EXPECT_TRUE(site.kubernetes.read_only_root && site.kubernetes.run_as_user > 0) << name;
  }
}

TEST(DeploySites, ThoseForKubernetesSayWhatTheirCommentsPromise) {
  const auto all = sites("kubernetes");
  const KubernetesSite& gpu = all.at("site-gpu-rdma.yaml").kubernetes;
  EXPECT_EQ(gpu.gpu_resource, "nvidia.com/gpu");
  ASSERT_EQ(gpu.resources.size(), 1U);
  EXPECT_EQ(gpu.resources[0].first, "rdma/hca");
  EXPECT_NE(gpu.pod_patch.find("IPC_LOCK"), std::string::npos);
  EXPECT_EQ(all.at("site-kueue.yaml").kubernetes.queue, "performance");
  EXPECT_FALSE(all.at("site-cpu.yaml").kubernetes.tolerations.empty());
}

}  // namespace
}  // namespace kneepoint
