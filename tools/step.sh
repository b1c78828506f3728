# Sourced by tools/demo and tools/test: runs steps, one line each, and shows a step's log only when it failed.
# shellcheck shell=bash

step_times=()  # name and seconds by turns

# run_step NAME COMMAND...: its line ends with the last line that the command printed. All its output goes to
# $log_dir/NAME.log; the caller sets log_dir. To be called where -e counts, never as a condition. A signal that asks
# this shell to end is passed on to all processes of the step.
run_step() {
  # shellcheck disable=SC2154
  local name=$1 log=$log_dir/$1.log start=$EPOCHREALTIME status=0 seconds
  shift
  printf '%-10s ' "$name"
  set -m  # the step becomes a process group
  (
    set -e
    "$@"
  ) >"$log" 2>&1 </dev/null &
  step_group=$!
  set +m
  trap end_step INT TERM HUP
  wait "$step_group" || status=$?
  trap - INT TERM HUP
  seconds=$(((${EPOCHREALTIME/./} - ${start/./}) / 100000))
  seconds=$((seconds / 10)).$((seconds % 10))
  step_times+=("$name" "$seconds")
  if ((status == 0)); then
    printf 'ok     %6s s   %s\n' "$seconds" "$(tail -n 1 "$log")"
  else
    printf 'FAILED %6s s\n' "$seconds"
    tail -n 60 "$log" | sed 's/^/    /'
    echo "$name failed; its whole log: $log"
  fi
  return "$status"
}

end_step() {
  trap '' INT TERM HUP
  kill -TERM -- "-$step_group" || true
  wait "$step_group" || true
  echo "interrupted"
  exit 130
} 2>/dev/null
