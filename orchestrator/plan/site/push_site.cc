// SPDX-License-Identifier: Apache-2.0
//
// `push`: every problem that can be seen without listening is told here.
#include "orchestrator/base/text.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/plan/parts.h"

namespace kneepoint {
namespace {

constexpr int kMostPort = 65535;

// "HOST:PORT", "[IPv6]:PORT" or a port alone.
bool split_listen(std::string_view text, std::string& host, int& port) {
  const std::size_t colon = text.rfind(':');
  std::string_view name = colon == std::string_view::npos ? "" : text.substr(0, colon);
  const std::string_view number = text.substr(colon == std::string_view::npos ? 0 : colon + 1);
  if (colon != std::string_view::npos) {
    if (name.starts_with('[') && name.ends_with(']')) {
      name = name.substr(1, name.size() - 2);
    } else if (name.find(':') != std::string_view::npos) {
      return false;
    }
    if (name.empty()) return false;
    host = name;
  }
  const auto given = parse_number<int>(number);
  port = given.value_or(-1);
  return port >= 0 && port <= kMostPort;
}

bool is_everywhere(const std::string& host) {
  return host == "0.0.0.0" || host == "::" || host == "*";
}

bool is_address(std::string_view text) {
  constexpr std::string_view kScheme = "https://";
  if (!text.starts_with(kScheme)) return false;
  text.remove_prefix(kScheme.size());
  return !text.empty() && text.find_first_of(" \t?#@\"'") == std::string_view::npos;
}

const Keys<PushSite> kPush = {
    {"listen", as("`HOST:PORT` or a port"), "`127.0.0.1:0`",
     "where to listen; port 0: a free one, the same at each start if it is still free"},
    {"address", as("`https://HOST:PORT`", text(&PushSite::address)), "where it listens",
     "how agents reach the controller; required for kubernetes, and with `0.0.0.0` or `[::]`"},
    {"certificate", as("path", by(&PushSite::certificate, read_path)), "made at the first start",
     "PEM files of the server"},
    {"key", by(&PushSite::key, read_path)},
    {"ca", as("path", by(&PushSite::ca, read_path)),
     "the made certificate; else what the nodes trust",
     "PEM of the authority that signed `certificate`"},
};

}  // namespace

const KeySet& push_keys() {
  return kPush;
}

void read_push(const YamlView& view, Site& site) {
  if (!view.present()) return;
  PushSite& push = site.push;
  push.on = true;
  if (!traits_of(site.backend).runs_programs) {
    view.fail_at_key("is for backends with agents; simulated has none");
  }
  if (!kPush.read(view, push)) return;
  if (const auto listen = view["listen"].text()) {
    if (!split_listen(*listen, push.listen_host, push.listen_port)) {
      view["listen"].fail("expected HOST:PORT, for example 0.0.0.0:8443, found '" + *listen + "'");
    }
  }
  if (view["address"].is(YamlNode::Kind::scalar)) {
    if (!is_address(push.address)) {
      view["address"].fail("expected https://HOST or https://HOST:PORT, found '" + push.address +
                           "'");
    } else if (push.listen_port == 0) {
      view["address"].fail_at_key(
          "needs a port of its own in `listen`: with port 0 it is known only when it listens");
    }
  }
  if (push.certificate.empty() != push.key.empty()) {
    view.fail_at_key("expected both certificate and key, or none of them");
  }
  if (!push.ca.empty() && push.certificate.empty()) {
    view["ca"].fail_at_key("is for a certificate of your own: name certificate and key too");
  }
  if (push.address.empty() && is_everywhere(push.listen_host)) {
    view.fail_at_key("expected `address`: agents can't reach " + push.listen_host);
  }
  if (push.address.empty() && traits_of(site.backend).has_images) {
    view.fail_at_key("expected `address`: how pods reach the controller, https://HOST:PORT");
  }
}

}  // namespace kneepoint
