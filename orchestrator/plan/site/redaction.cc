// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/site/redaction.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "orchestrator/plan/yaml/yaml.h"

namespace kneepoint {
namespace {

constexpr char kLeftOut[] = "(left out)";
constexpr std::size_t kLeastSecret = 4;  // shorter ones are found everywhere

// Words that make a name a secret's, wherever they stand in it.
constexpr std::array<std::string_view, 14> kSecretParts = {
    "token",  "secret", "password", "passwd",  "passphrase", "credential", "apikey",
    "bearer", "cookie", "private",  "session", "jwt",        "signature",  "kubeconfig"};
// Words that do so only by themselves: "key" in client_key, not in keyboard.
constexpr std::array<std::string_view, 6> kSecretWords = {"key",  "keys", "auth",
                                                          "pass", "pwd",  "pat"};

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class Redaction {
 public:
  explicit Redaction(Redacted& out) : out_(out) {}

  void visit(YamlNode& node, const std::string& key) {
    for (YamlEntry& entry : node.entries) {
      const std::string inner = key.empty() ? entry.key : key + "." + entry.key;
      if (sounds_secret(entry.key)) {
        leave_out(entry.key, entry.value, inner);
      } else {
        visit(entry.value, inner);
      }
    }
    // {name: API_TOKEN, value: ...}, as a pod has its environment.
    const auto named = std::find_if(node.entries.begin(), node.entries.end(), [](const auto& e) {
      return e.key == "name" && sounds_secret(e.value.text);
    });
    for (YamlEntry& entry : node.entries) {
      if (named != node.entries.end() && entry.key == "value") {
        leave_out("", entry.value, key + ".value");
      }
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      visit(node.items[i], key + "[" + std::to_string(i) + "]");
    }
    if (node.kind == YamlNode::Kind::scalar) clean_text(node, key);
  }

 private:
  // The name of a file or a variable is no secret, but it tells where one is.
  void leave_out(const std::string& name, YamlNode& node, const std::string& key) {
    // What was left out before, in a pack that travels on, is no secret.
    if (node.kind == YamlNode::Kind::scalar && !node.text.empty() && node.text != kLeftOut) {
      if (name.ends_with("_env")) {
        out_.variables.push_back(node.text);
      } else if (node.text.front() == '/' || node.text.front() == '~' || name.ends_with("_file") ||
                 name == "client_key" || name == "kubeconfig") {
        out_.files.push_back(node.text);
      } else if (node.text.size() >= kLeastSecret) {
        out_.secrets.push_back(node.text);
      }
    }
    collect(node);
    node = YamlNode();
    node.kind = YamlNode::Kind::scalar;
    node.quoted = true;
    node.text = kLeftOut;
    out_.left_out.push_back(key);
  }

  void collect(const YamlNode& node) {
    for (const YamlEntry& entry : node.entries) take(entry.value);
    for (const YamlNode& item : node.items) take(item);
  }
  void take(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::scalar && node.text.size() >= kLeastSecret &&
        node.text != kLeftOut) {
      out_.secrets.push_back(node.text);
    }
    collect(node);
  }

  // `export API_TOKEN=abc`, `--password=abc` and https://user:word@host within a longer text.
  void clean_text(YamlNode& node, const std::string& key) {
    std::string& text = node.text;
    bool changed = false;
    for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 ||
                           text[begin - 1] == '_' || text[begin - 1] == '-')) {
        --begin;
      }
      if (!sounds_secret(std::string_view(text).substr(begin, at - begin))) continue;
      if (text.compare(at + 1, sizeof kLeftOut - 1, kLeftOut) == 0) continue;
      std::size_t end = std::min(text.find_first_of(" \t\n,;&", at + 1), text.size());
      if (at + 1 < text.size() && (text[at + 1] == '"' || text[at + 1] == '\'')) {
        end = std::min(text.find(text[at + 1], at + 2), text.size() - 1) + 1;
      }
      changed = cut(text, at + 1, end) || changed;
    }
    for (std::size_t at = text.find("://"); at != std::string::npos;
         at = text.find("://", at + 3)) {
      const std::size_t end = std::min(text.find_first_of("/ \t\n\"'", at + 3), text.size());
      const std::size_t host = text.rfind('@', end);
      if (host == std::string::npos || host <= at + 3) continue;
      changed = cut(text, at + 3, host) || changed;
    }
    if (changed) out_.left_out.push_back(key);
  }

  bool cut(std::string& text, std::size_t from, std::size_t to) {
    std::string value = text.substr(from, to - from);
    std::erase_if(value, [](char c) { return c == '"' || c == '\''; });
    if (value.empty() || value == kLeftOut) return false;
    if (value.size() >= kLeastSecret) out_.secrets.push_back(value);
    text.replace(from, to - from, kLeftOut);
    return true;
  }

  Redacted& out_;
};

}  // namespace

bool sounds_secret(std::string_view name) {
  std::string letters;                // of the whole name
  std::vector<std::string> words(1);  // parted by what is no letter or digit, and by humps
  char before = '\0';
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool hump = std::isupper(byte) != 0 && std::islower(static_cast<unsigned char>(before));
    if (hump || std::isalnum(byte) == 0) words.emplace_back();
    const char lower = static_cast<char>(std::tolower(byte));
    if (std::isalnum(byte) != 0) words.back() += lower;
    if (std::isalpha(byte) != 0) letters += lower;
    before = c;
  }
  return std::any_of(kSecretParts.begin(), kSecretParts.end(),
                     [&](std::string_view part) { return letters.find(part) != letters.npos; }) ||
         std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return contains(kSecretWords, word); });
}

Redacted redact(std::string_view text, const std::string& path) {
  Redacted out;
  YamlFile file = parse_yaml(text, path);
  if (file.root.kind == YamlNode::Kind::broken) return out;
  Redaction(out).visit(file.root, "");
  out.json = json_of(file.root) + "\n";
  return out;
}

}  // namespace kneepoint
