# SPDX-License-Identifier: Apache-2.0
"""Piglit's OpenCL program tests: the notation in which they say what to run and what comes out.

A file is OpenCL C whose first comment (/*! ... !*/), or the whole file where it ends in .program_test, holds
sections [config] and [test] of `key: value` lines. A [test] inherits what [config] says. Notation:
Piglit, tests/cl/doc_program.cl."""
import math
import os
import re
import struct
from dataclasses import dataclass, field

FORMATS = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q",
           "ulong": "Q", "half": "e", "float": "f", "double": "d"}
MANTISSA = {"half": 10, "float": 23, "double": 52}


class Unsupported(Exception):
    """A test that asks for something this runner does not offer; says what."""


@dataclass
class Argument:
    index: int
    kind: str            # "value", "buffer" or "null"
    type: str            # of an element, such as "int"
    width: int           # elements of a vector, 1 to 16
    values: list         # numbers, one for each element; empty for "null"
    size: int            # bytes
    tolerance: float = 0.0
    ulp: bool = False

    def bytes(self):
        # a vector of 3 takes the room of 4; OpenCL C, "Alignment of Types"
        out = b""
        for at in range(0, len(self.values), self.width):
            row = self.values[at:at + self.width]
            out += pack(self.type, row + [0] * (1 if self.width == 3 else 0))
        return out


@dataclass
class Test:
    name: str
    kernel: str
    grid: list
    block: list
    offset: list
    inputs: list
    outputs: list
    expect_fail: bool


@dataclass
class Program:
    path: str
    source: str
    options: str
    config: dict
    tests: list = field(default_factory=list)


def pack(type_, values):
    if type_ in MANTISSA:
        return struct.pack("<%d%s" % (len(values), FORMATS[type_]), *[fit(type_, v) for v in values])
    mask = (1 << (8 * struct.calcsize(FORMATS[type_]))) - 1
    unsigned = FORMATS[type_].upper()
    return struct.pack("<%d%s" % (len(values), unsigned), *[int(v) & mask for v in values])


def fit(type_, value):
    """The nearest value of the type; too large is infinity."""
    try:
        return struct.unpack("<" + FORMATS[type_], struct.pack("<" + FORMATS[type_], value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def unpack(type_, data):
    return list(struct.unpack("<%d%s" % (len(data) // struct.calcsize(FORMATS[type_]), FORMATS[type_]), data))


def number(word, type_):
    if type_ not in MANTISSA:
        return int(word, 0)
    if re.match(r"[-+]?0[xX]", word):
        return float.fromhex(word) if "p" in word.lower() else float(int(word, 16))
    return float(word)


def lines(text):
    """Lines without comments; a backslash at the end, maybe before a comment, takes the next one in."""
    whole = ""
    for line in text.split("\n"):
        line = line.split("#", 1)[0].rstrip()
        if line.endswith("\\"):
            whole += line[:-1] + " "
            continue
        yield (whole + line).strip()
        whole = ""


def sections(text):
    current = None
    for line in lines(text):
        named = re.fullmatch(r"\[(\w+)( \w+)?\]", line)
        if named:
            current = (line[1:-1], [])
            yield current
        elif current and ":" in line:
            key, value = line.split(":", 1)
            current[1].append((key.strip(), value.strip().strip('"')))


def argument(text):
    words = text.split()
    index, words = int(words[0]), words[1:]
    buffer = words[0] == "buffer"
    if words[0] in ("image", "sampler"):
        raise Unsupported("image or sampler arguments")
    if buffer:
        words = words[1:]
    shape = re.fullmatch(r"([a-z]+?)(\d*)(?:\[(\d+)\])?", words[0])
    if not shape or shape[1] not in FORMATS:
        raise Unsupported("type " + words[0])
    type_, width, count = shape[1], int(shape[2] or 1), int(shape[3] or 1)
    total = width * count
    words = words[1:]
    tolerance, ulp = 0.0, False
    if "tolerance" in words:
        at = words.index("tolerance")
        tolerance, ulp = float(words[at + 1]), words[at + 2:at + 3] == ["ulp"]
        words = words[:at]
    size = count * (4 if width == 3 else width) * struct.calcsize(FORMATS[type_])
    if words[:1] == ["NULL"]:
        return Argument(index, "null", type_, width, [], size)
    if words[:1] == ["random"]:
        values = [(i * 7919 + 13) % 127 for i in range(total)]
    elif words[:1] == ["repeat"]:
        pattern = [number(w, type_) for w in words[1:]]
        values = [pattern[i % len(pattern)] for i in range(total)]
    else:
        values = [number(w, type_) for w in words]
    if len(values) != total:
        raise ValueError("argument %d has %d values, its type says %d" % (index, len(values), total))
    return Argument(index, "buffer" if buffer else "value", type_, width, values, size, tolerance, ulp)


def dimensions(settings, key, default):
    n = int(settings.get("dimensions", 1))
    given = [int(w) for w in settings.get(key, "").split()] or default
    return given[:n] + [default[0]] * (n - len(given))


def test(settings, arguments):
    made = Test(settings.get("name", ""), settings.get("kernel_name", ""), dimensions(settings, "global_size", [1]),
                dimensions(settings, "local_size", [1]), dimensions(settings, "global_offset", [0]), [], [],
                settings.get("expect_test_fail") == "true")
    if "local_size" not in settings:  # any size that divides the grid
        made.block[0] = next(n for n in (64, 32, 16, 8, 4, 3, 2, 1) if made.grid[0] % n == 0)
    for key, text in arguments:
        (made.inputs if key == "arg_in" else made.outputs).append(argument(text))
    return made


def read(path):
    """The Program of a file, or None where it is no program test. A test that asks for what is not offered stands
    in `tests` as its Unsupported."""
    text = open(path, errors="replace").read()
    source = text
    if path.endswith(".program_test"):
        text, _, source = text.partition("[program source]")
    else:
        comment = re.search(r"/\*!(.*?)!\*/", text, re.S)
        if not comment:
            return None
        text = comment[1]
    found = list(sections(text))
    if not found or found[0][0] != "config":
        return None
    config = dict(found[0][1])
    if "program_source_file" in config:
        source = open(os.path.join(os.path.dirname(path), config["program_source_file"]), errors="replace").read()
    program = Program(path, source, config.get("build_options", ""), config)
    for name, pairs in found[1:]:
        if name != "test":
            continue
        settings = dict(config, **dict(p for p in pairs if not p[0].startswith("arg_")))
        try:
            program.tests.append(test(settings, [p for p in pairs if p[0] in ("arg_in", "arg_out")]))
        except Unsupported as lack:
            program.tests.append(lack)
    return program


def ulps(type_, a, b):
    """Units in the last place of `b` between a and b."""
    least = {"half": -14, "float": -126, "double": -1022}[type_]
    exponent = max(math.frexp(b)[1] - 1, least) if b else least
    return abs(a - b) / math.ldexp(1.0, exponent - MANTISSA[type_])


def equal(argument_, got, want):
    if argument_.type not in MANTISSA:
        return abs(got - want) <= argument_.tolerance
    want = fit(argument_.type, want)
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) and math.isnan(got)
    if math.isinf(want) or math.isinf(got) or got == want:
        return got == want
    if argument_.ulp:
        return ulps(argument_.type, got, want) <= argument_.tolerance
    return abs(got - want) <= argument_.tolerance


def difference(argument_, data):
    """None, or a line that says where `data` is not what the test expects."""
    got = unpack(argument_.type, data)
    step = 4 if argument_.width == 3 else argument_.width
    for i, want in enumerate(argument_.values):
        at = i // argument_.width * step + i % argument_.width
        if argument_.type not in MANTISSA:
            want = unpack(argument_.type, pack(argument_.type, [want]))[0]
        if not equal(argument_, got[at], want):
            return "argument %d, element %d: %r, expected %r (tolerance %g%s)" % (
                argument_.index, i, got[at], want, argument_.tolerance, " ulp" if argument_.ulp else "")
    return None
