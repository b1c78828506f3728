# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests that run in the VM: what they assert with, and the users, the ring and the daemon that they need.
# shellcheck shell=bash

# They kill daemons and unload modules: not on anybody's own machine.
[[ -b /dev/vdc && -d /vm/out ]] || { echo "this belongs into the VM: tests/vm/test runs it there" >&2; exit 1; }

set -euo pipefail
set -E
trap 'echo "    line $LINENO of ${BASH_SOURCE[0]##*/}: $BASH_COMMAND: exit code $?"' ERR

tracefs=/sys/kernel/tracing
printed=

# fail WHAT EXPECTED SEEN
fail() {
  trap - ERR
  printf '    line %s: %s\n      expected  %s\n      seen      %s\n' "$(line_of_test)" "$1" \
    "${2//$'\n'/$'\n                '}" "${3//$'\n'/$'\n                '}"
  exit 1
}

# Of the test itself, whichever function found the failure.
line_of_test() { echo "${BASH_LINENO[${#BASH_LINENO[@]} - 2]}"; }

# assert_equal WHAT EXPECTED SEEN
assert_equal() { [[ $3 == "$2" ]] || fail "$@"; }

# assert_contains WHAT PART TEXT
assert_contains() { [[ $3 == *"$2"* ]] || fail "$1" "... $2 ..." "$3"; }

# assert_above WHAT LIMIT SEEN
assert_above() { [[ $3 =~ ^[0-9]+$ && $3 -gt $2 ]] || fail "$1" "more than $2" "$3"; }

# is_between LOW HIGH SEEN: figures with fractions.
is_between() { jq --exit-status --null-input "${3:-null} | type == \"number\" and $1 <= . and . <= $2" >/dev/null; }

# assert_between WHAT LOW HIGH SEEN
assert_between() { is_between "${@:2}" || fail "$1" "$2 to $3" "$4"; }

# assert_exit CODE COMMAND...: leaves what it printed in $printed.
assert_exit() {
  local expected=$1 code=0
  shift
  printed=$("$@" 2>&1) || code=$?
  ((code == expected)) || fail "$*" "exit code $expected" "exit code $code
$printed"
}

# as USER COMMAND...
as() { setpriv --reuid="$1" --regid="$1" --init-groups "${@:2}"; }

# alice and bob may measure, eve may not.
make_users() {
  useradd --no-create-home --groups netperfd alice
  useradd --no-create-home --groups netperfd bob
  useradd --no-create-home eve
}

# The namespaces of the shipped scenarios: lab up hsr.
lab() { /usr/share/netperfd/lab "$@"; }

# ring_job DURATION: TCP over the ring with all of hsr's functions traced.
ring_job() {
  cat <<END
name: ring
workload: {iperf3: {netns: ring-a, local: {netns: ring-b, bind: 10.9.0.2}, duration: $1}}
trace: {function_graph: {module: hsr}}
END
}

# watch_job: all of hsr's functions, with no traffic of netperfd's own, until it is stopped.
watch_job() {
  cat <<END
name: watch
workload: {none: {until: stop}}
trace: {function_graph: {module: hsr}}
END
}

# start_job USER: starts what is on stdin and leaves it.
start_job() { as "$1" netperfctl start - --detach >/dev/null; }

daemon_pid() { systemctl show --property=MainPID --value netperfd.service; }

# run_json RUN FILTER: of what netperfctl knows of a run.
run_json() { netperfctl show "$1" --output json | jq --raw-output "$2"; }

# From here on await sees what happens to jobs.
watch_jobs() {
  exec {happenings}< <(exec netperfctl watch --output json 2>/dev/null)
  read -r happening <&"$happenings"  # the jobs that there are, printed when it watches
}

# await FILTER [SECONDS]: the next happening that fits, as $happening.
await() {
  local deadline=$((SECONDS + ${2-60})) seen=
  while read -t $((deadline > SECONDS ? deadline - SECONDS : 1)) -r happening <&"$happenings"; do
    if jq --exit-status "$1" <<<"$happening" >/dev/null; then return; fi
    seen+=${happening:0:200}$'\n'
  done
  fail "wait for a happening" "$1" "$seen"
}

# Calls of the run under way have been read.
await_calls() { await '.event == "trace_progress" and any(.events[]; .event == "ftrace:funcgraph_exit" and .count > 0)'; }

# What anybody could have set in tracefs: every file at the top that can be read and written, but those of data; options,
# instances, enabled events, and which functions of the kernel are patched.
tracefs_state() {
  local data=(trace trace_marker trace_marker_raw trace_pipe free_buffer error_log snapshot)
  (
    cd "$tracefs"
    # shellcheck disable=SC2046
    find . -maxdepth 1 -type f -perm -u+rw $(printf ' ! -name %s' "${data[@]}") -print0 | sort -z | xargs -0 grep -H ''
    grep -H '' options/* enabled_functions events/enable
    find instances -mindepth 1 -maxdepth 1
    grep -H '' /proc/sys/kernel/{ftrace_enabled,tracepoint_printk,ftrace_dump_on_oops}
  )
}

# assert_state_kept WHAT BEFORE: tracefs is as tracefs_state said before.
assert_state_kept() {
  local difference
  difference=$(diff <(echo "$2") <(tracefs_state)) || fail "$1" "tracefs as before" "$difference"
}
