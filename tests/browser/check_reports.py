# SPDX-License-Identifier: GPL-2.0-or-later
"""Opens reports in Chromium: nothing is loaded, nothing overflows, figures are those of the JSON, tables sort.

usage: check_reports.py DIRECTORY [PICTURES]    PICTURES: a directory for a screenshot of each page and width

It talks to Chromium through a pipe (--remote-debugging-pipe), which needs no package beside Python.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WIDTHS = (400, 1600)
TABLE_WIDTHS = (1100, 1280)  # of laptops: no table loses its last columns there


class Browser:
    """Chromium without a window, and one tab of it."""

    def __init__(self, program, profile):
        ours, theirs = os.pipe(), os.pipe()  # to it, from it

        def place():
            # By way of numbers above 4: the pipes may have 3 and 4 themselves.
            first, second = os.dup2(ours[0], 10), os.dup2(theirs[1], 11)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ours[0])
        os.close(theirs[1])
        self.to, self.back = ours[1], os.fdopen(theirs[0], "rb")
        self.rest, self.last, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.back.fileno(), 1 << 16)
            if not more:
                raise RuntimeError("Chromium has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.last += 1
        request = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            message = self.message()
            if message.get("id") == self.last:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.message())

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def open(self, url, width, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events = []
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def end(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()


def complaints(events):
    """What the page said on the console, by itself or in the browser's words, and dialogs."""
    bad = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening")
    return [event for event in events if event.get("method") in bad]


def number(text):
    return float(re.match(r"<?([+-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)", text).group(1).replace(",", ""))


def is_rounded(text, value):
    """Whether the text is the value, rounded to the digits that it has."""
    digits = re.match(r"<?([+-]?[\d,]*\.?\d+)(?:e([+-]?\d+))?", text)
    decimals = len(digits.group(1).partition(".")[2]) - int(digits.group(2) or 0)
    return abs(number(text) - value) <= 0.51 * 10.0 ** -decimals


def documents(browser):
    texts = browser.evaluate(
        "Array.from(document.querySelectorAll('script[type=\"application/json\"]'), (each) => each.textContent)")
    return [json.loads(text) for text in texts]


def check_figures(browser):
    """The verdict and the table of functions against the comparison that the page has as JSON."""
    compared = next((each for each in documents(browser) if each["kind"] == "comparison"), None)
    change = browser.evaluate("document.querySelector('.change')?.textContent")
    if compared is None or change is None:
        return 0
    head = compared["comparison"]
    assert is_rounded(change, (head["ratio"] - 1) * 100), change
    assert browser.evaluate("document.querySelector('.verdict').textContent") == head["verdict"].upper()
    # The table of samples comes before it, if there is one.
    rows = browser.evaluate(
        "{ const tables = Array.from(document.querySelectorAll('#functions table'));"
        " const traced = tables.find((table) => table.caption?.textContent.includes('traced functions')) ?? tables[0];"
        " Array.from(traced?.querySelectorAll('tbody tr:not(.parting)') ?? [], (row) => Array.from(row.cells, (cell) => cell.textContent)) }")
    functions = [each for each in compared["functions"] if not each.get("not_traced")]
    assert len(rows) == len(functions), "functions are missing"
    figures = 2
    for row, function in zip(rows, functions):
        assert row[0].startswith(function["function"]), row
        for text, key in zip(row[1:4], ("cost_a", "cost_b", "shift")):
            value = function.get(key)
            assert text == "-" if value is None else is_rounded(text, value), (row, key, value)
            figures += 1
    return figures


def check_sorting(browser):
    """A click sorts the second column of each table, and says so; a second one turns the order around."""
    return browser.evaluate("""(() => {
      let sorted = 0;
      for (const table of document.querySelectorAll('table.sortable')) {
        const button = table.querySelectorAll('thead button')[1];
        for (const order of button.closest('th').classList.contains('number') ? ['descending', 'ascending'] : ['ascending', 'descending']) {
          const count = () => table.querySelectorAll('tbody tr:not(.parting)').length;
          const before = count();
          button.click();
          if (button.closest('th').getAttribute('aria-sort') !== order) throw new Error('aria-sort is not ' + order);
          if (table.querySelectorAll('[aria-sort]').length !== 1) throw new Error('two columns are sorted');
          if (count() !== before) throw new Error('rows are lost');
          if (table.querySelector('.parting')) throw new Error('a sorted table has two groups');
        }
        ++sorted;
      }
      return sorted;
    })()""")


def check_page(browser, page, pictures):
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            browser.open(page.as_uri(), width, scheme)
            wide = browser.evaluate("document.scrollingElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{page.name}: {wide} pixels wider than {width}"
            requests = [event["params"]["request"]["url"] for event in browser.events
                        if event.get("method") == "Network.requestWillBeSent"]
            assert requests == [page.as_uri()], requests
            if pictures:
                data = browser.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
                (pictures / f"{page.stem}-{width}-{scheme}.png").write_bytes(base64.b64decode(data))
    for width in TABLE_WIDTHS:
        browser.open(page.as_uri(), width, "light")
        wide = browser.evaluate("""[...document.querySelectorAll('.wide')].filter(one => one.querySelector('table'))
            .filter(one => one.scrollWidth > one.clientWidth)
            .map(one => one.ariaLabel + ': ' + one.scrollWidth + ' > ' + one.clientWidth).join('; ')""")
        assert not wide, f"{page.name} at {width}: {wide}"
    figures = check_figures(browser)
    tables = check_sorting(browser)
    pdf = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
    assert pdf.startswith(b"%PDF") and len(pdf) > 10_000, len(pdf)
    assert not complaints(browser.events), complaints(browser.events)
    if pictures:
        (pictures / f"{page.stem}.pdf").write_bytes(pdf)
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page.as_uri(), WIDTHS[0], "light")
    assert browser.evaluate("document.querySelectorAll('section').length") > 1
    assert browser.evaluate("document.querySelectorAll('thead button:enabled').length") == 0
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    print(f"{page.name}: {page.stat().st_size} bytes, {figures} figures, {tables} tables, {len(pdf)} bytes on paper")


def main():
    program = shutil.which("chromium")
    if not program:
        sys.exit("chromium is not installed, so the reports were not opened; `tools/deps test` installs it")
    pages = sorted(pathlib.Path(sys.argv[1]).resolve().glob("*.html"))
    assert pages, "no reports"
    pictures = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    if pictures:
        pictures.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            for page in pages:
                check_page(browser, page, pictures)
        finally:
            browser.end()


main()
