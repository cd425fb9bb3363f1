// SPDX-License-Identifier: Apache-2.0
//
// libcurl, one handle: the connection and the TLS session are used again. Certificates are always
// checked. No proxy: the controller is near.
#include "agents/agent/push/client.h"

#include <curl/curl.h>

namespace kneepoint::agent {
namespace {

constexpr long kConnectMs = 5'000;
constexpr long kWholeMs = 15'000;

std::size_t forget(char* /*bytes*/, std::size_t size, std::size_t count, void* /*nobody*/) {
  return size * count;
}

int look(void* late, curl_off_t /*all*/, curl_off_t /*now*/, curl_off_t /*up*/,
         curl_off_t /*sent*/) {
  return (*static_cast<const std::function<bool()>*>(late))() ? 1 : 0;
}

class CurlPushClient final : public PushClient {
 public:
  CurlPushClient(const std::string& allocation, const PushTarget& push)
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
              const std::function<bool()>& late) override {
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

}  // namespace

std::unique_ptr<PushClient> make_push_client(const std::string& allocation,
                                             const PushTarget& push) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  return std::make_unique<CurlPushClient>(allocation, push);
}

}  // namespace kneepoint::agent
