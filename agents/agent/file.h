// SPDX-License-Identifier: Apache-2.0
//
// What the agent does with files and pipes, and where it finds the programs and libraries that
// belong to it.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/fd.h"
#include "orchestrator/base/result.h"

namespace kneepoint::agent {

// Up to `limit` bytes; "" if there is no such file or it can't be read: facts are optional.
std::string read_small(const std::string& path, std::size_t limit = 256 * 1024);

// Up to `size` bytes from there on; fewer where the file ends.
std::string read_part(const Fd& file, std::size_t offset, std::size_t size);

// As read(), again when a signal came between.
ssize_t read_some(int fd, char* to, std::size_t size);

// True when there is something to read, or the end; false at the deadline.
bool wait_readable(int fd, Nanoseconds deadline);

// Appends what comes, up to the end or `most` bytes; false when the deadline came first.
bool read_until(int fd, Nanoseconds deadline, std::size_t most, std::string& text);

// Descriptors 0 to 2 must be taken, or a pipe would land there.
void fill_standard_descriptors();

// All bytes or an error that names the path.
Result<void> write_all(int fd, std::string_view bytes, const std::string& path);
// The same where nobody can be told of a failure: it ends the writing.
void write_out(int fd, std::string_view bytes);
// It must not exist yet.
Result<void> write_new_file(const std::string& path, std::string_view bytes, mode_t mode = 0644);

// The names in a folder, in no order; none if it can't be read.
std::vector<std::string> names_in(const std::string& folder);

// Both ends are closed on exec; `flags`: more of pipe2().
struct Pipe {
  Fd read_end;
  Fd write_end;
};
Result<Pipe> make_pipe(int flags = 0);

// Where the agent finds what belongs to it. In a build tree all programs lie in one folder; an
// installation keeps those that people don't call in lib/kneepoint. Both are looked for from the
// running program's own place, so that an installation may be moved.
//
// Where `name` may lie, given the path of the program: beside it, then ../lib/kneepoint. Pure.
std::vector<std::string> places_of_part(const std::string& program, const std::string& name);

// The first of these places where something is; "": it was not installed.
std::string find_part(const std::string& name);

}  // namespace kneepoint::agent
