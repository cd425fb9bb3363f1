# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Processes of a test cluster, each recorded by its pid in $folder/run. Sourced by the `cluster`
# scripts, which set $folder and $patience.

die() {
  printf 'cluster: %s\n' "$*" >&2
  exit 1
}

# A pid is ours only while its start time is the recorded one.
start_time() { # PID
  local line
  line=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  line=${line##*) }
  # shellcheck disable=SC2086
  set -- $line
  [[ $1 != Z ]] || return 1
  printf '%s' "${20}"
}
record() { # NAME PID
  local began
  began=$(start_time "$2") || return 1
  printf '%s %s\n' "$2" "$began" >"$folder/run/$1.owned"
}
pid_of() { # NAME: its pid if it lives
  local pid began
  [[ -f $folder/run/$1.owned ]] || return 1
  read -r pid began <"$folder/run/$1.owned" || return 1
  [[ $(start_time "$pid") == "$began" ]] || return 1
  printf '%s' "$pid"
}
alive() { pid_of "$1" >/dev/null; }
end_part() { # NAME SIGNAL: until it is gone; SIGKILL when it does not listen
  local pid tries=0
  pid=$(pid_of "$1") || return 0
  kill "-$2" "$pid" 2>/dev/null
  while alive "$1"; do
    sleep 0.05
    tries=$((tries + 1))
    ((tries == 200)) && kill -KILL "$pid" 2>/dev/null
    ((tries < 600)) || die "$1 (process $pid) does not end"
  done
}
# wait_for SENTENCE LOG COMMAND...: until it succeeds, at most $patience seconds.
wait_for() {
  local what=$1 log=$2 until=$((SECONDS + patience))
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS >= until)); then
      [[ -f $log ]] && tail -n 15 "$log" >&2
      die "$what did not happen within $patience s; $log may say why"
    fi
    sleep 0.1
  done
}
show_logs() {
  local file
  for file in "$folder"/log/*.log; do
    [[ -s $file ]] || continue
    printf '== %s\n' "${file##*/}"
    tail -n 40 "$file"
  done
}
