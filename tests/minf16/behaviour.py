#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of behaviour.txt through `execz eval --json` and compares everything it reports.

    behaviour.py --execz PATH [--case WORDS] [--target T] [--list]

The form of a case is described at the top of behaviour.txt. Exit status: 0 all as expected, 1 not."""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "behaviour.txt")


@dataclass
class Case:
    title: str
    line: int
    on: list = field(default_factory=list)
    do: list = field(default_factory=list)
    start: dict = field(default_factory=dict)  # register -> values, as written
    options: list = field(default_factory=list)
    gives: dict = field(default_factory=dict)  # target -> {register: values} or an error's words
    source: str = ""


class BadTable(Exception):
    pass


def number(text):
    return int(text, 0)


def values(text):
    """"1,2*3,0x10..0x12" is 1, 2, 2, 2, 0x10, 0x11, 0x12."""
    out = []
    for part in text.split(","):
        if ".." in part:
            first, last = map(number, part.split(".."))
            step = 1 if last >= first else -1
            out += range(first, last + step, step)
        elif "*" in part:
            value, count = part.split("*")
            out += [number(value)] * number(count)
        else:
            out.append(number(part))
    return out


def settings(words):
    out = {}
    for w in words:
        name, equals, text = w.partition("=")
        if not equals or name in out:
            raise BadTable("expected REGISTER=VALUE once each, not %r" % w)
        out[name] = text
    return out


def load(path):
    sets, cases = {}, []

    def named(words):
        out = []
        for w in words:
            out += sets.get(w, [w])
        return out

    with open(path, encoding="utf-8") as f:
        for n, text in enumerate(f, 1):
            word, _, rest = text.strip().partition(" ")
            rest = rest.strip()
            try:
                if not word or word.startswith("#"):
                    continue
                elif word == "set":
                    name, *members = rest.split()
                    sets[name] = named(members)
                elif word == "case":
                    cases.append(Case(rest, n))
                elif word == "on":
                    cases[-1].on += named(rest.split())
                elif word == "do":
                    cases[-1].do.append(rest)
                elif word == "with":
                    cases[-1].start.update(settings(rest.split()))
                elif word in ("wave", "lanes"):
                    cases[-1].options += ["--" + word, rest]
                elif word in ("gives", "fails"):
                    where, colon, what = rest.partition(":")
                    targets = named(where.split()) if colon else cases[-1].on
                    what = what if colon else rest
                    for t in targets:
                        if t not in cases[-1].on:
                            raise BadTable("%s is not among the targets of the case" % t)
                        if word == "fails":
                            cases[-1].gives[t] = what.strip()
                        else:
                            cases[-1].gives.setdefault(t, {}).update(settings(what.split()))
                elif word == "source":
                    cases[-1].source = rest
                else:
                    raise BadTable("unknown word %r" % word)
            except (BadTable, ValueError, IndexError) as e:
                raise BadTable("%s:%d: %s" % (path, n, e)) from e
    for c in cases:
        if not (c.on and c.do and c.source) or set(c.gives) != set(c.on):
            raise BadTable("%s:%d: case %r lacks on, do, source, or a result for %s" % (
                path, c.line, c.title, " ".join(sorted(set(c.on) - set(c.gives))) or "nothing"))
    return cases


def wave_size(case, target):
    if "--wave" in case.options:
        return number(case.options[case.options.index("--wave") + 1])
    return 64 if target.startswith(("gfx8", "gfx9")) else 32


def lane_count(case, target):
    if "--lanes" in case.options:
        return number(case.options[case.options.index("--lanes") + 1])
    return wave_size(case, target)


def row(text, lanes):
    v = values(text)
    if len(v) == 1:
        v = v * lanes
    if len(v) != lanes:
        raise BadTable("%d values for %d lanes: %s" % (len(v), lanes, text))
    return v


def is_vector(register):
    return register[0] == "v" and register[1:].isdigit()


def expectation(case, target):
    """{register: what it should hold}, the changed ones alone, and the flags or None for any."""
    lanes, result, flags = lane_count(case, target), {}, set()
    for name, text in case.gives[target].items():
        if name == "flags":
            flags = None if text == "?" else {f for f in text.split(",") if f != "none"}
        elif is_vector(name):
            after, before = row(text, lanes), row(case.start.get(name, "0"), lanes)
            if after != before:
                result[name] = after
        elif number(text) != number(case.start.get(name, "0")):
            result[name] = number(text)
    return result, flags


def evaluate(execz, case, target):
    lanes = lane_count(case, target)
    start = []
    for name, text in case.start.items():
        v = values(text)
        if is_vector(name) and len(v) > 1:
            v = row(text, lanes)
        start.append("%s=%s" % (name, ",".join("0x%x" % x for x in v)))
    command = [execz, "eval", "-t", target, *case.options, "--json", "\n".join(case.do), *start]
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    return command, p


def show(result):
    parts = ["%s=%s" % (k, ",".join("%x" % x for x in v) if isinstance(v, list) else "%x" % v)
             for k, v in sorted(result.items())]
    return " ".join(parts) or "(nothing changed)"


def difference(execz, case, target):
    """None, or a text that says how execz differs."""
    command, p = evaluate(execz, case, target)
    want = case.gives[target]
    if isinstance(want, str):
        if p.returncode == 1 and want.lower() in p.stderr.lower():
            return None
        return "expected status 1 and an error with %r, got status %d: %s" % (want, p.returncode, p.stderr.strip())
    if p.returncode != 0:
        return "status %d: %s" % (p.returncode, p.stderr.strip())
    try:
        got = json.loads(p.stdout)
        flags = set(got.pop("flags"))
    except (ValueError, KeyError, AttributeError) as e:
        return "no JSON object with flags: %s: %s" % (e, p.stdout.strip())
    lanes = lane_count(case, target)
    for name, v in got.items():  # lanes beyond --lanes, where they are shown, must be as they were
        if is_vector(name) and len(v) == wave_size(case, target):
            got[name] = v[:lanes] if len(set(v[lanes:])) <= 1 else v
    registers, expected_flags = expectation(case, target)
    if got != registers:
        return "expected %s\n    got      %s" % (show(registers), show(got))
    if expected_flags is not None and flags != expected_flags:
        return "expected flags %s, got %s" % (sorted(expected_flags), sorted(flags))
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", help="the execz command to test")
    p.add_argument("--case", help="only cases whose title contains these words")
    p.add_argument("--target", help="only this target")
    p.add_argument("--list", action="store_true", help="list the cases")
    args = p.parse_args()
    cases = [c for c in load(TABLE) if not args.case or args.case.lower() in c.title.lower()]
    for c in cases:  # the whole table must make sense, whatever is run
        for t in c.on:
            if isinstance(c.gives[t], dict):
                expectation(c, t)
    if args.list:
        for c in cases:
            print("%4d  %s  (%d targets)" % (c.line, c.title, len(c.on)))
        return 0
    if not args.execz:
        p.error("--execz or --list is needed")
    runs = wrong = 0
    for c in cases:
        for t in c.on:
            if args.target and t != args.target:
                continue
            runs += 1
            text = difference(args.execz, c, t)
            if text:
                wrong += 1
                print("behaviour.txt:%d: %s: %s\n    %s\n    source: %s" % (c.line, t, c.title, text, c.source))
    print("%d cases, %d runs, %d wrong" % (len(cases), runs, wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
