# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the golden flame graphs: XML, nothing from elsewhere, each function there, frames within each other.

usage: check_files.py DIRECTORY
"""
import pathlib
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
FUNCTIONS = {
    "samples.svg": {
        "all": 3000, "iperf3": 1800, "others": 1200, "do_syscall_64": 1500, "tcp_sendmsg": 1500,
        "tcp_sendmsg_locked": 900, "_copy_from_iter": 900, "hsr_dev_xmit [hsr]": 600,
        "hsr_get_node [hsr]": 1680, "[user]": 300, "__netif_receive_skb_core": 1080,
        "hsr_handle_frame [hsr]": 1080, "[more]": 120, "tcp_ack": 120,
    },
    "calls.svg": {
        "all": 900, "hsr_dev_xmit [hsr]": 670, "hsr_get_node [hsr]": 500, "twin [hsr]": 270,
        "[interrupt]": 230, "hsr_handle [hsr]": 230,
    },
    "difference.svg": {
        "all": 1000000, "tcp_sendmsg": 836601, "hsr_get_node [hsr]": 326797, "rare": 3268,
        "tcp_ack": 163399,
    },
    "hostile.svg": {
        "all": 8, "a;b 7": 2, "<script>alert(1)</script>": 2, "\"'&amp;]]>": 2, "two\\x0alines 9": 2,
        "\\x1b[2J\\x01\\x7f": 2, "\\u202eright to left": 2, "\\ufffe\\uffff": 2, "grüße 漢字": 2, "tcp_ack": 8,
    },
}  # fmt: skip


def check_self_contained(root):
    scripts = [element for element in root.iter() if element.tag.endswith("script")]
    assert [element.tag for element in scripts] == [SVG + "script"], "one script, its own"
    assert not scripts[0].attrib
    for element in root.iter():
        assert element.tag.startswith(SVG), element.tag
        for name in element.attrib:
            assert not name.startswith("on") and "href" not in name, name
    style = root.find(SVG + "style").text
    assert "url(" not in style and "@import" not in style


def check_frames(root, expected):
    whole = int(root.get("data-whole"))
    widths, rows = {}, {}
    for group in root.iter(SVG + "g"):
        if "frame" not in (group.get("class") or "").split():
            continue
        label, left, width = group.get("data-label"), int(group.get("data-left")), int(group.get("data-width"))
        widths[label] = widths.get(label, 0) + width
        rows.setdefault(int(group.get("data-depth")), []).append((left, left + width))
        number = group.get("data-number")
        full = f"{label} {number}" if number else label
        assert group.find(SVG + "title").text.startswith(full + "\n"), label
        shown = group.find(SVG + "text").text or ""
        assert shown in (full, "") or label.startswith(shown.rstrip("…")), (shown, label)
        assert len(shown) * 7.2 <= float(group.find(SVG + "rect").get("width")), shown
    assert widths == expected, widths
    assert rows[0] == [(0, whole)]
    for depth in range(1, len(rows)):
        beside = sorted(rows[depth])
        assert all(a[1] <= b[0] for a, b in zip(beside, beside[1:])), f"frames of row {depth} overlap"
        for left, right in beside:
            below = [row for row in rows[depth - 1] if row[0] <= left and right <= row[1]]
            assert len(below) == 1, f"row {depth}: {left} to {right} has no caller"


def main():
    directory = pathlib.Path(sys.argv[1])
    assert {path.name for path in directory.glob("*.svg")} == FUNCTIONS.keys()
    for name, expected in FUNCTIONS.items():
        root = xml.parse(directory / name).getroot()
        assert root.tag == SVG + "svg"
        check_self_contained(root)
        check_frames(root, expected)


main()
