-- Version 9: jobs survive a restart of the daemon, except those that end with their caller's connection.
ALTER TABLE jobs ADD COLUMN tied INTEGER NOT NULL DEFAULT 0 CHECK (tied IN (0, 1));
