"""Damaged, odd and hostile tables, and what the commands say to them.

A seed stands for a table and for the commands that are called on it. They are called in a process
of its own with bounds on memory and processor time: a reader that crashes is a failure of one
table, and those after it are still tried.
"""

import bz2
import gzip
import io
import json
import logging
import lzma
import os
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import typer
from patients import call, patients
from pyarrow import ipc, parquet

import broadlearn

PACKAGE = Path(broadlearn.__file__).parent
FORMATS = ("csv", "tsv", "json", "jsonl", "arff", "xlsx", "parquet", "feather", "arrow")
PACKINGS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: pa.compress(content, codec="zstd", asbytes=True),
}
# Of the process that reads the tables, none of which has more than some megabytes.
MAX_ADDRESSES = 6 << 30
MAX_RESIDENT = 1 << 30
MAX_SECONDS = 60
ODD_FIELDS = (
    "1e999", "-1e999", "inf", "nan", "0x1F", "١٢٣", "1_000", "1,5", "1.234.567", "NULL", "", " ",
    '"', '""', '"a', "'", "\\", "\x1b[2J", "\u202e", "\ufeff", "=cmd()", "9" * 400, "-", "#", "%s",
    "{}", "x" * 200_000, "1e-400", "true", "2024-02-30", "99:99", "∞", "½", "1/2", "a\nb", "\r",
    "\0", "- " * 50, "1" + " " * 90 + "x", "9" * 400 + "/2", "1h " + "9" * 400 + "min",
    "9999-12-31", "9999999999999999999999", "-0", "+1", "10^400", "５",
)  # fmt: skip
ODD_CELLS = (
    10**400, -(10**400), 2**63, 2**64, 1e308, -0.0, True, None, [], [1, 2], {}, {"a": {"b": [{}]}},
    "", "\ud800", "\0", "\U0001f600", [[None]], 0.1,
)  # fmt: skip
ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-7", "cp037")


def mutant(rng):
    """Name and content of a file."""
    form = FORMATS[rng.integers(len(FORMATS))]
    frame = _odd_frame(rng) if rng.random() < 0.5 else patients(30, int(rng.integers(5)))
    content = written(frame, form, rng)
    if form in ("csv", "tsv", "json", "jsonl", "arff") and rng.random() < 0.5:
        content = _odd_text(content.decode(), rng)
    if rng.random() < 0.35:
        content = _damaged(content, rng)
    if form == "xlsx" and rng.random() < 0.5:
        content = _odd_workbook(content, rng)
    name = f"t.{form}"
    if rng.random() < 0.15:
        ending = list(PACKINGS)[rng.integers(len(PACKINGS))]
        content, name = PACKINGS[ending](content), name + ending
        if rng.random() < 0.5:
            content = _damaged(content, rng)
    return name, content


def written(frame, form, rng):
    """A frame as the bytes of a file."""
    buffer = io.BytesIO()
    if form in ("csv", "tsv"):
        return frame.to_csv(index=False, sep="," if form == "csv" else "\t").encode(
            "utf-8", "replace"
        )
    if form in ("json", "jsonl"):
        records = json.loads(frame.to_json(orient="records"))
        if rng.random() < 0.3:
            for _ in range(3):
                record = records[rng.integers(len(records))]
                name = list(record)[rng.integers(len(record))]
                record[name] = ODD_CELLS[rng.integers(len(ODD_CELLS))]
            if form == "json":
                return json.dumps(records).encode()
        if form == "jsonl":
            return "\n".join(map(json.dumps, records)).encode()
        return json.dumps(
            records if len(frame) % 2 else frame.to_dict("list"), default=str
        ).encode()
    if form == "arff":
        names = "".join(f"@attribute '{name}' string\n" for name in frame)
        return f"@relation t\n{names}@data\n{frame.to_csv(index=False, header=False)}".encode(
            "utf-8", "replace"
        )
    if form == "xlsx":
        printable = frame.map(_without_controls).rename(columns=_without_controls)
        printable.to_excel(buffer, index=False)
        return buffer.getvalue()
    table = pa.Table.from_pandas(frame)
    if rng.random() < 0.4:
        place = int(rng.integers(frame.shape[1]))
        column = _odd_array(len(frame), rng)
        try:
            return _by_arrow(table.set_column(place, table.column_names[place], column), form)
        except pa.ArrowException:  # Not all formats have all types.
            pass
    return _by_arrow(table, form)


def fault_of(done):
    """What is wrong with how a command ended; nothing if it did its work or said why not."""
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return f"{type(done.exception).__name__}: {str(done.exception)[:200]}"
    if done.exit_code not in (0, 2):
        return f"exit code {done.exit_code}"
    if "Traceback" in done.output:
        return "a traceback"
    if done.exit_code == 2:
        said = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
        if len(said) != 1 or len(said[0]) > 1100 or not said[0].endswith((".", "…", "?")):
            return f"not one sentence: {done.stderr[:200]!r}"
        error = _raised(done.exception)
        frames = traceback.extract_tb(error.__traceback__)
        if not isinstance(error, OSError) and PACKAGE not in Path(frames[-1].filename).parents:
            return f"the words of a library: {said[0][:200]}, {frames[-1]}"
        if not isinstance(error, (ValueError, OSError)):
            return f"{type(error).__name__}: {said[0][:200]}"
    return ""


def faults(path, model, rng):
    """What is wrong with the answers of the commands to a file, by command."""
    limit, new = ("--max-memory", "300MB"), path.with_name("new.blm")
    calls = [("inspect", path, "-t", "ill", *limit)]
    if rng.random() < 0.25:
        calls.append(("predict", model, path, *limit))
    if rng.random() < 0.2:
        calls.append(("fit", path, "-t", "ill", "-m", "bls", "-o", new, "--force", *limit))
    if rng.random() < 0.05:
        calls.append(("evaluate", model, path, *limit))
    if rng.random() < 0.05:
        calls.append(("audit", path, "-t", "ill", *limit))
    found = {arguments[0]: fault_of(call(*arguments)) for arguments in calls}
    return {command: fault for command, fault in found.items() if fault}


def run(seeds, child="from faults import table_mutants; table_mutants.answer()"):
    """Yield of each seed the name of its table, and what is wrong by command."""
    seeds = list(seeds)
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    while seeds:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-c", child, folder, *map(str, seeds)],
                env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
                capture_output=True,
                text=True,
                timeout=3600,
                check=False,
            )
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        for seed, (name, found) in zip(seeds, answers[1::2], strict=False):
            yield seed, name, found
        seeds = seeds[len(answers) // 2 :]
        if seeds:
            assert len(answers) % 2, f"no table was tried: {done.stderr[-2000:]}"
            how = f"the process ended with {done.returncode}: {done.stderr[-500:]}"
            yield seeds.pop(0), answers[-1], {"process": how}


def answer():
    """Try the seeds that the command line names; print a line before each, and one after it."""
    import resource
    import signal

    folder, seeds = Path(sys.argv[1]), [int(text) for text in sys.argv[2:]]
    # Of the libraries that read damaged files.
    warnings.simplefilter("ignore")
    logging.disable()
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESSES, MAX_ADDRESSES))
    patients().to_csv(folder / "good.csv", index=False)
    model = folder / "good.blm"
    done = call("fit", folder / "good.csv", "-t", "ill", "-m", "bls", "-o", model)
    assert done.exit_code == 0, done.output
    for seed in seeds:
        rng = np.random.default_rng(seed)
        name, content = mutant(rng)
        (folder / name).write_bytes(content)
        print(json.dumps(name), flush=True)
        # The signal ends the process.
        signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
        found = faults(folder / name, model, rng)
        signal.setitimer(signal.ITIMER_PROF, 0)
        resident = _peak_memory()
        if resident > MAX_RESIDENT:
            sys.exit(f"{resident >> 20} MB were taken")
        print(json.dumps([name, found]), flush=True)
        (folder / name).unlink()


def _peak_memory():
    """The most bytes that this process had (Linux), where `ru_maxrss` may be its parent's."""
    if sys.platform != "linux":
        return 0
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) << 10


def _raised(error):
    """What made a command end."""
    while (earlier := error.__cause__ or error.__context__) is not None:
        error = earlier
        if not isinstance(error, (SystemExit, typer.Exit)):
            break
    return error


def _without_controls(cell):
    if not isinstance(cell, str):
        return cell
    # Nor formulas, which have no value before Excel has opened them.
    return "".join(mark for mark in cell if mark.isprintable()).lstrip("=")[:30_000]


def _odd_frame(rng):
    frame = patients(30, int(rng.integers(5)))
    frame = frame.astype({"town": object, "id": object, "ill": object})
    for _ in range(rng.integers(1, 5)):
        name = frame.columns[rng.integers(frame.shape[1])]
        kind = rng.integers(7)
        if kind == 0:
            frame[name] = rng.choice(np.array([1e308, -1e308, 5e-324, 0.0, 1e200]), len(frame))
        elif kind == 1:
            frame[name] = frame[name].astype(str)
            frame.loc[rng.integers(len(frame), size=3), name] = _odd_field(rng).replace("\0", "")
        elif kind == 2:
            frame[name] = None
        elif kind == 3:
            frame = frame.rename(columns={name: _odd_field(rng).replace("\0", "")[:12_000]})
        elif kind == 4:
            frame = frame.iloc[: rng.integers(4)]
        elif kind == 5:
            frame[name] = pd.Timestamp("1677-09-22") + pd.to_timedelta(range(len(frame)), "h")
        else:
            frame = frame.drop(columns=name)
        if frame.shape[1] < 2 or not len(frame) or not frame.columns.is_unique:
            return patients(30, 0)
    return frame.reset_index(drop=True)


def _by_arrow(table, form):
    buffer = io.BytesIO()
    if form == "parquet":
        parquet.write_table(table, buffer)
    else:
        make = ipc.new_stream if form == "arrow" else ipc.new_file
        with make(buffer, table.schema) as writer:
            writer.write_table(table, max_chunksize=16)
    return buffer.getvalue()


def _odd_array(n, rng):
    """A column of a type that tables seldom have."""
    numbers, unit = pa.array(rng.integers(0, 100, n)), str(rng.choice(["s", "ms", "us", "ns"]))
    kinds = {
        "list": lambda: pa.array([[1, 2]] * n),
        "struct": lambda: pa.array([{"a": 1, "b": {"c": None}}] * n),
        "map": lambda: pa.array([[("k", 1)]] * n, pa.map_(pa.string(), pa.int64())),
        "binary": lambda: pa.array([b"\xff\0"] * n),
        "decimal": lambda: numbers.cast(pa.decimal256(76, 50)),
        "time": lambda: numbers.cast(pa.int32()).cast(pa.time32("s")),
        "date": lambda: pa.array([-700_000 + i for i in range(n)], pa.int32()).cast(pa.date32()),
        "far": lambda: pa.array([2**45 + i for i in range(n)], pa.timestamp("s")),
        "far zone": lambda: pa.array([2**45] * n, pa.timestamp("s", "Asia/Tokyo")),
        "end": lambda: pa.array(
            [(-1) ** i * (2**63 - 1 - i) for i in range(n)], pa.timestamp(unit)
        ),
        "zone": lambda: numbers.cast(pa.timestamp(unit, str(rng.choice(["Asia/Tokyo", "Mars"])))),
        "last day": lambda: pa.array([2**31 - 1 - i for i in range(n)], pa.int32()).cast(
            pa.date32()
        ),
        "day": lambda: pa.array([2**40 * 86_400_000 // 2**20 * i for i in range(n)]).cast(
            pa.date64()
        ),
        "clock": lambda: numbers.cast(pa.time64("ns")),
        "late": lambda: pa.array([10**6] * n, pa.int32()).cast(pa.time32("s")),
        "period": lambda: pa.ExtensionArray.from_storage(
            pd.period_range("2000", periods=1, freq="D").array.__arrow_array__().type,
            pa.array([int(rng.integers(1, 2**62)) for i in range(n)]),
        ),
        "text": lambda: numbers.cast(pa.string()).cast(pa.binary()),
        "levels": lambda: numbers.cast(
            [pa.timestamp("s"), pa.duration("ms"), pa.decimal128(20)][rng.integers(3)]
        ).dictionary_encode(),
        "equal": lambda: pa.DictionaryArray.from_arrays(
            pa.array([i % 2 for i in range(n)]), pa.array([b"a", b"a"])
        ),
        "union": lambda: pa.UnionArray.from_sparse(
            pa.array([i % 2 for i in range(n)], pa.int8()), [numbers, pa.array(["x"] * n)]
        ),
        "runs": lambda: pa.RunEndEncodedArray.from_arrays(pa.array([n], pa.int32()), ["x"]),
        "span": lambda: pa.array([(1, i, 3) for i in range(n)], pa.month_day_nano_interval()),
        "duration": lambda: numbers.cast(pa.duration(unit)),
        "null": lambda: pa.nulls(n),
        "dictionary": lambda: pa.DictionaryArray.from_arrays(
            pa.array([i % 2 for i in range(n)]), pa.array(["a", None])
        ),
        "unsigned": lambda: pa.array([2**64 - 1 - i for i in range(n)], pa.uint64()),
        "half": lambda: pa.array(np.arange(n).astype(np.float16)),
        "large": lambda: pa.array(["x"] * n, pa.large_string()),
        "no text": lambda: pa.Array.from_buffers(
            pa.string(), n, pa.array([b"\xff\xfe"] * n).buffers()
        ),
        "flags": lambda: pa.array([(True, False, None)[i % 3] for i in range(n)]),
    }
    return list(kinds.values())[rng.integers(len(kinds))]()


def _odd_field(rng):
    return str(ODD_FIELDS[rng.integers(len(ODD_FIELDS))])


def _odd_text(text, rng):
    lines = text.split("\n")
    for _ in range(rng.integers(1, 3)):
        i = int(rng.integers(len(lines)))
        mark = str(rng.choice(list(',;\t| "')))
        kind = rng.integers(9)
        if kind == 0:
            lines[i] = lines[i] + mark * int(rng.integers(1, 4))
        elif kind == 1:
            lines[i] = lines[i].partition(",")[2]
        elif kind == 2:
            parts = lines[i].split(",")
            parts[rng.integers(len(parts))] = _odd_field(rng)
            lines[i] = ",".join(parts)
        elif kind == 3:
            lines.insert(
                i, str(rng.choice(["", "# remark", "Total,,,", " ", "\x1a", "a b c", ";;;"]))
            )
        elif kind == 4:
            lines[i] *= min(int(rng.integers(2, 3000)), 1 + 1_000_000 // (1 + len(lines[i])))
        elif kind == 5:
            lines = [line.replace(",", mark) for line in lines]
        elif kind == 6:
            lines[i] = lines[i].replace('"', "") + '"'
        elif kind == 7:
            lines[0] = ",".join(["a"] * (lines[0].count(",") + 1))
        else:
            del lines[i]
            lines = lines or [""]
    end = str(rng.choice(["\n", "\r\n", "\r"]))
    encoding = ENCODINGS[rng.integers(len(ENCODINGS))] if rng.random() < 0.4 else "utf-8"
    return end.join(lines).encode(encoding, "replace")


def _damaged(content, rng):
    data = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        if not data:
            break
        i = int(rng.integers(len(data)))
        kind = rng.integers(5)
        if kind == 0:
            data[i] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            data[i] = int(rng.choice([0, 10, 13, 34, 44, 255]))
        elif kind == 2:
            del data[i:]
        elif kind == 3:
            data[i:i] = data[max(0, i - 50) : i] * int(rng.integers(1, 20))
        else:
            del data[i : i + int(rng.integers(1, 30))]
    return bytes(data)


def _odd_workbook(content, rng):
    """The workbook with one of its parts damaged, all checksums right."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError, ValueError, EOFError):
        return content
    except RuntimeError:  # A part is said to be encrypted.
        return content
    name = list(parts)[rng.integers(len(parts))]
    parts[name] = _damaged(parts[name], rng)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, text in parts.items():
            archive.writestr(part, text)
    return buffer.getvalue()
