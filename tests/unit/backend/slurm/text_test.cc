// SPDX-License-Identifier: Apache-2.0
//
// Texts as 22.05.8 wrote them on a test cluster, and what other versions write instead.
#include "orchestrator/backend/slurm/text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kneepoint {
namespace {

SlurmSubmission job_of() {
  SlurmSubmission job;
  job.name = "kp-0123abcd-1-7-a1";
  job.directory = "/shared/study";
  job.script_path = "/shared/study/kp-0123abcd-1-7-a1.sh";
  job.output_path = "/shared/study/kp-0123abcd-1-7-a1.out";
  job.nodes = 4;
  job.tasks = 16;
  job.tasks_per_node = 4;
  job.cpus_per_task = 2;
  job.limit = 61 * kSecond;
  return job;
}

bool has(const std::vector<std::string>& argv, const std::string& word) {
  return std::find(argv.begin(), argv.end(), word) != argv.end();
}

TEST(SlurmText, SbatchIsToldEverythingOutright) {
  SlurmSite site;
  const auto argv = sbatch_arguments(job_of(), site);
  EXPECT_EQ(argv.front(), "sbatch");
  EXPECT_EQ(argv.back(), "/shared/study/kp-0123abcd-1-7-a1.sh");
  for (const char* word :
       {"--parsable", "--job-name=kp-0123abcd-1-7-a1", "--chdir=/shared/study", "--no-requeue",
        "--nodes=4", "--ntasks=16", "--ntasks-per-node=4", "--cpus-per-task=2", "--time=2",
        "--exclusive", "--output=/shared/study/kp-0123abcd-1-7-a1.out"}) {
    EXPECT_TRUE(has(argv, word)) << word;
  }
  for (const std::string& word : argv) EXPECT_FALSE(word.starts_with("--partition")) << word;
}

TEST(SlurmText, WhatTheSiteSaysGoesToSbatch) {
  SlurmSite site;
  site.partition = "gpu";
  site.account = "perf";
  site.qos = "high";
  site.reservation = "maintenance";
  site.constraint = "a&b";
  site.exclusive = false;
  site.gpu_type = "a100";
  site.options = {"--mem=0", "--hint=nomultithread"};
  SlurmSubmission job = job_of();
  job.gpus_per_node = 4;
  job.exclude = {"n1", "n7"};
  job.overcommit = true;
  auto argv = sbatch_arguments(job, site);
  for (const char* word :
       {"--partition=gpu", "--account=perf", "--qos=high", "--reservation=maintenance",
        "--constraint=a&b", "--mem=0", "--hint=nomultithread", "--gpus-per-node=a100:4",
        "--exclude=n1,n7", "--overcommit"}) {
    EXPECT_TRUE(has(argv, word)) << word;
  }
  EXPECT_FALSE(has(argv, "--exclusive"));
  site.gpu_option = "gres";
  EXPECT_TRUE(has(sbatch_arguments(job, site), "--gres=gpu:a100:4"));
}

TEST(SlurmText, TheScriptEndsAsTheAgent) {
  SlurmSite site;
  EXPECT_EQ(batch_script(site, "/opt/kp/kneepoint-agent", "/shared/my study/a.json"),
            "#!/bin/bash\nexec /opt/kp/kneepoint-agent run '/shared/my study/a.json'\n");
  site.modules = {"openmpi/4.1"};
  site.prologue = {"export A=1"};
  const std::string text = batch_script(site, "/a", "/b");
  EXPECT_TRUE(text.starts_with("#!/bin/bash -l\nmodule load openmpi/4.1 || {")) << text;
  EXPECT_LT(text.find("export A=1\n"), text.find("exec /a run /b\n"));
}

TEST(SlurmText, JobIdsComeAloneOrWithACluster) {
  EXPECT_EQ(parse_job_id("123\n"), "123");
  EXPECT_EQ(parse_job_id("123;cluster\n"), "123");
  EXPECT_EQ(parse_job_id("sbatch: some warning of a plugin\n77\n"), "77");
  EXPECT_EQ(parse_job_id("Submitted batch job\n"), "");
  EXPECT_EQ(parse_job_id(""), "");
}

TEST(SlurmText, SqueueLinesAreRead) {
  const auto jobs = parse_squeue(
      "2|COMPLETED|1794840519|1794840520|1794840521|None|n[1-3]|kp-x|/tmp\n"
      "3|PENDING|1794840519|N/A|N/A|Priority|(null)|kp-y|/shared/a|b\n"
      "4|CANCELLED|1794840519|1794840519|1794840520|None||kp-z|/tmp\n"
      "not a line of a job\n"
      "5_7|RUNNING,SIGNALING|1|2|3|None|n1|kp-array|/tmp\n");
  ASSERT_EQ(jobs.size(), 4u);
  EXPECT_EQ(jobs[0].id, "2");
  EXPECT_EQ(jobs[0].state.word, "COMPLETED");
  EXPECT_EQ(jobs[0].submitted, 1794840519 * kSecond);
  EXPECT_EQ(jobs[0].ended, 1794840521 * kSecond);
  EXPECT_EQ(jobs[0].nodes, "n[1-3]");
  EXPECT_EQ(jobs[0].reason, "");
  EXPECT_EQ(jobs[1].started, 0);
  EXPECT_EQ(jobs[1].reason, "Priority");
  EXPECT_EQ(jobs[1].nodes, "");
  EXPECT_EQ(jobs[1].directory, "/shared/a|b") << "a bar in a folder's name shifts nothing";
  EXPECT_EQ(jobs[3].state.word, "RUNNING");
}

TEST(SlurmText, SacctLinesAreReadWithWhoCancelled) {
  const auto jobs = parse_sacct(
      "2|CANCELLED by 1000|1794840519|1794840519|1794840520|0:15|None|n[1-3]|kp-x|/tmp\n"
      "3|FAILED|1794840519|1794840519|Unknown|7:0|NonZeroExitCode|None assigned|kp-y|/tmp\n");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].state.word, "CANCELLED");
  EXPECT_EQ(jobs[0].ended_by, "1000");
  EXPECT_EQ(jobs[0].signal, 15);
  EXPECT_EQ(jobs[1].exit_code, 7);
  EXPECT_EQ(jobs[1].ended, 0);
  EXPECT_EQ(jobs[1].nodes, "");
}

TEST(SlurmText, TheClusterIsReadFromItsConfigurationAndPartitions) {
  const std::string sinfo =
      "batch*|6|64|2|32|gpu:a100:4(S:0-1)|1-00:00:00|1-infinite|idle\n"
      "batch*|2|48|2|24|gpu:4,nvme:1|1-00:00:00|1-infinite|down*\n"
      "small|1|4|4|1|(null)|10:00|1|mixed\n";
  const auto cluster = parse_cluster(
      "AccountingStorageType   = accounting_storage/slurmdbd\nClusterName             = lab\n"
      "MinJobAge               = 300 sec\nSLURM_VERSION           = 22.05.8\n",
      sinfo, "");
  EXPECT_EQ(cluster.version, "22.05.8");
  EXPECT_TRUE(cluster.has_accounting);
  EXPECT_EQ(cluster.partition, "batch");
  EXPECT_EQ(cluster.partitions, (std::vector<std::string>{"batch", "small"}));
  EXPECT_EQ(cluster.nodes, 8);
  EXPECT_EQ(cluster.nodes_up, 6);
  EXPECT_EQ(cluster.cores_per_node, 48) << "of the smallest node";
  EXPECT_EQ(cluster.gpus_per_node, 4);
  EXPECT_EQ(cluster.time_limit, 24 * kHour);
  EXPECT_EQ(cluster.most_nodes, 0) << "infinite";
  const auto small = parse_cluster("AccountingStorageType = (null)\n", sinfo, "small");
  EXPECT_FALSE(small.has_accounting) << "as 23.11 and later say it";
  EXPECT_EQ(small.nodes, 1);
  EXPECT_EQ(small.time_limit, 10 * kMinute);
  EXPECT_EQ(small.most_nodes, 1);
  EXPECT_FALSE(
      parse_cluster("AccountingStorageType = accounting_storage/none\n", "", "").has_accounting);
}

TEST(SlurmText, DownNodesAreFound) {
  EXPECT_EQ(parse_down_nodes("n1|idle\nn2|down*\nn2|down*\nn3|mixed\nn4|drained\nn5|allocated*\n"),
            (std::vector<std::string>{"n2", "n4", "n5"}));
}

TEST(SlurmText, APingTellsOfAControllerThatIsDown) {
  EXPECT_EQ(parse_ping("Slurmctld(primary) at host is DOWN\n***\n** RESTORE SLURMCTLD DAEMON TO "
                       "SERVICE **\n***\n"),
            "Slurmctld(primary) at host is DOWN");
  EXPECT_EQ(parse_ping("Slurmctld(primary) at a is DOWN\nSlurmctld(backup) at b is UP\n"), "");
  EXPECT_EQ(parse_ping("Slurmctld(primary) at a is UP\n"), "");
  EXPECT_EQ(parse_ping(""), "");
  EXPECT_EQ(slurm_error("scontrol", "Slurmctld(primary) at host is DOWN").message,
            "scontrol: Slurmctld(primary) at host is DOWN; check that slurmctld runs and that "
            "SLURM_CONF is right");
}

TEST(SlurmText, ARehearsalSaysWhenAndWhere) {
  EXPECT_EQ(parse_rehearsal("sbatch: Job 1 to start at 2026-11-16T14:48:39 using 2 processors on "
                            "nodes n[1-2] in partition batch\n"),
            "would start at 2026-11-16T14:48:39 using 2 processors on nodes n[1-2] in partition "
            "batch");
}

TEST(SlurmText, ErrorsAreOneSentenceWithSlurmsWordsAndWhatToChange) {
  const Error partition =
      slurm_error("sbatch",
                  "sbatch: error: invalid partition specified: nope\n"
                  "sbatch: error: Batch job submission failed: Invalid partition name specified\n");
  EXPECT_EQ(partition.message,
            "sbatch: Invalid partition name specified; set slurm.partition in the site");
  EXPECT_EQ(partition.code, ErrorCode::invalid);
  const Error account = slurm_error("sbatch",
                                    "sbatch: error: Batch job submission failed: Invalid account "
                                    "or account/partition combination specified\n");
  EXPECT_NE(account.message.find("slurm.account"), std::string::npos) << account.message;
  const Error away = slurm_error(
      "squeue", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n");
  EXPECT_EQ(away.code, ErrorCode::unavailable);
  EXPECT_TRUE(away.retryable);
  const Error munge = slurm_error(
      "sbatch",
      "sbatch: error: If munged is up, restart with --num-threads=10\n"
      "sbatch: error: Munge encode failed: Failed to access \"/run/munge/munge.socket.2\": No such "
      "file or directory\n"
      "sbatch: error: Batch job submission failed: Protocol authentication error\n");
  EXPECT_TRUE(munge.message.starts_with("sbatch: Munge encode failed")) << munge.message;
  EXPECT_NE(munge.message.find("munged"), std::string::npos);
  const Error slow = slurm_error("sbatch",
                                 "sbatch: error: Batch job submission failed: Socket timed out on "
                                 "send/recv operation\n");
  EXPECT_EQ(slow.code, ErrorCode::timeout) << "it may have arrived";
  const Error full = slurm_error("sbatch",
                                 "sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job "
                                 "submission failed: Job violates accounting/QOS policy (job "
                                 "submit limit, user's size and/or time limits)\n");
  EXPECT_TRUE(full.retryable) << "a full queue passes by itself";
  // 22.05.8, a QOS with MaxTRESPerJob=node=2 and flag DenyOnLimit.
  const Error over = slurm_error("sbatch",
                                 "sbatch: error: QOSMaxNodePerJobLimit\nallocation failure: Job "
                                 "violates accounting/QOS policy (job submit limit, user's size "
                                 "and/or time limits)\n");
  EXPECT_FALSE(over.retryable) << "it never fits";
  EXPECT_TRUE(over.message.starts_with("sbatch: QOSMaxNodePerJobLimit: Job violates"))
      << over.message;
  EXPECT_NE(over.message.find("slurm.qos"), std::string::npos) << over.message;
  EXPECT_EQ(slurm_error("scancel", "").message, "scancel: failed without a word");
}

// A refusal for good costs a run; what somebody closes is opened again.
TEST(SlurmText, WhatPassesIsToldFromWhatDoesNot) {
  constexpr const char* kPassing[] = {
      "sbatch: error: Batch job submission failed: Required partition not available (inactive or "
      "drain)\n",
      "sbatch: error: Batch job submission failed: Partition in DOWN state\n",
      "sbatch: error: Batch job submission failed: System submissions disabled\n",
      "sbatch: error: Batch job submission failed: Slurm backup controller in standby mode\n",
      "sbatch: error: Batch job submission failed: Unable to create job record, try again\n",
      "sbatch: error: Batch job submission failed: I/O error writing script/environment to file\n",
      "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\n",
  };
  for (const char* words : kPassing) {
    const Error error = slurm_error("sbatch", words);
    EXPECT_TRUE(error.retryable) << error.message;
    EXPECT_EQ(error.code, ErrorCode::unavailable) << error.message;
    EXPECT_NE(error.message.find("; "), std::string::npos) << "no advice: " << error.message;
  }
  constexpr const char* kPerhapsArrived[] = {
      "sbatch: error: Batch job submission failed: Unable to contact slurm controller (receive "
      "failure)\n",
      "sbatch: error: Batch job submission failed: Message receive failure\n",
      "sbatch: error: Batch job submission failed: Message send failure\n",
      "sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received\n",
  };
  for (const char* words : kPerhapsArrived) {
    EXPECT_EQ(slurm_error("sbatch", words).code, ErrorCode::timeout) << words;
  }
  const Error accounting =
      slurm_error("sacct",
                  "sacct: error: slurm_persist_conn_open_without_init: failed to open persistent "
                  "connection to host:127.0.0.1:6819: Connection refused\n"
                  "sacct: error: Sending PersistInit msg: Connection refused\n"
                  "sacct: error: Problem talking to the database: Connection refused\n");
  EXPECT_EQ(accounting.message,
            "sacct: Problem talking to the database: Connection refused; check that slurmdbd runs");
  EXPECT_TRUE(accounting.retryable);
  // Words that nobody knows: a job is refused for good, a question is asked again.
  EXPECT_FALSE(slurm_error("sbatch", "sbatch: error: the site's own filter says no\n").retryable);
  EXPECT_TRUE(slurm_error("squeue", "squeue: error: something new\n").retryable);
}

}  // namespace
}  // namespace kneepoint
