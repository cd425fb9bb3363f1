// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/pack/export_pack.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "orchestrator/base/files.h"
#include "orchestrator/base/json_text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kLeastValue = 8;    // shorter ones are found everywhere
constexpr std::size_t kLeastInFile = 16;  // of a word in a file of keys, which has other words too

constexpr char kAround[] = "{}[]\"',:";  // YAML and JSON around a word

bool is_token(const std::string& word) {
  return word.size() >= kLeastInFile && word.front() != '/' && word.front() != '~' &&
         word.find('-') != 0 && std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '+' || c == '/' || c == '=' || c == '.' ||
                  c == '_' || c == '-';
         });
}

}  // namespace

std::vector<std::string> known_secrets(const Context& context, const Redacted& redacted) {
  std::vector<std::string> secrets;
  const auto add = [&](const std::string& value) {
    if (value.size() >= kLeastValue) secrets.push_back(value);
  };
  for (const std::string& value : redacted.secrets) add(value);
  for (const std::string& name : redacted.variables) {
    if (const auto value = context.environment(name)) add(*value);
  }
  for (std::string path : redacted.files) {
    if (path.starts_with("~/")) path = context.environment("HOME").value_or("") + path.substr(1);
    const auto text = read_file("secret", path, 1);
    if (!text) continue;
    std::istringstream words(*text);
    std::string only;
    int count = 0;
    for (std::string word; words >> word; ++count) {
      const std::size_t begin = word.find_first_not_of(kAround),
                        end = word.find_last_not_of(kAround);
      word = begin == std::string::npos ? "" : word.substr(begin, end - begin + 1);
      only = word;
      if (is_token(word)) secrets.push_back(word);
    }
    if (count == 1) add(only);
  }
  return secrets;
}

Result<void> refuse_secrets(const std::vector<TarMember>& parts,
                            const std::vector<std::string>& secrets) {
  for (const TarMember& part : parts) {
    for (const std::string& secret : secrets) {
      const std::string quoted = json_quote(secret);
      if (part.bytes.find(secret) == std::string::npos &&
          part.bytes.find(quoted.substr(1, quoted.size() - 2)) == std::string::npos) {
        continue;
      }
      return Error{ErrorCode::conflict,
                   "a secret of the plan or site is in " + part.name +
                       " too, so nothing was written; give it to runs by a file or by the name of "
                       "a variable instead"};
    }
  }
  return {};
}

}  // namespace kneepoint
