# SPDX-License-Identifier: GPL-2.0-or-later
# Reads the text of `trace-cmd report` and prints for each function its calls, the sum of their durations in nanoseconds,
# and by how much the text may have cut that sum: FUNCTION HITS NS CUT. Last a line "- OPEN", calls without a beginning
# and calls without an end.
#
# A call without traced callees is one line, any other an opening brace and a bare closing one, which has the duration:
# it ends the last call that its task began. The idle tasks of all CPUs share the number 0, so those are told apart by
# CPU. Durations are microseconds with three digits behind the point, fewer where seven characters do not hold them.
$0 ~ /: funcgraph_(entry|exit): / {
  if (!match($0, /-[0-9]+ +\[[0-9]+\]/)) next
  split(substr($0, RSTART + 1, RLENGTH - 1), place, / +/)
  task = place[1] == 0 ? "idle" place[2] : place[1]
  bar = index($0, "|")
  call = substr($0, bar + 1)
  gsub(/^ +| +$/, "", call)
  ns = unit = 0
  if (match(substr($0, 1, bar), /[0-9.]+ us *\|$/)) {
    figure = substr($0, RSTART, RLENGTH)
    sub(/ us.*/, "", figure)
    digits = split(figure, part, ".") == 2 ? length(part[2]) : 0
    unit = 10 ^ (3 - digits)
    ns = part[1] * 1000 + (digits ? part[2] * unit : 0)
  }
  if (call ~ /\{$/) {
    sub(/\(.*/, "", call)
    begun[task, ++depth[task]] = call
    next
  }
  if (call ~ /^\}/) {
    if (depth[task] + 0 == 0) { open++; next }
    call = begun[task, depth[task]--]
  } else {
    sub(/\(.*/, "", call)
  }
  hits[call]++
  total[call] += ns
  cut[call] += unit - 1
}
END {
  for (call in hits) printf "%s %.0f %.0f %.0f\n", call, hits[call], total[call], cut[call]
  for (task in depth) left += depth[task]
  printf "- %.0f %.0f\n", open, left
}
