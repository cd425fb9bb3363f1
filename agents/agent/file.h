// SPDX-License-Identifier: Apache-2.0
//
// What the agent does with files and pipes, and where it finds the programs and libraries that
// belong to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/fd.h"
#include "orchestrator/base/result.h"

namespace kneepoint::agent {

// Up to `limit` bytes; "" if there is no such file or it can't be read: facts are optional.
std::string read_small(const std::string& path, std::size_t limit = 256 * 1024);

// Up to `size` bytes from there on; fewer where the file ends.
std::string read_part(const Fd& file, std::size_t offset, std::size_t size);

// Descriptors 0 to 2 must be taken, or a pipe would land there.
void fill_standard_descriptors();

// All bytes or an error that names the path.
Result<void> write_all(const Fd& file, std::string_view bytes, const std::string& path);
// The same where nobody can be told of a failure: it ends the writing.
void write_out(int fd, std::string_view bytes);

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
