// SPDX-License-Identifier: Apache-2.0
#include "agents/wire/frame.h"

#include <gtest/gtest.h>

namespace kneepoint::record {
namespace {

std::string put_together(FrameReader& reader, const std::string& file) {
  std::string content;
  for (const Appended& one : reader.appended()) {
    if (one.file == file) content += one.bytes;
  }
  return content;
}

TEST(Frame, FilesComeOutAsTheyWentInWhateverTheirBytes) {
  std::string wild = "no newline at the end \xff\xfe";
  wild += std::string("\0 a NUL\r\n", 9);
  const std::string lines = "{\"v\":1}\n\n{\"v\":2}\n";
  const std::string huge(3 * kMostFrameBytes + 7, 'x');
  FrameWriter writer;
  std::string log = writer.append("r1-a1/records.ndjson", lines);
  log += writer.append("r1-a1/stdout.txt", wild + huge);
  FrameReader reader;
  reader.take(log);
  std::string records, output;
  for (const Appended& one : reader.appended()) {
    (one.file == "r1-a1/records.ndjson" ? records : output) += one.bytes;
  }
  EXPECT_EQ(records, lines);
  EXPECT_EQ(output, wild + huge);
  EXPECT_FALSE(reader.has_gap());
}

TEST(Frame, PiecesMayBeCutAnywhereAndOthersMayPrintBetween) {
  FrameWriter writer;
  std::string log = "mpirun: a warning\n" + writer.append("f", "one\n");
  log += "##kneepoint1 is not a frame\n";
  log += writer.append("f", "two\n");
  for (std::size_t cut = 0; cut <= log.size(); ++cut) {
    FrameReader reader;
    reader.take(log.substr(0, cut));
    reader.take(log.substr(cut));
    EXPECT_EQ(put_together(reader, "f"), "one\ntwo\n") << "cut at " << cut;
  }
}

TEST(Frame, ReadingAgainFromTheStartAddsNothingTwice) {
  FrameWriter writer;
  const std::string first = writer.append("f", "one\ntwo\n");
  const std::string log = first + writer.append("f", "three\n");
  FrameReader reader;
  reader.take(first.substr(0, first.size() - 5));  // broken off in the middle of a line
  reader.restart();
  reader.take(log);
  EXPECT_EQ(put_together(reader, "f"), "one\ntwo\nthree\n");
}

TEST(Frame, AGapIsNoticedAndFilledLater) {
  FrameWriter writer;
  const std::string one = writer.append("f", "one\n");
  const std::string two = writer.append("f", "two\n");
  const std::string three = writer.append("f", "three\n");
  FrameReader reader;
  reader.take(one + three);
  EXPECT_EQ(put_together(reader, "f"), "one\n") << "nothing out of order";
  EXPECT_TRUE(reader.has_gap());
  reader.restart();
  reader.take(one + two + three);
  EXPECT_EQ(put_together(reader, "f"), "two\nthree\n");
  EXPECT_FALSE(reader.has_gap());
}

TEST(Frame, AMangledFrameIsCountedAndNotBelieved) {
  FrameWriter writer;
  std::string log = writer.append("f", "time=1.5\n");
  log[log.find("1.5")] = '9';
  FrameReader reader;
  reader.take(log);
  EXPECT_EQ(put_together(reader, "f"), "");
  EXPECT_EQ(reader.damaged(), 1U);
}

TEST(Base64, IsReadBackAndRefusedWhenItIsNone) {
  std::string back;
  for (const std::string& text : {std::string(), std::string("a"), std::string("ab"),
                                  std::string("abc"), std::string("\0\xff\x10", 3)}) {
    ASSERT_TRUE(base64_decoded(base64_encoded(text), back));
    EXPECT_EQ(back, text);
  }
  EXPECT_EQ(base64_encoded("light work."), "bGlnaHQgd29yay4=");
  for (const char* wrong : {"a", "abc", "ab=c", "====", "ab!=", "=abc"}) {
    EXPECT_FALSE(base64_decoded(wrong, back)) << wrong;
  }
}

}  // namespace
}  // namespace kneepoint::record
