// SPDX-License-Identifier: Apache-2.0
//
// Files of the record endpoint: small, whole or not there, for their owner alone.
#pragma once

#include <string>

#include "orchestrator/base/result.h"

namespace kneepoint {

// Only for its owner, whatever the umask.
Result<void> make_private_folder(const std::string& path);
// "" if there is none.
Result<std::string> read_text(const std::string& path);
// Must be there.
Result<std::string> read_named_file(const char* key, const std::string& path);
// Of mode 600. If somebody made it first, theirs stays and is the answer.
Result<std::string> keep_first(const std::string& path, const std::string& text);
// Of mode 600, over what was there.
Result<void> write_private(const std::string& path, const std::string& text);
// Can others than its owner read it?
bool is_open_to_others(const std::string& path);

}  // namespace kneepoint
