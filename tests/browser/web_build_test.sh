#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# web_build_test.sh SOURCE MODULES SCHEMAS: builds orchestrator/web alone in every way: switched off, without
# node, without a registry, offline after a first build, and with a mistake in it. MODULES is where
# the real build keeps npm's packages, SCHEMAS its program that prints the API's; without packages the last ways
# are left out, and said so.
set -euo pipefail
source_root=$1 modules=${2:-} schemas=${3:-/bin/false}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -r "$source_root/orchestrator/web" "$place/web"
rm -rf "$place/web/node_modules"
sed -i 's,"orchestrator/web/,"web/,' "$place/web/bundle_missing.cc" "$place/web/build.mjs"
cat >"$place/main.cc" <<'END'
#include <iostream>
#include "web/bundle.h"
int main() {
  const auto& web = kneepoint::web_bundle();
  std::cout << (web.built ? "built " : "missing ") << web.report_script.size() << "\n" << web.dashboard_html;
}
END
cat >"$place/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(web_alone LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
add_library(kp_options INTERFACE)
target_include_directories(kp_options INTERFACE ${CMAKE_SOURCE_DIR})
add_executable(kp_api_schemas IMPORTED)
set_target_properties(kp_api_schemas PROPERTIES IMPORTED_LOCATION "${SCHEMAS}")
add_subdirectory(web)
add_executable(show main.cc)
target_link_libraries(show PRIVATE kp_options kp_web)
END

fail() { printf 'FAIL %s\n' "$*"; cat "$place/log"; exit 1; }
configure() { cmake -S "$place" -B "$place/$1" -G Ninja "-DSCHEMAS=$schemas" "${@:2}" >"$place/log" 2>&1; }
build() { cmake --build "$place/$1" >"$place/log" 2>&1; }
expect() { tr -s '\n ' ' ' <"$place/log" | grep -qF -- "$1" || fail "expected: $1"; printf 'ok   %s\n' "$1"; }
show() { "$place/$1/show" >"$place/log"; }

# Debian 12 has node 18: no package may want a newer one.
for lock in orchestrator/web tests/browser; do
  grep -hE '"node": ' "$source_root/$lock/package-lock.json" >"$place/log"
  if grep -qE '"node": "(>=|\^|~)? ?(19|[2-9][0-9])' "$place/log"; then fail "a package of $lock wants a newer node than 18"; fi
done
printf 'ok   node 18 is new enough for every package\n'

configure off -DKNEEPOINT_WEB=OFF && build off && show off || fail 'OFF does not build'
expect 'missing 0'
expect 'This build has no dashboard page'

configure none -DKNEEPOINT_WEB=AUTO -DKNEEPOINT_NODE= -DKNEEPOINT_NPM= || fail 'AUTO without node does not configure'
expect 'No web page in this build: node and npm were not both found'
build none && show none || fail 'AUTO without node does not build'
expect 'missing 0'
if configure on -DKNEEPOINT_WEB=ON -DKNEEPOINT_NODE= -DKNEEPOINT_NPM=; then fail 'ON without node configures'; fi
expect 'KNEEPOINT_WEB=ON, but the web page cannot be built: node and npm were not both found'

if ! command -v node >/dev/null; then
  printf 'skipped: node is needed for the rest\n'
  exit 77
fi
false_program=$(type -P false)
configure closed -DKNEEPOINT_WEB=AUTO "-DKNEEPOINT_NPM=$false_program" || fail 'AUTO without a registry does not configure'
expect 'No web page in this build: npm could not fetch its packages'
build closed && show closed || fail 'AUTO without a registry does not build'
expect 'missing 0'
if configure shut -DKNEEPOINT_WEB=ON "-DKNEEPOINT_NPM=$false_program"; then fail 'ON without a registry configures'; fi
expect 'the web page cannot be built: npm could not fetch its packages'

if [[ ! -f $modules/fetched ]]; then
  printf 'skipped: the real build has no packages of npm to go on with\n'
  exit 77
fi
# A second build, offline: npm would fail, but is not asked.
mkdir -p "$place/offline/web"
cp -r "$modules" "$place/offline/web/npm"
configure offline -DKNEEPOINT_WEB=ON "-DKNEEPOINT_NPM=$false_program" || fail 'a second build asks npm'
build offline || fail 'the page is not built'
expect 'report: script'
show offline
expect 'built '
grep -q '<script>' "$place/log" || fail 'the dashboard has no script'
if grep -qF "$place" "$place/log" "$place/offline/web/bundle/report_page.js"; then fail "the bundle names this machine's folders"; fi
cp "$place/offline/web/bundle/web_bundle.cc" "$place/first.cc"
build offline || fail 'a third build fails'
expect 'no work to do'
touch "$place/web/formulas.ts"
build offline || fail 'a build after a change fails'
expect 'Bundling the web page'
cmp "$place/first.cc" "$place/offline/web/bundle/web_bundle.cc" || fail 'the same sources give another bundle'
printf 'export const wrong: number = "text";\n' >>"$place/web/formulas.ts"
if build offline; then fail 'a wrong type is built'; fi
expect 'tsc refuses the types'
