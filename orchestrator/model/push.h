// SPDX-License-Identifier: Apache-2.0
//
// Live reports: where the controller listens for pushed records. What one allocation's agent is
// told of it is PushTarget; its token is never stored or printed.
#pragma once

#include <string>

#include "agents/wire/allocation.h"

namespace kneepoint {

// `push` of a site. Empty: not said.
struct PushSite {
  bool on = false;
  std::string listen_host = "127.0.0.1";
  int listen_port = 0;      // 0: a free one, the same at every start if it is still free
  std::string address;      // https://HOST[:PORT], by which agents reach us; "": where we listen
  std::string certificate;  // path of a PEM file; "": one of our own making
  std::string key;          // of the certificate
  std::string ca;           // path: what agents trust; "": our own, or what their system trusts
};

}  // namespace kneepoint
