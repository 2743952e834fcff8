"""Every figure that the documentation claims: run again what is affordable, mark what is old.

`docs/evidence.csv` holds the claims. One whose benchmark prints the figure beside a limit (a line
that begins with the claim's `line`) can be run again; the others keep their figure and date.
`docs/evidence.md` is written from the file.

Run: python benchmarks/evidence.py [--minutes 15]     (0: write the page, run nothing)
"""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLAIMS, PAGE = ROOT / "docs" / "evidence.csv", ROOT / "docs" / "evidence.md"
# A figure older than this is marked.
OLD_MONTHS = 6
TOPICS = {
    "accuracy": "Accuracy",
    "study": "The published study",
    "audit": "The audit",
    "tables": "Messy tables",
    "search": "Search",
    "speed": "Speed",
    "scale": "Scale",
    "conformal": "Conformal sets",
}
HEAD = (
    "# Evidence\n\n"
    "Every figure that we claim, with the command that repeats it. Each comes from one run on the "
    "named machine; speeds\nare ratios within that run. `make evidence` repeats what takes a few "
    "minutes and writes this page from\n[evidence.csv](evidence.csv); figures older than {months} "
    "months are marked as old. The linked pages also say what was\nnot reached.\n"
)


def printed(command: str) -> str:
    """What a benchmark prints."""
    words = command.split()
    if words[0] == "python":
        words[0] = sys.executable
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command} failed: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout


def value_of(line: str, output: str) -> float:
    """The number beside its limit in the line of a benchmark that begins so."""
    found = re.search(
        rf"^{re.escape(line)}.*?(-?[\d.]+)  (?:>=|<=) \S+ +(?:ok|MISSED)$", output, re.MULTILINE
    )
    if found is None:
        raise SystemExit(f"No line of the benchmark begins with {line!r} and has a figure.")
    return float(found[1])


def machine() -> str:
    """Cores, architecture and Python of the machine."""
    return f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"


def months_ago(month: str, today: datetime.date) -> int:
    """Whole months since "2026-11"."""
    year, number = map(int, month.split("-"))
    return 12 * (today.year - year) + today.month - number


def page(claims: list[dict[str, str]], today: datetime.date) -> str:
    """The page of all claims, by topic."""
    parts = [HEAD.format(months=OLD_MONTHS)]
    for topic, title in TOPICS.items():
        parts.append(f"\n## {title}\n\n| claim | figure | command | machine | date |")
        parts.append("\n| --- | --- | --- | --- | --- |\n")
        for claim in claims:
            if claim["topic"] == topic:
                figure = claim["figure"]
                if claim["value"]:
                    figure = figure.format(value=float(claim["value"]))
                # Months are not broken in two.
                date = claim["date"].replace("-", "\N{NON-BREAKING HYPHEN}")
                if months_ago(claim["date"], today) > OLD_MONTHS:
                    date += " (old)"
                parts.append(
                    f"| {claim['claim']} ([more]({claim['page']})) | {figure} "
                    f"| `{claim['command']}` | {claim['machine']} | {date} |\n"
                )
    return "".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=15.0, help="run what takes at most this")
    options = parser.parse_args()
    with CLAIMS.open(encoding="utf-8", newline="") as file:
        claims = list(csv.DictReader(file))
    today = datetime.date.today()
    outputs: dict[str, str] = {}
    for claim in claims:
        if claim["line"] and float(claim["minutes"]) <= options.minutes:
            command = claim["command"]
            if command not in outputs:
                print(command, flush=True)
                outputs[command] = printed(command)
            claim["value"] = str(value_of(claim["line"], outputs[command]))
            claim["date"], claim["machine"] = f"{today:%Y-%m}", machine()
            print(f"  {claim['claim']}: {claim['value']}", flush=True)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(claims[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(claims)
    CLAIMS.write_text(text.getvalue(), "utf-8")
    PAGE.write_text(page(claims, today), "utf-8")


if __name__ == "__main__":
    main()
