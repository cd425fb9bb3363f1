// SPDX-License-Identifier: Apache-2.0
//
// What the web page is made of, embedded into the program: the script and style of the report's
// what-if part, and the dashboard as one page. Without node at build time `built` is false, script
// and style are empty, and the dashboard is a page that says what is missing.
#pragma once

#include <string_view>

namespace kneepoint {

struct WebBundle {
  bool built = false;
  std::string_view report_script;   // for <script>: holds no "</"
  std::string_view report_style;    // for <style>
  std::string_view dashboard_html;  // self-contained: asks only for /api/v1/
};

const WebBundle& web_bundle();

}  // namespace kneepoint
