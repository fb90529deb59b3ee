#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the command lines of a file of cases and compares what they print.

    run_cases.py --execz PATH [--case WORDS] FILE ...

A case begins with a line `# title` and has

    $ COMMAND        run by the shell in a folder of its own, with execz on the path
    < TEXT           a line of its standard input
    > TEXT           a line of its output
    ! TEXT           a line of its errors
    = STATUS         its exit status, when that is not 0
    ? PROGRAM        the case needs this program

and may go on with further commands. In what is expected, ... stands for any text; a line of only ... for any
lines. A Markdown file has its cases in blocks fenced as ```console, output without marks. Cases that need a
program that is not installed are skipped, and said so; they fail when CI is set.
Exit status: 0 all as expected, 1 not."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


@dataclass
class Step:
    command: str
    line: int
    input: list = field(default_factory=list)
    output: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    status: int = 0


@dataclass
class Case:
    title: str
    file: str
    steps: list = field(default_factory=list)
    needs: list = field(default_factory=list)


def read_cases(path):
    cases = []
    for n, text in enumerate(open(path, encoding="utf-8").read().splitlines(), 1):
        mark, rest = text[:2], text[2:]
        if mark == "# ":
            cases.append(Case(rest, path))
        elif mark == "$ ":
            cases[-1].steps.append(Step(rest, n))
        elif mark in ("< ", "> ", "! ") or text in "<>!" and text:
            step = cases[-1].steps[-1]
            {"<": step.input, ">": step.output, "!": step.errors}[text[0]].append(rest)
        elif mark == "? ":
            cases[-1].needs.append(rest)
        elif mark == "= ":
            cases[-1].steps[-1].status = int(rest)
        elif text.strip():
            sys.exit("%s:%d: what is '%s'?" % (path, n, text))
    return [c for c in cases if c.steps]


def read_markdown(path):
    cases, inside = [], False
    for n, text in enumerate(open(path, encoding="utf-8").read().splitlines(), 1):
        if text.startswith("```"):
            inside = text == "```console"
            if inside:
                cases.append(Case("example in line %d" % n, path))
        elif inside and text.startswith("$ "):
            cases[-1].steps.append(Step(text[2:], n))
            cases[-1].needs += re.findall(r"^\$ (clang-22)", text)
        elif inside and cases[-1].steps and cases[-1].steps[-1].command.endswith("\\"):
            cases[-1].steps[-1].command = cases[-1].steps[-1].command[:-1] + text.strip()
        elif inside:
            cases[-1].steps[-1].output.append(text)
    return cases


def matches(expected, got):
    pattern = ""
    for i, line in enumerate(expected):
        if line.strip() == "...":
            pattern += r"(?:.*\n)*"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("...")) + r"\n"
    return re.fullmatch(pattern, got) is not None


def missing_program(case):
    for program in case.needs:
        if not shutil.which(program):
            return program
    return None


def show(title, expected, got):
    print("    expected %s:\n%s    got:\n%s" % (title, "".join("      | %s\n" % l for l in expected),
                                             "".join("      | %s\n" % l for l in got.splitlines())))


def run_case(case, environment):
    with tempfile.TemporaryDirectory() as folder:
        if case.file.endswith(".md"):  # documentation speaks of files in the source tree
            for name in ("examples", "scripts"):
                os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        for step in case.steps:
            text = "".join(l + "\n" for l in step.input)
            p = subprocess.run(["bash", "-c", step.command], input=text.encode(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, cwd=folder, env=environment, timeout=120)
            out, err = p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")
            good = p.returncode == step.status and matches(step.output, out)
            good = good and (case.file.endswith(".md") or matches(step.errors, err))
            if not good:
                print("%s:%d: %s\n  $ %s" % (case.file, step.line, case.title, step.command))
                if p.returncode != step.status:
                    print("    exit status %d, expected %d" % (p.returncode, step.status))
                show("output", step.output, out)
                show("errors", step.errors, err)
                return False
    return True


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--case", help="only cases with these words in their title")
    p.add_argument("files", nargs="+")
    args = p.parse_args()
    if not os.access(args.execz, os.X_OK):
        sys.exit("no command at %s" % args.execz)
    environment = dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1",
                       ASAN_OPTIONS="allocator_may_return_null=1")  # as malloc does without it
    environment["PATH"] = os.path.dirname(os.path.abspath(args.execz)) + ":" + environment["PATH"]
    passed = failed = skipped = 0
    for path in args.files:
        for case in read_markdown(path) if path.endswith(".md") else read_cases(path):
            if args.case and args.case not in case.title:
                continue
            missing = missing_program(case)
            if missing:
                print("skipped: %s: %s (no %s here)" % (os.path.basename(path), case.title, missing))
                skipped += 1
                failed += "CI" in os.environ
            elif run_case(case, environment):
                passed += 1
            else:
                failed += 1
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed or not passed + skipped else 0


if __name__ == "__main__":
    sys.exit(main())
