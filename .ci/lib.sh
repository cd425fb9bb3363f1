# SPDX-License-Identifier: Apache-2.0
#
# What quickstart and check share: packages, phases, progress. Sourced, never run.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/logs

# A clone elsewhere finds the same objects in the compiler cache.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

if [[ -t 1 ]]; then on_terminal=1; else on_terminal=0; fi
if [[ $on_terminal == 1 && -z ${NO_COLOR:-} ]]; then
  bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' dim=$'\e[2m' plain=$'\e[0m'
else
  bold='' red='' green='' dim='' plain=''
fi

# die SENTENCE...: says what is wrong and what to do, and ends the script.
die() {
  warn "$@"
  exit 1
}
warn() {
  printf '%s%s%s\n' "$red" "$*" "$plain" >&2
}

duration() {  # seconds -> "2 min 05 s"
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# --- phases -------------------------------------------------------------------------------------
# run_phase NAME FUNCTION [ARGUMENT...]: runs it, keeps its time and whether it failed.
phase_names=() phase_seconds=() phase_states=()
run_phase() {
  local name=$1 began=$SECONDS status=0
  shift
  printf '%s== %s%s\n' "$bold" "$name" "$plain"
  "$@" || status=$?
  phase_names+=("$name")
  phase_seconds+=($((SECONDS - began)))
  if ((status == 0)); then phase_states+=(ok); else phase_states+=(FAILED); fi
  return "$status"
}

skip_phase() {  # NAME REASON: counts as a failure, since what was asked for did not happen
  printf '%s== %s%s\nnot run: %s\n' "$bold" "$1" "$plain" "$2"
  phase_names+=("$1")
  phase_seconds+=(0)
  phase_states+=("NOT RUN")
}

show_phases() {
  local i color
  printf '\n%sWhere the time went%s\n' "$bold" "$plain"
  for i in "${!phase_names[@]}"; do
    if [[ ${phase_states[i]} == ok ]]; then color=$green; else color=$red; fi
    printf '  %-28s %12s  %s%s%s\n' "${phase_names[i]}" "$(duration "${phase_seconds[i]}")" \
      "$color" "${phase_states[i]}" "$plain"
  done
  printf '  %-28s %12s\n' total "$(duration "$SECONDS")"
}

phases_ok() {
  local state
  for state in "${phase_states[@]}"; do [[ $state == ok ]] || return 1; done
}

# --- beside -------------------------------------------------------------------------------------
# beside_start: begins the function beside, which calls beside_step NAME FUNCTION [ARGUMENT...], at low
# priority. beside_result NAME: waits until NAME is done and shows what it printed. In the folder $results.
beside_step() {
  local name=$1 status=0
  shift
  "$@" >"$results/$name.out" 2>&1 || status=$?
  printf '%d\n' "$status" >"$results/$name.status"
}
beside_start() {
  mkdir -p "$results"
  set -m # a process group of its own, so that it can be ended as one
  (renice -n 15 "$BASHPID" >/dev/null && set +e && on_terminal=0 && beside) </dev/null &
  beside_pid=$!
  set +m
  # "|| true": a group that has ended is no failure, and under -e it would be the script's status.
  trap 'kill -- "-$beside_pid" 2>/dev/null || true' EXIT
}
beside_result() {
  while [[ ! -f $results/$1.status ]] && kill -0 "$beside_pid" 2>/dev/null; do
    sleep 1
  done
  cat "$results/$1.out"
  [[ -f $results/$1.status ]] && return "$(<"$results/$1.status")"
}

# --- progress -----------------------------------------------------------------------------------
# progress DONE TOTAL WHAT [UNEVEN]: one line that is overwritten on a terminal; elsewhere a line now and
# then. The time left is the time spent, scaled by what is left to do; with UNEVEN, where the pieces take
# from milliseconds to minutes, the time spent is all that is said. A total of 100 is a percentage.
progress_began=0 progress_shown=0
progress_start() {
  progress_began=$SECONDS progress_shown=$SECONDS
}
progress() {
  local done=$1 total=$2 what=$3 spent=$((SECONDS - progress_began)) left='' line
  ((total > 0)) || return 0
  if [[ ${4:-} ]]; then
    left=", $(duration "$spent") so far"
  elif ((done > 0 && spent >= 3)); then
    left=", about $(duration $((spent * (total - done) / done))) left"
  fi
  line="  $what: $((100 * done / total)) %"
  if ((total != 100)); then line+=" ($done of $total)"; fi
  line+=$left
  if ((on_terminal)); then
    printf '\r\e[K%s%s%s' "$dim" "$line" "$plain"
  elif ((SECONDS - progress_shown >= 10)); then
    printf '%s\n' "$line"
    progress_shown=$SECONDS
  fi
}
progress_end() {
  if ((on_terminal)); then printf '\r\e[K'; fi
}

# --- packages -----------------------------------------------------------------------------------
# Debian's name, and why.
build_packages=(
  'g++|the C++20 compiler'
  'cmake|configures the build'
  'ninja-build|runs the build'
  'mold|links quickly'
  'ccache|makes a second build quick'
  'libyaml-cpp-dev|reads plans and sites'
  'libsqlite3-dev|keeps the studies'
  'libspdlog-dev|log lines'
  'libfmt-dev|sentences of reports; spdlog uses it'
  'nlohmann-json3-dev|reads records'
  'libcli11-dev|the command line'
  'libcurl4-openssl-dev|HTTP to slurmrestd and Kubernetes, and what agents push'
  'libssl-dev|TLS of the endpoint that agents push records to'
  'libmuparser-dev|formulas of K in plans'
  'libboost-math-dev|distributions behind the intervals'
  'libopenmpi-dev|builds the MPI workloads'
  'openmpi-bin|mpirun starts their ranks'
)
check_packages=(
  'libgtest-dev|the test framework'
  'libopenblas0-pthread|the reference that gemm is compared with'
  'clang-format-14|checks the format'
  'gfortran|Fortran programs that the MPI profile is tested on'
  'python3|checks the JSON Schema and sums up the tests'
  'python3-jsonschema|checks the JSON Schema of plan and site'
  'python3-yaml|reads the plans that the schema is checked on'
)
slurm_packages=(
  'slurm-wlm|the real Slurm that the tests run on'
  'slurmctld|its controller'
  'slurmd|its nodes'
  'slurm-client|sbatch, squeue, sacct'
  'slurmdbd|its accounting'
  'slurm-wlm-mysql-plugin|stores the accounts'
  'mariadb-server|keeps them'
  'slurmrestd|its REST interface'
  'slurm-wlm-jwt-plugin|tokens for that'
  'munge|authentication between them'
)
# With the binaries that tests/kubernetes/cluster builds; the node's share of them is Debian's.
kubernetes_packages=(
  'containerd|runs the containers of the test node'
  'runc|makes them'
  'containernetworking-plugins|gives pods their addresses'
  'socat|lets the tests reach the API server'
  'iproute2|makes the network of the test node'
  'openssl|its certificates'
  'curl|asks whether it is up'
)
# For the report's what-if part and the dashboard; a node that is already there will do.
web_packages=(
  'nodejs|bundles the web page, and runs its tests'
  'npm|fetches what bundles it'
)
browser_packages=('chromium|the browser that the pages are tested in')
go_packages=('golang-go|builds the binaries of Kubernetes, once')
pip_packages=('python3-pip|fetches the libraries of CUDA and NCCL, once')
all_packages=(
  'clang-tidy-14|static analysis'
  'debootstrap|makes the empty Debian that packages are installed into'
  'dpkg-dev|finds what a .deb depends on'
  'file|tells programs from texts while packing'
  'groff-base|checks the man pages'
  'lintian|checks the .deb files'
  'man-db|shows the man pages'
  'mandoc|checks the man pages'
  'rpm|makes and checks the .rpm files'
)

# missing_packages ENTRY...: those that are not installed, a line each.
missing_packages() {
  local entry
  command -v dpkg-query >/dev/null || return 0
  for entry in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "${entry%%|*}" 2>/dev/null) == installed ]] ||
      printf '%s\n' "$entry"
  done
}

# packages_estimate ENTRY...: seconds; the network decides, so this is a rule of thumb.
packages_estimate() {
  local missing
  missing=$(missing_packages "$@" | wc -l)
  printf '%d' $((missing ? 10 + missing : 0))
}

# install_packages ENTRY...: asks nothing and touches nothing when all are there.
install_packages() {
  local entry name missing=() names=()
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    for entry in "$@"; do names+=("${entry%%|*}"); done
    printf 'This is not Debian or a relative of it, so nothing is installed.\n'
    printf 'Needed, by their Debian names: %s\n' "${names[*]}"
    for name in g++ cmake ninja mpirun; do
      command -v "$name" >/dev/null ||
        die "'$name' is not on the PATH. Install the packages above with your own package manager, then run this again."
    done
    return 0
  fi
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    printf 'All %d packages are there.\n' "$#"
    return 0
  fi
  printf 'Installing %d Debian packages (and what they depend on):\n' "${#missing[@]}"
  for entry in "${missing[@]}"; do
    names+=("${entry%%|*}")
    printf '  %-22s %s\n' "${entry%%|*}" "${entry#*|}"
  done

  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "Installing needs root, and there is no sudo. As root, run:
  apt-get update && apt-get install -y --no-install-recommends ${names[*]}
then run this again."
    as_root=(sudo)
    [[ -t 0 ]] || as_root=(sudo -n)
  fi
  mkdir -p "$logs"
  printf '  fetching the package lists\n'
  # One unreachable third-party source must not stop us: the install below is what decides.
  "${as_root[@]}" apt-get -q update </dev/null >"$logs/apt-update.log" 2>&1 ||
    printf '  apt-get update had a problem (%s); going on\n' "${logs#"$root/"}/apt-update.log"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
    -o DPkg::Lock::Timeout=120 -o APT::Status-Fd=1 install "${names[@]}" </dev/null \
    2>"$logs/apt-install.err" | show_apt_progress || {
    tail -n 15 "$logs/apt-install.log" "$logs/apt-install.err" >&2
    die "apt-get could not install the packages; its output is in ${logs#"$root/"}/apt-install.log. Check the network and /etc/apt, then run this again."
  }
}

# dlstatus:N:PERCENT:text while fetching, pmstatus:package:PERCENT:text while unpacking.
show_apt_progress() {
  local line kind rest now='' percent
  : >"$logs/apt-install.log"
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$logs/apt-install.log"
    kind=${line%%:*}
    [[ $kind == dlstatus || $kind == pmstatus ]] || continue
    rest=${line#*:*:}
    percent=${rest%%[.,:]*}
    [[ $percent =~ ^[0-9]+$ ]] || continue
    if [[ $kind != "$now" ]]; then
      now=$kind
      progress_start
    fi
    if [[ $kind == dlstatus ]]; then
      progress "$percent" 100 'fetching'
    else
      progress "$percent" 100 'unpacking'
    fi
  done
  progress_end
}

# --- estimates ----------------------------------------------------------------------------------
# Constants that make wall_estimate give the build times measured for docs/decisions/0033-build-time.md:
# processor seconds of a clean build, at a pace at which the loop takes so many microseconds.
release_processor_seconds=360 tests_processor_seconds=420 loop_microseconds=150000

# wall_estimate PROCESSOR_SECONDS: seconds for that much work here, on all cores: the machine's pace is
# taken from a short loop.
wall_estimate() {
  local began=${EPOCHREALTIME/[.,]/} took i
  for ((i = 0; i < 100000; i++)); do :; done
  took=$((${EPOCHREALTIME/[.,]/} - began))
  printf '%d' $(($1 * took / loop_microseconds / $(nproc)))
}

# show_plan PHASE SECONDS WHY ...: what follows and how long it should take. SECONDS may be a word.
show_plan() {
  local time
  printf '%sWhat follows on this machine (%d cores)%s\n' "$bold" "$(nproc)" "$plain"
  while (($#)); do
    if [[ $2 =~ ^[0-9]+$ ]]; then time="about $(duration "$2")"; else time=$2; fi
    printf '  %-12s %-18s %s\n' "$1" "$time" "$3"
    shift 3
  done
}

# --- build --------------------------------------------------------------------------------------
# The presets release and check share a tree: what ./quickstart built, ./check does not build again.
tree_of() { # PRESET
  if [[ $1 == check ]]; then printf '%s' "$root/build/release"; else printf '%s' "$root/build/$1"; fi
}

# The product without the tests, which the tree has once ./check has used it.
program_targets=(orchestrator/cli/all agents/agent/all workloads/all)

# build_preset NAME [TARGET...]: configures when needed, builds, shows how long is left; the log keeps all.
build_preset() {
  local preset=$1 folder log=$logs/build-$1.log
  folder=$(tree_of "$preset")
  shift
  mkdir -p "$logs"
  : >"$log"
  # A clone that was moved or copied carries a cache that points to its old place.
  if [[ -f $folder/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
  fi
  # A tree that ./quickstart configured has no tests yet.
  if [[ ! -f $folder/build.ninja ]] || { [[ $preset == check ]] &&
    ! grep -qxF 'KNEEPOINT_TESTS:BOOL=ON' "$folder/CMakeCache.txt"; }; then
    printf '  configuring %s\n' "${folder#"$root/"}"
    local settings=()
    # Debian's Python has the modules that were installed; another on the PATH may not.
    if [[ $preset != release && -x /usr/bin/python3 ]]; then
      settings+=(-DPython3_EXECUTABLE=/usr/bin/python3)
    fi
    (cd "$root" && cmake --preset "$preset" "${settings[@]}") >>"$log" 2>&1 || {
      grep -m 3 -A 8 'CMake Error' "$log" >&2 || tail -n 20 "$log" >&2
      warn "CMake could not configure ${folder#"$root/"}; the whole log is ${log#"$root/"}."
      return 1
    }
  fi
  progress_start
  (cd "$root" && NINJA_STATUS='[%f/%t] ' cmake --build --preset "$preset" --target "${@:-all}") 2>&1 |
    show_ninja_progress "$log" || {
    grep -m 3 -A 8 'CMake Error' "$log" >&2 || sed -n '/^FAILED:/,$p' "$log" | head -n 60 >&2
    warn "The build failed; the whole log is ${log#"$root/"}. After mending, run this again."
    return 1
  }
  printf '  built %s\n' "${folder#"$root/"}"
}

show_ninja_progress() {
  local log=$1 line
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      progress "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" 'building'
    fi
  done
  progress_end
}

# files PATTERN...: tracked files (or, without git, all below the root but build/).
files() {
  if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git -C "$root" ls-files --cached --others --exclude-standard -- "$@" | sort -u
  else
    local pattern tests=()
    for pattern in "$@"; do
      if [[ $pattern == */* ]]; then tests+=(-o -path "./$pattern"); else tests+=(-o -name "$pattern"); fi
    done
    ((${#tests[@]})) || tests=(-o -true)
    (cd "$root" && find . -path ./build -prune -o -path ./.git -prune -o \
      -type f \( "${tests[@]:1}" \) -print | sed 's,^\./,,' | sort)
  fi
}
