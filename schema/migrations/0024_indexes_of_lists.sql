-- Version 24: a list that finds nothing looks at no row. docs/database.md is the guide.

CREATE INDEX runs_by_traced ON runs (traced);
CREATE INDEX runs_by_traced_and_state ON runs (traced, state);
CREATE INDEX jobs_by_owner ON jobs (owner_uid);
CREATE INDEX jobs_by_name_and_label ON jobs (name, label);
