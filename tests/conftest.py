"""Fixtures of several rooms: small ensembles, studies without processes, and headless Chromium."""

import json
import shutil
from concurrent.futures import Executor, Future

import pytest

from broadlearn.ensemble.candidates import KERNELS

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--disable-dev-shm-usage"
)


class _Inline(Executor):
    """Runs units at once, in this process."""

    def submit(self, function, /, *arguments, **options):
        future = Future()
        future.set_result(function(*arguments, **options))
        return future

    def shutdown(self, wait=True, *, cancel_futures=False, kill_workers=False):
        pass


@pytest.fixture
def few_kernels(monkeypatch):
    """Ensembles that compare a few of their kernels."""
    monkeypatch.setattr("broadlearn.ensemble.fitting.KERNELS", KERNELS[::7])


@pytest.fixture
def inline_units(monkeypatch):
    """Studies that start no processes."""
    monkeypatch.setattr("broadlearn.study.running.start_worker", _Inline)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium, its log kept."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if not (chromium and chromedriver):
        pytest.skip("there is no Chromium with its chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    yield driver
    driver.quit()


@pytest.fixture
def visit(browser):
    """Opens a page and gives what the console says, and all that is asked for from outside it."""

    def open_page(page):
        browser.get_log("performance")
        browser.get_log("browser")
        browser.get(page.as_uri())
        console = browser.get_log("browser")
        log = browser.get_log("performance")
        events = [json.loads(entry["message"])["message"] for entry in log]
        requests = {
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
            and event["params"]["documentURL"] == page.as_uri()
        }
        return console, {url for url in requests if not url.startswith("data:")}

    return open_page
