// SPDX-License-Identifier: Apache-2.0
//
// kneepoint-push ALLOCATION.json: started by the agent. Its standard input ends when the agent has
// ended; its standard output says nothing and ends with it. The token is read from the file.
// libcurl, one handle: the connection and the TLS session are used again. Certificates are always
// checked. No proxy: the controller is near.
#include <curl/curl.h>
#include <poll.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "agents/agent/agent.h"
#include "agents/agent/push/push.h"
#include "orchestrator/base/hash.h"

namespace {

using namespace kneepoint;
using namespace kneepoint::agent;

constexpr std::size_t kMostAllocation = 64 << 20;
constexpr long kConnectMs = 5'000;
constexpr long kWholeMs = 15'000;

std::size_t forget(char* /*bytes*/, std::size_t size, std::size_t count, void* /*nobody*/) {
  return size * count;
}

int look(void* late, curl_off_t /*all*/, curl_off_t /*now*/, curl_off_t /*up*/,
         curl_off_t /*sent*/) {
  return (*static_cast<const std::function<bool()>*>(late))() ? 1 : 0;
}

class PushClient {
 public:
  PushClient(const std::string& allocation, const PushTarget& push)
      : handle_(curl_easy_init(), &curl_easy_cleanup), headers_(nullptr, &curl_slist_free_all) {
    opening_ = push.url;
    while (opening_.ends_with('/')) opening_.pop_back();
    opening_ += "/v1/allocations/" + allocation + "/";
    const std::string token = "Authorization: Bearer " + push.token;
    for (const char* header :
         {token.c_str(), "Content-Type: application/x-ndjson", "Expect:", "Accept:"}) {
      headers_.reset(curl_slist_append(headers_.release(), header));
    }
    ca_ = push.ca;
    CURL* handle = handle_.get();
    if (handle == nullptr) return;
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "kneepoint-push/" KNEEPOINT_VERSION);
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers_.get());
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, kWholeMs);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &forget);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &look);
    if (!ca_.empty()) {
      curl_blob blob{ca_.data(), ca_.size(), CURL_BLOB_NOCOPY};
      curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, &blob);
      curl_easy_setopt(handle, CURLOPT_CAINFO, nullptr);
      curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
    }
  }

  Pushed send(const std::string& attempt, const std::string& lines, std::string& why,
              const std::function<bool()>& late) {
    CURL* handle = handle_.get();
    if (handle == nullptr) return Pushed::never;
    const std::string url = opening_ + attempt + "/records";
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &late);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(lines.size()));
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, lines.c_str());
    const CURLcode code = curl_easy_perform(handle);
    if (code != CURLE_OK) {
      why = curl_easy_strerror(code);
      return Pushed::later;
    }
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    why = "the controller answers " + std::to_string(status);
    return meaning_of(status);
  }

 private:
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers_;
  std::string opening_;
  std::string ca_;
};

bool agent_ended_within(Nanoseconds most) {
  const Nanoseconds deadline = system_clock().steady() + most;
  static bool ended = false;
  for (;;) {
    const Nanoseconds left = deadline - system_clock().steady();
    pollfd life{ended ? -1 : 0, POLLIN, 0};  // -1 is not looked at: the whole time is waited
    const int n = poll(&life, 1, left > 0 ? static_cast<int>(left / kMillisecond) + 1 : 0);
    if (n > 0) ended = true;
    if (n > 0 || left <= 0) return ended;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::strcmp(argv[1], "--help") == 0) {
    std::fputs(
        "Usage: kneepoint-push ALLOCATION.json\n\n"
        "Pushes the records of an allocation to the controller that its file names, until\n"
        "its standard input ends. kneepoint-agent starts it; people need not.\n",
        argc == 2 ? stdout : stderr);
    return argc == 2 ? kExitDone : kExitUsage;
  }
  const std::string path = argv[1];
  const auto say = [&path](const std::string& text) {
    std::fprintf(stderr, "kneepoint-push: %s: %s\n", path.c_str(), text.c_str());
  };
  const auto allocation = parse_allocation(read_small(path, kMostAllocation));
  if (!allocation || !allocation->push) {
    say(allocation ? "names no controller" : "can't be read as an allocation");
    return kExitUsage;
  }
  std::uint64_t seed = 0;
  const std::string bytes = random_bytes(sizeof seed);
  std::memcpy(&seed, bytes.data(), sizeof seed);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  PushClient client(allocation->name, *allocation->push);
  const auto send = [&](auto&... piece) { return client.send(piece...); };
  push_records(*allocation, {system_clock(), send, &agent_ended_within, say}, Random(seed),
               kLastPush);
  return kExitDone;
}
