// SPDX-License-Identifier: Apache-2.0
//
// One accepted connection of the dashboard, with TLS or without; never blocking. The socket is
// closed with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "orchestrator/server/http/tls.h"

namespace kneepoint {

class WebStream {
 public:
  using Status = TlsStream::Status;

  // No context: bytes as they are.
  WebStream(const TlsContext* context, int fd);
  ~WebStream();
  WebStream(const WebStream&) = delete;
  WebStream& operator=(const WebStream&) = delete;

  int fd() const { return fd_; }
  // As TlsStream's.
  Status read(std::string& into, std::size_t most);
  Status write(std::string_view& bytes);

 private:
  std::optional<TlsStream> tls_;
  int fd_;
};

}  // namespace kneepoint
