// SPDX-License-Identifier: Apache-2.0
//
// Limits of accounting: the sacctmgr lines are recordings of Slurm 22.05.8, and so are the REST
// answers in tests/golden/slurm_rest.
#include "orchestrator/backend/slurm/text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "orchestrator/backend/slurm/rest_text.h"

namespace kneepoint {
namespace {

constexpr char kAssociations[] = "perf|perf|||||\nperf|root||narrow|node=4|cpu=64,node=3|\n";
constexpr char kQos[] =
    "normal|||\nnarrow|node=2||00:05:00\nstrict|node=2||00:05:00\ngroup|cpu=8|node=6|1-00:00:00\n";

SlurmSubmission job(int nodes, Nanoseconds limit) {
  SlurmSubmission job;
  job.nodes = nodes;
  job.limit = limit;
  return job;
}

std::string told(const std::string& account, const std::string& qos, int nodes,
                 Nanoseconds limit = kMinute) {
  SlurmSite site;
  site.account = account;
  site.qos = qos;
  return why_not_allowed(parse_accounting(kAssociations, kQos), site, job(nodes, limit));
}

TEST(SlurmLimits, AreReadFromSacctmgr) {
  const SlurmAccounting read = parse_accounting(kAssociations, kQos);
  ASSERT_EQ(read.associations.size(), 2U);
  EXPECT_TRUE(read.associations[0].is_default);
  EXPECT_FALSE(read.associations[1].is_default);
  EXPECT_EQ(read.associations[0].allows.nodes, 0);
  EXPECT_EQ(read.associations[1].default_qos, "narrow");
  EXPECT_EQ(read.associations[1].allows.nodes, 3) << "the smaller of a job's and the group's";
  ASSERT_EQ(read.qos.size(), 4U);
  EXPECT_EQ(read.qos[1].allows.nodes, 2);
  EXPECT_EQ(read.qos[1].allows.time, 5 * kMinute);
  EXPECT_EQ(read.qos[3].allows.nodes, 6);
  EXPECT_EQ(read.qos[3].allows.time, 24 * kHour);
  EXPECT_TRUE(parse_accounting("", "").associations.empty());
  EXPECT_TRUE(parse_accounting("You are not allowed\n", "no\n").qos.empty());
}

TEST(SlurmLimits, AJobWithinThemIsAllowed) {
  EXPECT_EQ(told("perf", "", 8), "");
  EXPECT_EQ(told("perf", "narrow", 2, 5 * kMinute), "");
  EXPECT_EQ(told("", "", 8), "") << "perf is the default account";
}

TEST(SlurmLimits, AJobOverThemIsToldBeforeItWaitsForEver) {
  EXPECT_EQ(told("perf", "narrow", 4),
            "QOS 'narrow' allows a job 2 nodes, asked for 4: it would never start; lower `scale` "
            "of the plan, or name another slurm.qos in the site");
  EXPECT_NE(told("perf", "narrow", 1, 5 * kMinute + kSecond).find("lower limits.timeout"),
            std::string::npos);
  EXPECT_NE(told("root", "", 4).find("account 'root' allows a job 3 nodes"), std::string::npos);
  EXPECT_NE(told("root", "", 3).find("QOS 'narrow'"), std::string::npos)
      << "the account's default QOS counts";
}

TEST(SlurmLimits, UnknownAccountsAndQosAreNamed) {
  EXPECT_EQ(told("nobody", "", 1),
            "accounting has no account 'nobody' for you; set slurm.account in the site to one of: "
            "perf, root");
  EXPECT_EQ(told("perf", "fast", 1), "there is no QOS 'fast'; set slurm.qos in the site");
  SlurmSite site;
  site.account = "nobody";
  EXPECT_EQ(why_not_allowed({}, site, job(1, kMinute)), "") << "no accounting, nothing to say";
}

TEST(SlurmLimits, HoldOnlyWhereTheyAreEnforced) {
  EXPECT_TRUE(enforces_limits("AccountingStorageEnforce = associations,limits,qos\n"));
  EXPECT_TRUE(enforces_limits("AccountingStorageEnforce = associations,limits,qos,safe\n"));
  EXPECT_FALSE(enforces_limits("AccountingStorageEnforce = associations\nX = limits\n"));
  EXPECT_FALSE(enforces_limits("AccountingStorageEnforce = none\n"));
  EXPECT_FALSE(enforces_limits(""));
}

std::string recorded_limits(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(KP_SOURCE_DIR "/tests/golden/slurm_rest/" + name).rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

void expect_limits(const SlurmAccounting& read, const std::string& version) {
  ASSERT_EQ(read.associations.size(), 2U) << version << ": only this user's";
  EXPECT_EQ(read.associations[0].account, "perf") << version;
  EXPECT_FALSE(read.associations[0].is_default) << version;
  EXPECT_TRUE(read.associations[1].is_default) << version;
  EXPECT_EQ(read.associations[1].allows.nodes, 3) << version;
  EXPECT_EQ(read.associations[1].allows.time, 90 * kMinute) << version;
  ASSERT_EQ(read.qos.size(), 2U) << version;
  EXPECT_EQ(read.qos[0].allows.nodes, 0) << version;
  EXPECT_EQ(read.qos[1].name, "narrow") << version;
  EXPECT_EQ(read.qos[1].allows.nodes, 2) << version;
  EXPECT_EQ(read.qos[1].allows.time, 5 * kMinute) << version;
}

TEST(SlurmLimits, AreReadFromSlurmrestdOfEveryVersion) {
  for (const std::string version : {"v0.0.38", "v0.0.40"}) {
    expect_limits(parse_rest_accounting(recorded_limits(version + "-associations.json"),
                                        recorded_limits(version + "-limits.json"), "root"),
                  version);
  }
  EXPECT_TRUE(parse_rest_accounting("", "[]", "root").associations.empty());
}

}  // namespace
}  // namespace kneepoint
