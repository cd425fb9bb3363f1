// SPDX-License-Identifier: Apache-2.0
//
// What is compiled where node or npm was missing at build time.
#include "orchestrator/web/bundle.h"

namespace kneepoint {

const WebBundle& web_bundle() {
  static const WebBundle bundle{.built = false,
                                .report_script = {},
                                .report_style = {},
                                .dashboard_html = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kneepoint: no dashboard in this build</title>
</head>
<body>
<h1>This build has no dashboard page</h1>
<p>kneepoint was built without node and npm, or without a way to the npm registry, so its page could
not be bundled. Configure again with both, and with <code>-DKNEEPOINT_WEB=ON</code>, which says what
is missing.</p>
<p>The rest works: <a href="openapi.json">the JSON API</a>, <a href="metrics">the metrics</a>,
<a href="healthz">health</a>, and <code>kneepoint report STUDY --html</code>.</p>
</body>
</html>
)html"};
  return bundle;
}

}  // namespace kneepoint
