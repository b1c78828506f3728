#!/bin/bash
# Measures a scenario and prints the throughput of each run. usage: measure.sh SCENARIO
set -euo pipefail

call() { busctl --system --json=short call org.netperfd1 /org/netperfd1 org.netperfd1.Manager "$@" | jq .data; }
property() { busctl --system --json=short get-property org.netperfd1 "$job" org.netperfd1.Job "$1" | jq --raw-output .data; }

job=$(call StartScenario 'sa{sv}' "$1" 1 label s shell | jq --raw-output '.[0]')
# busctl of Debian 12 cannot wait for a signal, as the other clients do.
while [[ $(property State) == @(pending|running) ]]; do sleep 1; done
for run in $(property Runs | jq '.[]'); do
  call GetRun t "$run" | jq --raw-output \
    '"run \(.[0].run.data) \(.[0].state.data): \(.[1][0].received_bits_per_second.data // 0 | . / 1e6 | round) Mbit/s"'
done
