#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Imports documents of iperf3 of every kind and reads them again: nothing may change.

usage: reread_test.py REREAD_TEST RECORDINGS
"""

import os
import subprocess
import sys
import tempfile

import documents


def main():
    program, recordings = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as directory:
        for i, document in enumerate(documents.make(recordings)):
            with open(os.path.join(directory, str(i)), "wb") as file:
                file.write(document.data)
        environment = {**os.environ, "NETPERFD_DOCUMENTS": directory}
        return subprocess.run([program, "--gtest_filter=Identity.of_made_documents"], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
