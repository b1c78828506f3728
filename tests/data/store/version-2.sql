-- Rows of a database of version 2. old_versions_test.cpp inserts them.
INSERT INTO jobs (id, created_us, owner_uid, name, description, label, repeat, workload, protocol, direction, streams, duration_ms, bytes, omit_ms, server, local_server, client_netns, server_netns, text) VALUES (1, 1750000000000000, 1000, 'veth-tcp', 'TCP between two namespaces', 'before', 2, 'iperf3', 'tcp', 'send', 4, 10000, NULL, 1000, '10.0.0.2', 1, 'left', 'right', 'name: veth-tcp
');
INSERT INTO jobs (id, created_us, owner_uid, name, description, label, repeat, workload, protocol, direction, streams, duration_ms, bytes, omit_ms, server, local_server, client_netns, server_netns, text) VALUES (2, 1750003600000000, 0, 'watch', 'somebody else''s traffic', '', 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'name: watch
');
INSERT INTO runs (id, job, idx, state, error, started_us, ended_us, iperf3_version, client_host, client_port, server_host, server_port, mss, congestion, cpu_client_percent, cpu_server_percent, client_user_us, client_system_us) VALUES (1, 1, 1, 'finished', '', 1750000001000000, 1750000012000000, '3.12', '10.0.0.1', 41234, '10.0.0.2', 5201, 1448, 'cubic', 97.25, 41.5, 120034, 4310221);
INSERT INTO runs (id, job, idx, state, error, started_us, ended_us, iperf3_version, client_host, client_port, server_host, server_port, mss, congestion, cpu_client_percent, cpu_server_percent, client_user_us, client_system_us) VALUES (2, 1, 2, 'failed', 'the server refused the connection', 1750000020000000, NULL, '', NULL, NULL, NULL, NULL, NULL, '', NULL, NULL, NULL, NULL);
INSERT INTO runs (id, job, idx, state, error, started_us, ended_us, iperf3_version, client_host, client_port, server_host, server_port, mss, congestion, cpu_client_percent, cpu_server_percent, client_user_us, client_system_us) VALUES (3, 2, 1, 'finished', '', NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, '', NULL, NULL, NULL, NULL);
INSERT INTO traces (run, skipped, broken, clock, buffer_bytes, functions, workload_only, slice_width_ns, stacks_left_out, events, lost) VALUES (1, '', 'module hsr was unloaded', 'mono', 8388608, 73, 1, 100000000, 5, 91, 38);
INSERT INTO traces (run, skipped, broken, clock, buffer_bytes, functions, workload_only, slice_width_ns, stacks_left_out, events, lost) VALUES (3, 'locked down', '', '', 0, 0, 0, 0, 0, 0, 0);
INSERT INTO sums (run, position, direction, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (1, 0, 'send', 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO streams (run, position, direction, stream, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (1, 0, 'send', 5, 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (1, 0, 'send', 5, 1, 1, 6.1e-05, 1.000058, 0.999997, 995570483, 7964587753.137, 0, 2097152, 50, 8, 1500, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (1, 1, 'send', NULL, 1, 0, 6.1e-05, 1.000058, 0.999997, 995701555, 7965636332.387, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (1, 2, 'send', 5, 1, 0, 1.000061, 2.000058, 0.999997, 995832627, 7966684911.637, 2, 2100048, 52, 10, 1500, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (1, 3, 'send', NULL, 1, 0, 1.000061, 2.000058, 0.999997, 995963699, 7967733490.887, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO flags (run, position, code, message) VALUES (1, 0, 'sum-mismatch', 'The streams add up to 17, not 16; 17 was used.');
INSERT INTO documents (id, run, name, size, content) VALUES (1, 1, 'client.stdout', 14, X'28B52FFD200E7100007B227374617274223A207B7D7D0A');
INSERT INTO documents (id, run, name, size, content) VALUES (2, 1, 'client.stderr', 0, X'28B52FFD2000010000');
INSERT INTO trace_missing_functions (run, position, name) VALUES (1, 0, 'hsr_absent');
INSERT INTO trace_missing_functions (run, position, name) VALUES (1, 1, 'hsr_inlined');
INSERT INTO trace_only_cpus (run, position, cpu) VALUES (1, 0, 3);
INSERT INTO trace_only_cpus (run, position, cpu) VALUES (1, 1, 0);
INSERT INTO trace_cpus (run, cpu, records, bytes, lost_events, overrun, commit_overrun, dropped_events, damaged) VALUES (1, 0, 210, 65536, 2, 7, 0, 0, 0);
INSERT INTO trace_cpus (run, cpu, records, bytes, lost_events, overrun, commit_overrun, dropped_events, damaged) VALUES (1, 3, 21, 4096, 0, 0, 1, 30, 4);
INSERT INTO trace_events (run, position, name, filter, count) VALUES (1, 0, 'skb:kfree_skb', 'reason != ''CONSUMED''', 90);
INSERT INTO trace_events (run, position, name, filter, count) VALUES (1, 1, 'tcp:tcp_retransmit_skb', '', 1);
INSERT INTO trace_slices (run, event_position, slice, count) VALUES (1, 0, 1, 40);
INSERT INTO trace_slices (run, event_position, slice, count) VALUES (1, 0, 3, 49);
INSERT INTO trace_samples (run, position, event, ordinal, time_ns, cpu, pid, task) VALUES (1, 0, 'skb:kfree_skb', 1, -1500, 3, -1, '');
INSERT INTO trace_samples (run, position, event, ordinal, time_ns, cpu, pid, task) VALUES (1, 1, 'tcp:tcp_retransmit_skb', 1, 17, 0, 4711, 'iperf3');
INSERT INTO trace_samples (run, position, event, ordinal, time_ns, cpu, pid, task) VALUES (1, 2, 'skb:kfree_skb', 90, 399999999, 0, 0, 'swapper/0');
INSERT INTO trace_sample_fields (run, sample, position, name, value, is_unsigned, text) VALUES (1, 0, 0, 'reason', 2, 0, 'NOT_SPECIFIED');
INSERT INTO trace_sample_fields (run, sample, position, name, value, is_unsigned, text) VALUES (1, 0, 1, 'location', 'tcp_v4_rcv+0x1c', 0, '');
INSERT INTO trace_stacks (id, run, position, event, count, frames) VALUES (1, 1, 0, 'skb:kfree_skb', 80, 'kfree_skb+0x10
hsr_handle+0x2c [hsr]');
INSERT INTO trace_stacks (id, run, position, event, count, frames) VALUES (2, 1, 1, 'skb:kfree_skb', 10, '');
INSERT INTO trace_drops (run, position, reason, location, count) VALUES (1, 0, 'NO_SOCKET', 'tcp_v4_rcv', 60);
INSERT INTO trace_drops (run, position, reason, location, count) VALUES (1, 1, 'NOT_SPECIFIED', 'ip_rcv', 30);
INSERT INTO trace_marks (run, position, time_ns, text, user) VALUES (1, 0, 0, 'release', 0);
INSERT INTO trace_marks (run, position, time_ns, text, user) VALUES (1, 1, 200000000, 'phase 2', 1);
