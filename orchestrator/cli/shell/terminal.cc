// SPDX-License-Identifier: Apache-2.0
//
// Each drawing is one write, so that the eye sees no half of it.
#include "orchestrator/cli/shell/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "orchestrator/base/json_put.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr int kUsualWidth = 100;
constexpr int kUsualHeight = 24;
constexpr Nanoseconds kBetweenDrawings = kSecond / 5;

winsize window() {
  winsize size{};
  for (const int fd : {STDERR_FILENO, STDOUT_FILENO}) {
    if (::isatty(fd) != 0 && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size;
  }
  return winsize{};
}

int terminal_width() {
  const int columns = window().ws_col;
  return columns > 0 ? columns : kUsualWidth;
}

}  // namespace

int terminal_height() {
  const int rows = window().ws_row;
  return rows > 0 ? rows : kUsualHeight;
}

int predict_width(const Session& session) {
  return session.out_is_terminal ? std::min(session.width(), kUsualWidth) : kUsualWidth;
}

void describe_process(Session& session) {
  session.out_is_terminal = ::isatty(STDOUT_FILENO) != 0;
  session.err_is_terminal = ::isatty(STDERR_FILENO) != 0;
  session.in_is_terminal = ::isatty(STDIN_FILENO) != 0;
  session.terminal_width = terminal_width;
  std::error_code ignored;
  session.executable = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

bool shows_unicode(const Session& session) {
  if (!session.out_is_terminal) return true;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = session.environment(name).value_or("");
    if (value.empty()) continue;
    for (const char* utf8 : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value.find(utf8) != std::string::npos) return true;
    }
    return false;
  }
  return true;  // nothing is said: terminals of today do
}

LiveArea::LiveArea(std::ostream& out, const Clock& clock, int (*height)())
    : out_(out), clock_(clock), height_(height) {}

LiveArea::~LiveArea() {
  if (lines_ > 0) out_ << "\x1b[" << lines_ << "B\r" << std::flush;
}

bool LiveArea::is_due() const {
  return lines_ == 0 || clock_.steady() - drawn_ns_ >= kBetweenDrawings;
}

void LiveArea::draw(const std::string& text) {
  const int most = height_() - 2;
  std::string frame = "\r\x1b[J\n";  // from the cursor to the end of the screen; the empty line
  int lines = 1;
  for (std::size_t i = 0; i < text.size() && lines < most; ++lines) {
    const std::size_t end = std::min(text.find('\n', i), text.size());
    frame += text.substr(i, end - i) + "\n";
    i = end + 1;
  }
  frame += "\x1b[" + std::to_string(lines) + "A\r";
  out_ << frame << std::flush;
  lines_ = lines;
  drawn_ns_ = clock_.steady();
}

void LiveArea::clear() {
  if (lines_ > 0) out_ << "\r\x1b[J" << std::flush;
  lines_ = 0;
}

int report_problems(Session& session, const std::vector<Problem>& problems) {
  if (session.json) session.out << "{\"problems\":" << json_text(problems) << "}\n";
  std::string text = plain_lines(to_string(problems));
  if (!text.empty() && text.back() != '\n') text += '\n';
  session.err << text << "kneepoint: " << counted(static_cast<long>(problems.size()), "error")
              << "; nothing was started\n";
  return kExitUsage;
}

}  // namespace kneepoint::cli
