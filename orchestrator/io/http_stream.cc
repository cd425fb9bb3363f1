// SPDX-License-Identifier: Apache-2.0
//
// curl's multi interface with one request in it: performing it moves what is ready and returns.
#include <curl/curl.h>

#include "orchestrator/io/curl_request.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostWaiting = 16 << 20;  // not taken yet; then the server has to wait
constexpr int kNap = 50;                        // milliseconds
// Whoever polls may have been away for a whole call of something else, and that is nobody's fault.
constexpr long kConnectMilliseconds = 60'000;

class CurlStream final : public HttpStream {
 public:
  CurlStream(const HttpTarget& target, HttpUrl url, HttpRequest request)
      : target_(target), url_(std::move(url)), request_(std::move(request)) {}
  ~CurlStream() override {
    if (multi_ != nullptr && easy_ != nullptr) curl_multi_remove_handle(multi_, easy_);
    curl_easy_cleanup(easy_);
    curl_multi_cleanup(multi_);
  }
  CurlStream(const CurlStream&) = delete;
  CurlStream& operator=(const CurlStream&) = delete;

  Result<void> begin() {
    easy_ = curl_easy_init();
    multi_ = curl_multi_init();
    if (easy_ == nullptr || multi_ == nullptr) {
      return Error{ErrorCode::io, "libcurl has no memory", true};
    }
    TRY(prepared_.set(easy_, target_, url_, request_));
    curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &on_body);
    curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, words_);
    curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, kConnectMilliseconds);
    // A connection that died without a word is noticed.
    curl_easy_setopt(easy_, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy_, CURLOPT_TCP_KEEPIDLE, 15L);
    curl_easy_setopt(easy_, CURLOPT_TCP_KEEPINTVL, 5L);
    curl_multi_add_handle(multi_, easy_);
    return {};
  }

  void settle(Nanoseconds at_most) override {
    int running = 0;
    while (curl_multi_perform(multi_, &running) == CURLM_OK && running > 0 && at_most > 0) {
      long status = 0;
      curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
      if (status != 0) return;
      curl_multi_poll(multi_, nullptr, 0, kNap, nullptr);
      at_most -= kNap * kMillisecond;
    }
  }

  Result<State> poll(std::string& data) override {
    if (paused_) {
      paused_ = false;
      curl_easy_pause(easy_, CURLPAUSE_CONT);
    }
    int running = 0;
    const CURLMcode moved = curl_multi_perform(multi_, &running);
    data += received_;
    received_.clear();
    if (moved != CURLM_OK) return Error{ErrorCode::io, curl_multi_strerror(moved), true};
    State state;
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    state.status = static_cast<int>(status);
    state.retry_after = retry_after_of(easy_);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      ended_ = true;
      if (message->data.result != CURLE_OK) {
        return curl_error(message->data.result, words_, url_, 0);
      }
    }
    state.ended = ended_;
    return state;
  }

 private:
  static std::size_t on_body(char* data, std::size_t one, std::size_t count, void* where) {
    auto& stream = *static_cast<CurlStream*>(where);
    if (stream.received_.size() > kMostWaiting) {
      stream.paused_ = true;
      return CURL_WRITEFUNC_PAUSE;
    }
    stream.received_.append(data, one * count);
    return one * count;
  }

  const HttpTarget target_;
  const HttpUrl url_;
  const HttpRequest request_;
  CurlRequest prepared_;
  CURL* easy_ = nullptr;
  CURLM* multi_ = nullptr;
  std::string received_;
  bool paused_ = false;
  bool ended_ = false;
  char words_[CURL_ERROR_SIZE] = "";
};

}  // namespace

Result<std::unique_ptr<HttpStream>> HttpStream::open(const HttpTarget& target,
                                                     const HttpRequest& request) {
  TRY(start_curl());
  TRY_ASSIGN(HttpUrl url, parse_http_url(target.url));
  auto stream = std::make_unique<CurlStream>(target, std::move(url), request);
  TRY(stream->begin());
  return std::unique_ptr<HttpStream>(std::move(stream));
}

}  // namespace kneepoint
