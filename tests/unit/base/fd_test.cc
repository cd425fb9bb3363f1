// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/base/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace kneepoint {
namespace {

bool is_open_here(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(Fd, ClosesWhatItHasOnceAndOnlyThat) {
  int number = -1;
  {
    Fd first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(first.is_open());
    number = first.get();
    const Fd second(std::move(first));
    EXPECT_FALSE(first.is_open());  // NOLINT: what a move leaves is defined
    EXPECT_TRUE(is_open_here(number));
    EXPECT_EQ(second.get(), number);
  }
  EXPECT_FALSE(is_open_here(number));
}

TEST(Fd, AnotherOneInItsPlaceClosesTheFirst) {
  Fd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int first = fd.get();
  fd = Fd();
  EXPECT_FALSE(fd.is_open());
  EXPECT_FALSE(is_open_here(first));
}

}  // namespace
}  // namespace kneepoint
