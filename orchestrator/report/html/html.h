// SPDX-License-Identifier: Apache-2.0
//
// The report as one file for a browser: no network, light and dark, readable printed and on a
// phone. Complete without any script; the bundle of orchestrator/web only adds what moves. Every
// text from outside is escaped.
#pragma once

#include <string>

#include "orchestrator/report/document.h"
#include "orchestrator/web/bundle.h"

namespace kneepoint {

struct HtmlOptions {
  WebBundle web = web_bundle();
};

std::string to_html(const Document& document, const HtmlOptions& options = {});

}  // namespace kneepoint
