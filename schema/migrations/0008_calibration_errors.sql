-- Version 8: the errors of a calibration. Standard errors of calibration_entry_ns and calibration_callee_ns, in
-- nanoseconds, from the spread of the measurement's rounds; NULL: not known, as in runs of older versions. Those measured
-- the cost once a start of the daemon, later ones right before each run.

ALTER TABLE function_profiles ADD COLUMN calibration_entry_error_ns REAL;
ALTER TABLE function_profiles ADD COLUMN calibration_callee_error_ns REAL;
