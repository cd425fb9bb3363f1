// SPDX-License-Identifier: Apache-2.0
//
// The report as one file for a browser: no network, light and dark, readable printed and on a
// phone. Complete without any script; the bundle of orchestrator/web only adds what moves. Every
// text from outside is escaped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/report/document.h"
#include "orchestrator/web/bundle.h"

namespace kneepoint {

struct HtmlOptions {
  WebBundle web = web_bundle();
};

std::string to_html(const Document& document, const HtmlOptions& options = {});

}  // namespace kneepoint

// Pieces of the page, each a string of markup. html.cc puts them in order.
namespace kneepoint::html {

// <p>, <li>, ...: the text escaped; `cls` may be "".
std::string element(std::string_view tag, std::string_view text, std::string_view cls = "");
std::string list(const std::vector<std::string>& lines);

// Scrolls sideways where it is too wide. `flags`: one per row, or none at all.
std::string table(const TextTable& table, std::string_view label,
                  const std::vector<std::string>& flags = {});
std::string detail(const TextTable& table);

// The first screen: for each case and mode the K to use, how sure, what limits it, what it costs.
std::string answers(const Document& document, const std::vector<CurveView>& views);

// Where the numbers come from: the study, and what its runs recorded of nodes and programs.
std::string provenance(const Document& document);

// How each number was made, with its place in docs/methods.md.
std::string methods(const Document& document);
extern const char* const kStyle;
extern const char* const kScript;

}  // namespace kneepoint::html
