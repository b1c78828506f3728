# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tools/demo and tools/test: runs steps, one line each, and shows a step's log only when it failed. While a step
# builds, it shows how far that is: on a terminal in this line, elsewhere as a line every 30 s.
# shellcheck shell=bash

step_times=()  # name and seconds by turns

# Whether a line may be written anew: on a terminal, where no other step writes to it too.
rewrites_lines() { [[ -t 1 && ! ${several_at_once-} ]]; }

# run_step NAME COMMAND...: its line ends with the last line that the command printed. All its output goes to
# $log_dir/NAME.log; the caller sets log_dir. To be called where -e counts, never as a condition. A signal that asks
# this shell to end is passed on to all processes of the step.
run_step() {
  # shellcheck disable=SC2154
  local name=$1 log=$log_dir/$1.log start=$EPOCHREALTIME status=0 seconds
  shift
  if rewrites_lines; then printf '%-12s ' "$name"; fi
  : >"$log"
  show_progress "$name" "$log" &
  step_progress=$!
  set -m  # the step becomes a process group
  (
    set +e  # that of the inner one counts
    (
      set -e
      "$@"
    )
    status=$?
    times >"$log.times"
    exit "$status"
  ) >"$log" 2>&1 </dev/null &
  step_group=$!
  set +m
  trap end_step INT TERM HUP
  wait "$step_group" || status=$?
  trap - INT TERM HUP
  end_progress
  seconds=$(((${EPOCHREALTIME/./} - ${start/./}) / 100000))
  seconds=$((seconds / 10)).$((seconds % 10))
  step_times+=("$name" "$seconds")
  if rewrites_lines; then printf '\r\e[K'; fi
  printf '%-12s ' "$name"
  if ((status == 0)); then
    printf 'ok     %6s s %5s s CPU   %s\n' "$seconds" "$(cpu_seconds "$log.times")" "$(tail -n 1 "$log")"
  else
    printf 'FAILED %6s s\n' "$seconds"
    tail -n 60 "$log" | sed 's/^/    /'
    tell_failures "$log"
    echo "$name failed; its whole log: $log"
  fi
  return "$status"
}

# cpu_seconds FILE: of all processes of a step, as `times` wrote them: "1m2.3s 0m4.5s" of its children in the second line.
cpu_seconds() { awk -F '[ms ]+' 'NR == 2 { printf "%d", 60 * ($1 + $3) + $2 + $4 }' "$1" 2>/dev/null; }

# tell_failures LOG: what failed in GoogleTest's tests, which may stand far above the log's end.
tell_failures() { grep -E -A 5 ': Failure$|ERROR: .*Sanitizer' "$1" | head -n 40 | sed 's/^/    /' || true; }

# show_progress NAME LOG: follows ninja's "[57/123]" until it is killed.
show_progress() {
  local begin=$SECONDS told=0 never at of line
  exec {never}<> <(:)  # nothing ever comes: reading it waits without a process
  while true; do
    read -rt 1 -u "$never" || true
    IFS=/ read -r at of < <(tail -n 20 "$2" | sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\] .*/\1\/\2/p' | tail -n 1) || continue
    if ((at == 0)); then continue; fi
    printf -v line '%-12s building %s of %s, %d:%02d' "$1" "$at" "$of" $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60))
    if rewrites_lines; then
      printf '\r%s\e[K' "$line"
    elif ((SECONDS - begin - told >= 30)); then
      told=$((SECONDS - begin))
      printf '%s\n' "$line"
    fi
  done
}

end_progress() {
  kill "$step_progress" || true
  wait "$step_progress" || true
} 2>/dev/null

end_step() {
  trap '' INT TERM HUP
  end_progress
  kill -TERM -- "-$step_group" || true
  wait "$step_group" || true
  echo "interrupted"
  exit 130
} 2>/dev/null
