// SPDX-License-Identifier: Apache-2.0
//
// libcurl's multi interface, which keeps the connections of one server; nothing of curl leaves
// this file and curl_request.cc. A server that speaks HTTP/2 gets all requests on one connection.
#include "orchestrator/io/http_client.h"

#include <curl/curl.h>

#include <algorithm>

#include "orchestrator/io/curl_request.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostHeaderBytes = 64 << 10;
constexpr std::size_t kMostAtOnce = 8;  // requests on their way: enough to hide the way there
constexpr int kLongestNap = 1000;       // milliseconds; curl wakes us for what it waits for

constexpr std::size_t kMostWaiting = 16 << 20;  // not taken yet; then the server has to wait
constexpr int kNap = 50;                        // milliseconds
// Whoever polls may have been away for a whole call of something else, and that is nobody's fault.
constexpr long kConnectMilliseconds = 60'000;

int status_of(CURL* handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

// -1: not said.
int retry_after_of(CURL* handle) {
  curl_off_t seconds = 0;
  if (curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds) != CURLE_OK || seconds <= 0) {
    return -1;
  }
  return static_cast<int>(std::min<curl_off_t>(seconds, 3600));
}

// One request on its way.
struct Transfer {
  Transfer(const HttpRequest& its_request, std::size_t its_index, CURL* its_handle)
      : request(its_request), index(its_index), handle(its_handle) {}

  const HttpRequest& request;
  const std::size_t index;
  CURL* const handle;
  CurlRequest prepared;
  HttpResponse response;
  Nanoseconds left = 0;  // when it was sent
  std::size_t taken = 0;
  std::size_t header_bytes = 0;
  bool too_large = false;
  char words[CURL_ERROR_SIZE] = "";
};

std::size_t on_body(char* data, std::size_t one, std::size_t count, void* where) {
  auto& transfer = *static_cast<Transfer*>(where);
  const std::size_t size = one * count;
  transfer.taken += size;
  if (transfer.taken > transfer.request.most_bytes) {
    transfer.too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  transfer.response.body.append(data, size);
  return size;
}

std::size_t on_header(char*, std::size_t one, std::size_t count, void* where) {
  auto& transfer = *static_cast<Transfer*>(where);
  transfer.header_bytes += one * count;
  if (transfer.header_bytes <= kMostHeaderBytes) return one * count;
  transfer.too_large = true;
  return 0;
}

class CurlClient final : public HttpClient {
 public:
  CurlClient(HttpTarget target, HttpUrl url, CURLM* multi, const Clock& clock)
      : target_(std::move(target)), url_(std::move(url)), multi_(multi), clock_(clock) {}
  ~CurlClient() override {
    for (CURL* handle : idle_) curl_easy_cleanup(handle);
    curl_multi_cleanup(multi_);
  }
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  std::vector<Result<HttpResponse>> call_all(std::span<const HttpRequest> requests,
                                             Nanoseconds deadline) override {
    std::vector<Result<HttpResponse>> answers(requests.size(),
                                              Error{ErrorCode::io, "libcurl gave no answer", true});
    std::vector<std::unique_ptr<Transfer>> on_way;
    std::size_t next = 0;
    while (next < requests.size() || !on_way.empty()) {
      for (; next < requests.size() && on_way.size() < kMostAtOnce; ++next) {
        auto begun = begin(requests[next], next, deadline);
        if (begun) {
          on_way.push_back(std::move(*begun));
        } else {
          answers[next] = begun.error();
        }
      }
      if (on_way.empty()) break;
      if (auto moved = move_on(on_way, answers); !moved) {
        for (auto& transfer : on_way) {
          answers[transfer->index] = moved.error();
          put_back(*transfer);
        }
        on_way.clear();
      }
    }
    return answers;
  }

 private:
  Result<std::unique_ptr<Transfer>> begin(const HttpRequest& request, std::size_t index,
                                          Nanoseconds deadline) {
    const Nanoseconds left = deadline - clock_.steady();
    if (left <= 0) {
      return Error{ErrorCode::timeout, "the deadline passed before " + place() + " was asked",
                   true};
    }
    CURL* handle = idle_.empty() ? curl_easy_init() : idle_.back();
    if (handle == nullptr) return Error{ErrorCode::io, "libcurl has no memory", true};
    if (!idle_.empty()) idle_.pop_back();
    curl_easy_reset(handle);
    auto transfer = std::make_unique<Transfer>(request, index, handle);
    transfer->left = left;
    if (auto set = transfer->prepared.set(handle, target_, url_, request); !set) {
      idle_.push_back(handle);
      return set.error();
    }
    const auto option = [handle](CURLoption name, auto value) {
      curl_easy_setopt(handle, name, value);
    };
    option(CURLOPT_WRITEFUNCTION, &on_body);
    option(CURLOPT_WRITEDATA, static_cast<void*>(transfer.get()));
    option(CURLOPT_HEADERFUNCTION, &on_header);
    option(CURLOPT_HEADERDATA, static_cast<void*>(transfer.get()));
    const long milliseconds = static_cast<long>(std::max<Nanoseconds>(left / kMillisecond, 1));
    option(CURLOPT_TIMEOUT_MS, milliseconds);
    option(CURLOPT_CONNECTTIMEOUT_MS, milliseconds);
    option(CURLOPT_PIPEWAIT, 1L);  // rather share a connection than open one more
    option(CURLOPT_ERRORBUFFER, static_cast<char*>(transfer->words));
    curl_multi_add_handle(multi_, handle);
    return transfer;
  }

  // Waits for something to happen, and answers for what has ended.
  Result<void> move_on(std::vector<std::unique_ptr<Transfer>>& on_way,
                       std::vector<Result<HttpResponse>>& answers) {
    int running = 0;
    CURLMcode moved = curl_multi_perform(multi_, &running);
    if (moved == CURLM_OK && running == static_cast<int>(on_way.size())) {
      moved = curl_multi_poll(multi_, nullptr, 0, kLongestNap, nullptr);
    }
    if (moved != CURLM_OK) return Error{ErrorCode::io, curl_multi_strerror(moved), true};
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;  // gone once its handle is taken out
      const auto ended = std::find_if(on_way.begin(), on_way.end(), [&](const auto& transfer) {
        return transfer->handle == message->easy_handle;
      });
      if (ended == on_way.end()) continue;
      answers[(*ended)->index] = answer_of(**ended, code);
      put_back(**ended);
      on_way.erase(ended);
    }
    return {};
  }

  Result<HttpResponse> answer_of(Transfer& transfer, CURLcode code) const {
    if (transfer.too_large) {
      return Error{ErrorCode::corrupt,
                   place() + " answered with more than " +
                       std::to_string(transfer.request.most_bytes >> 10) + " KiB",
                   false};
    }
    if (code != CURLE_OK) {
      return curl_error(code, transfer.words, url_, transfer.left);
    }
    transfer.response.status = status_of(transfer.handle);
    transfer.response.retry_after = retry_after_of(transfer.handle);
    return std::move(transfer.response);
  }

  void put_back(Transfer& transfer) {
    curl_multi_remove_handle(multi_, transfer.handle);
    curl_easy_reset(transfer.handle);  // forgets the transfer's texts; connections are the multi's
    idle_.push_back(transfer.handle);
  }

  std::string place() const { return to_string(url_); }

  const HttpTarget target_;
  const HttpUrl url_;
  CURLM* multi_;
  const Clock& clock_;
  std::vector<CURL*> idle_;
};

// One request, and curl's multi interface of its own: performing it moves what is ready and
// returns.
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
      if (status_of(easy_) != 0) return;
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
    state.status = status_of(easy_);
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

Result<std::unique_ptr<HttpClient>> HttpClient::make(const HttpTarget& target, const Clock& clock) {
  TRY(start_curl());
  TRY_ASSIGN(HttpUrl url, parse_http_url(target.url));
  TRY(check_target_files(target));
  CURLM* multi = curl_multi_init();
  if (multi == nullptr) return Error{ErrorCode::io, "libcurl has no memory", true};
  return std::unique_ptr<HttpClient>(
      std::make_unique<CurlClient>(target, std::move(url), multi, clock));
}

Result<std::unique_ptr<HttpStream>> HttpStream::open(const HttpTarget& target,
                                                     const HttpRequest& request) {
  TRY(start_curl());
  TRY_ASSIGN(HttpUrl url, parse_http_url(target.url));
  auto stream = std::make_unique<CurlStream>(target, std::move(url), request);
  TRY(stream->begin());
  return std::unique_ptr<HttpStream>(std::move(stream));
}

}  // namespace kneepoint
