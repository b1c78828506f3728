# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tools/demo and tools/debian: runs something so that nothing of it outlives it.
# shellcheck shell=bash

# run_sandboxed COMMAND...: runs it as the first process of mount, process and network namespaces of its own. When that
# process ends, in whatever way, the kernel takes all others and all mounts with it. Signals that ask this shell to end
# run on_interrupt, which the caller defines, after everything inside is gone.
run_sandboxed() {
  if ! unshare --mount --pid --net --fork --mount-proc true; then
    echo "this machine does not let its root make namespaces; is it a container without the privilege?" >&2
    return 1
  fi
  trap end_sandbox INT TERM HUP
  # The two death signals are for the case that this shell itself is killed. unshare's own stderr is closed to its
  # complaint that it cannot repeat the SIGKILL below.
  setpriv --pdeathsig KILL unshare --mount --pid --net --fork --kill-child --mount-proc \
    bash -c 'exec "$@" 2>&3 3>&-' bash "$@" <&0 3>&2 2>/dev/null &
  sandbox=$!
  local status=0
  wait "$sandbox" || status=$?
  trap - INT TERM HUP
  return "$status"
}

end_sandbox() {
  trap '' INT TERM HUP
  local first=
  # The first process inside, if there is one yet: the kernel lets it end only after all the others.
  read -r first _ <"/proc/$sandbox/task/$sandbox/children" || true
  kill -KILL "${first:-$sandbox}" || true
  wait "$sandbox" || true
  on_interrupt
  exit 130
} 2>/dev/null
