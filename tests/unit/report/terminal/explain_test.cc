// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/explain.h"

#include <gtest/gtest.h>

#include "orchestrator/report/terminal/answers.h"

namespace kneepoint {
namespace {

RunStory example_story() {
  RunStory story;
  story.found.study.id = "jacobi-1a2b3c4d-1";
  story.found.run.number = 3;
  story.found.run.attempts = 2;
  story.found.run.finished = true;
  Point& point = story.found.point;
  point.build = "default";
  point.workload = point.case_name = "jacobi";
  point.k = 4;
  point.shape.ranks = point.shape.ranks_per_node = 4;
  point.command.argv = {"/bin/kp-jacobi3d", "--size", "512", "it's here"};
  AttemptStory failed{};
  failed.number = 1;
  failed.state = AttemptState::failed;
  failed.reason = Reason::exit_code;
  failed.exit_code = 3;
  failed.name = "r3-a1";
  failed.folder = "/runs/jacobi-1a2b3c4d-1/r3-a1";
  story.attempts.push_back(failed);
  AttemptStory good{};
  good.number = 2;
  good.state = AttemptState::succeeded;
  good.submitted_ns = kSecond;
  good.started_ns = 3 * kSecond;
  good.ended_ns = 5 * kSecond;
  good.samples = {{0, true, 2 * kSecond, 0, 0, 0, 0, 0},
                  {1, false, kSecond, kSecond, kSecond, kSecond / 2, kSecond / 4, 0},
                  {2, false, 3 * kSecond, kSecond, kSecond, kSecond / 2, kSecond / 4, 0}};
  good.facts = {{"host1", "cpu.model", "some processor"}};
  good.name = "r3-a2";
  good.folder = "/runs/jacobi-1a2b3c4d-1/r3-a2";
  good.folder_exists = true;
  story.attempts.push_back(good);
  story.events = {{1'000'000'000 * kSecond, "retry", "trying again", 3, 1}};
  return story;
}

TEST(ExplainText, TellsTheWholeStory) {
  EXPECT_EQ(
      to_text(example_story()),
      "run r3 of jacobi-1a2b3c4d-1\n"
      "point: " +
          example_story().found.point.key() +
          "\n"
          "repeat 1 of its point, in round 0; finished after 2 attempts\n"
          "command of one rank: /bin/kp-jacobi3d --size 512 'it'\\''s here'\n"
          "\n"
          "attempt r3-a1: failed (exit_code): the program exited with a status other than 0; "
          "exit code 3\n"
          "  files: /runs/jacobi-1a2b3c4d-1/r3-a1 (not there)\n"
          "\n"
          "attempt r3-a2: succeeded\n"
          "  took 2 s after 2 s of waiting\n"
          "  samples: 2 timed after 1 for warm-up; slowest rank on average 2 s (1 s to 3 s); a "
          "rank computes 500 ms and communicates 250 ms\n"
          "  provenance:\n"
          "    scope  fact       value\n"
          "    host1  cpu.model  some processor\n"
          "  files: /runs/jacobi-1a2b3c4d-1/r3-a2\n"
          "\n"
          "events:\n"
          "  2001-09-09T01:46:40Z  a1 retry: trying again\n");
}

TEST(ExplainText, JsonCarriesTheSame) {
  const std::string json = json_text(example_story());
  EXPECT_NE(json.find(R"("state":"failed","reason":"exit_code")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("name":"cpu.model","value":"some processor")"), std::string::npos);
  EXPECT_NE(json.find(R"("kind":"retry","run":3,"attempt":1,"text":"trying again"}])"),
            std::string::npos);
  EXPECT_NE(json.find(R"("command":["/bin/kp-jacobi3d","--size","512","it's here"])"),
            std::string::npos);
}

TEST(ExplainText, TheMpiCallsOfAProfileAreListedWithTheirSpreadOverRanks) {
  RunStory story = example_story();
  ProfileStory& profile = story.attempts[1].profile;
  profile.ranks = {{0, true, 1, 2 * kSecond, kSecond / 5, 0, 0, 0, 0, 0},
                   {1, false, 1, 2 * kSecond, kSecond / 2, 0, kSecond / 2, 0, 0, 0}};
  profile.operations = {{"MPI_Allreduce", "collective", 400, 3200, 700 * kMillisecond, kSecond / 2},
                        {"MPI_Waitall", "wait", 2, 0, kSecond, kSecond}};
  EXPECT_NE(to_text(story).find(
                "  MPI: 2 s from MPI_Init to MPI_Finalize; in MPI 10% (rank 0) to 50% (rank 1) of "
                "it; 1 of 2 ranks ended before MPI_Finalize\n"
                "  MPI calls of all ranks:\n"
                "    call           kind        calls  bytes sent  a rank, mean  longest rank\n"
                "    MPI_Waitall    wait            2         0 B        500 ms           1 s\n"
                "    MPI_Allreduce  collective    400     3.20 kB        350 ms        500 ms\n"),
            std::string::npos)
      << to_text(story);
  const std::string json = json_text(story);
  EXPECT_NE(json.find(R"("mpi_profile":{"ranks":[{"rank":0,"complete":true,)"), std::string::npos);
  EXPECT_NE(json.find(R"({"name":"MPI_Waitall","kind":"wait","calls":2,"bytes":0,)"),
            std::string::npos)
      << json;
  EXPECT_EQ(json_text(example_story()).find("mpi_profile"), std::string::npos);
}

TEST(ExplainText, AThousandRanksAreNotListed) {
  RunStory story = example_story();
  for (int rank = 0; rank < 1000; ++rank) story.attempts[1].ranks.push_back({rank, "n1", "0"});
  const std::string text = to_text(story);
  EXPECT_NE(text.find("    and 984 more; --json has all\n"), std::string::npos) << text;
  EXPECT_NE(json_text(story).find("\"rank\":999"), std::string::npos);
}

TEST(ExplainText, ADetailThatOnlyRepeatsTheReasonIsSaidOnce) {
  AttemptRow row;
  row.state = AttemptState::cancelled;
  row.reason = Reason::user_cancelled;
  row.detail = sentence(Reason::user_cancelled);
  EXPECT_EQ(outcome_sentence(row), "cancelled (user_cancelled): it was cancelled on request");
}

}  // namespace
}  // namespace kneepoint
