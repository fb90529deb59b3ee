# SPDX-License-Identifier: Apache-2.0
"""Random OpenCL C kernels on whole numbers, the same for the same seed, whose results the language defines: sums wrap
in unsigned types, shifts and divisors are in range, barriers are met by all, atomics give the same in any order.

Each has the signature  kernel void NAME(global const uint *in, global uint *out, global uint *shared):  it reads IN
words of `in`, writes WORDS words of `out` for each work-item and updates SHARED words of `shared` atomically."""
import random

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
BASES = list(BITS)
WIDTHS = [1, 1, 1, 2, 3, 4, 8]
BLOCK, IN, WORDS, SHARED = 64, 1024, 4, 16
COMPONENTS = "01234567"


def unsigned(base):
    return base if base[0] == "u" else "u" + base


def signed(base):
    return base.lstrip("u")


def of(base, width):
    return base if width == 1 else base + str(width)


def wide(base):
    """The unsigned type in which a scalar is computed, so that nothing overflows."""
    return "ulong" if BITS[base] == 64 else "uint"


class Kernel:
    def __init__(self, name, seed):
        self.name, self.random = name, random.Random(seed)
        self.lines, self.variables, self.count, self.indent = [], [], 0, 1
        self.has_local = self.random.random() < 0.5
        self.has_array = self.random.random() < 0.4

    # ---- expressions: text whose type is exactly of(base, width) ----

    def constant(self, base, width):
        edge = [0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 2**63, 2**64 - 1]
        value = self.random.choice(edge) if self.random.random() < 0.5 else self.random.getrandbits(64)
        return "(%s)(%s)%dul" % (of(base, width), base, value % 2 ** BITS[base])

    def leaf(self, base, width):
        same = [v for v in self.variables if v[1:] == (base, width)]
        if same and self.random.random() < 0.7:
            return self.random.choice(same)[0]
        convertible = [v for v in self.variables if v[2] == width]
        if convertible and self.random.random() < 0.7:
            name, other, _ = self.random.choice(convertible)
            sat = "_sat" if self.random.random() < 0.3 else ""
            return name if other == base else "convert_%s%s(%s)" % (of(base, width), sat, name)
        if self.random.random() < 0.6:
            words = ["(%s)in[(%s + %du) & %du]" % (base, self.random.choice(["gid", "lid", "gid * 5u"]),
                                                 self.random.randrange(IN), IN - 1) for _ in range(width)]
            return words[0] if width == 1 else "(%s)(%s)" % (of(base, width), ", ".join(words))
        return self.constant(base, width)

    def expression(self, base, width, depth, root=False):
        if depth <= 0 or (not root and self.random.random() < 0.1):
            return self.leaf(base, width)
        kinds = [self.arithmetic, self.arithmetic, self.shift, self.shift, self.divide, self.choose, self.choose, self.function,
                 self.function, self.function, self.convert, self.complement]
        if width > 1:
            kinds += [self.swizzle, self.compose]
        if BITS[base] >= 16:
            kinds.append(self.reinterpret)
        return self.random.choice(kinds)(base, width, depth - 1)

    def two(self, base, width, depth):
        return self.expression(base, width, depth), self.expression(base, width, depth)

    def arithmetic(self, base, width, depth):
        a, b = self.two(base, width, depth)
        op = self.random.choice("+-*&|^")
        if width == 1:
            return "(%s)((%s)(%s) %s (%s)(%s))" % (base, wide(base), a, op, wide(base), b)
        u = of(unsigned(base), width)
        return "as_%s(as_%s(%s) %s as_%s(%s))" % (of(base, width), u, a, op, u, b)

    def shift(self, base, width, depth):
        a, b = self.two(base, width, depth)
        t, op = of(base, width), self.random.choice(["<<", ">>"])
        masked = "(%s) & (%s)%d" % (b, t, BITS[base] - 1)
        if width > 1 and self.random.random() < 0.3:
            masked = b  # the language takes it modulo the width
        if op == "<<" and base[0] != "u":
            u = of(unsigned(base), width)
            return ("(%s)((%s)(%s) << (%s))" % (t, wide(base), a, masked) if width == 1 else
                    "as_%s(as_%s(%s) << as_%s(%s))" % (t, u, a, u, masked))
        return "(%s)((%s) %s (%s))" % (t, a, op, masked)

    def divide(self, base, width, depth):
        a, b = self.two(base, width, depth)
        t = of(base, width)
        divisor = "((%s) | (%s)1)" % (b, t) if base[0] == "u" else "(((%s) & (%s)0x3f) | (%s)1)" % (b, t, t)
        return "(%s)((%s) %s %s)" % (t, a, self.random.choice("/%"), divisor)

    def choose(self, base, width, depth):
        a, b = self.two(base, width, depth)
        c, d = self.two(base, width, depth - 1)
        op = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        if width == 1:
            return "(%s)((%s) %s (%s) ? (%s) : (%s))" % (base, c, op, d, a, b)
        return "select(%s, %s, (%s) %s (%s))" % (a, b, c, op, d)

    def function(self, base, width, depth):
        a, b = self.two(base, width, depth)
        t = of(base, width)
        two = ["mul_hi", "rotate", "min", "max", "add_sat", "sub_sat", "hadd", "rhadd"]
        ways = ["%s(%s, %s)" % (self.random.choice(two), a, b)] * 4
        ways += ["%s(%s)" % (self.random.choice(["clz", "popcount"]), a),
                 "as_%s(%s(%s))" % (t, "abs", a),
                 "as_%s(abs_diff(%s, %s))" % (t, a, b)]
        c = self.expression(base, width, depth - 1)
        ways += ["bitselect(%s, %s, %s)" % (a, b, c), "clamp(%s, min(%s, %s), max(%s, %s))" % (a, b, c, b, c)]
        if base[0] == "u":
            ways.append("mad_hi(%s, %s, %s)" % (a, b, c))
        if BITS[base] == 32:
            ways.append("mul24(%s & (%s)0x7fffff, %s & (%s)0xff)" % (self.in_brackets(a), t, self.in_brackets(b), t))
        if BITS[base] > 8:
            half = {"short": "char", "ushort": "uchar", "int": "short", "uint": "ushort", "long": "int", "ulong": "uint"}[base]
            ways.append("upsample(convert_%s(%s), convert_%s(%s))" % (of(half, width), a, of(unsigned(half), width), b))
        return self.random.choice(ways)

    @staticmethod
    def in_brackets(text):
        return "(" + text + ")"

    def convert(self, base, width, depth):
        other = self.random.choice([b for b in BASES if b != base])
        sat = "_sat" if self.random.random() < 0.4 else ""
        return "convert_%s%s(%s)" % (of(base, width), sat, self.expression(other, width, depth))

    def complement(self, base, width, depth):
        return "(%s)(~(%s))" % (of(base, width), self.expression(base, width, depth))

    def swizzle(self, base, width, depth):
        source = self.random.choice([w for w in (2, 3, 4, 8) if w >= 2])
        picks = "".join(self.random.choice(COMPONENTS[:source]) for _ in range(width))
        return "(%s).s%s" % (self.expression(base, source, depth), picks)

    def compose(self, base, width, depth):
        parts = ["(%s)(%s)" % (base, self.expression(base, 1, depth - 1)) for _ in range(width)]
        return "(%s)(%s)" % (of(base, width), ", ".join(parts))

    def reinterpret(self, base, width, depth):
        if width > 4 or width == 3:
            return self.complement(base, width, depth)
        smaller = [b for b in BASES if BITS[b] * 2 == BITS[base]]
        other = self.random.choice(smaller)
        return "as_%s(%s)" % (of(base, width), self.expression(other, width * 2, depth))

    # ---- statements ----

    def add(self, text):
        self.lines.append("    " * self.indent + text)

    def declare(self, base, width, value):
        name = "v%d" % self.count
        self.count += 1
        self.add("%s %s = %s;" % (of(base, width), name, value))
        self.variables.append((name, base, width))

    def declare_random(self, depth=3):
        base, width = self.random.choice(BASES), self.random.choice(WIDTHS)
        self.declare(base, width, self.expression(base, width, depth, root=True))

    def assign(self, depth=2):
        name, base, width = self.random.choice(self.variables)
        if width > 1 and self.random.random() < 0.3:
            self.add("%s.s%s = %s;" % (name, self.random.choice(COMPONENTS[:width]), self.expression(base, 1, depth)))
        else:
            self.add("%s = %s;" % (name, self.expression(base, width, depth, root=True)))

    def condition(self):
        base = self.random.choice(BASES)
        a, b = self.two(base, 1, 1)
        return "(%s) %s (%s)" % (a, self.random.choice(["<", ">", "==", "!="]), b)

    def body(self, statements, level):
        outside = len(self.variables)
        self.indent += 1
        for _ in range(statements):
            self.statement(level)
        self.indent -= 1
        del self.variables[outside:]

    def branch(self, level):
        self.add("if (%s) {" % self.condition())
        self.body(self.random.randint(1, 2), level + 1)
        if self.random.random() < 0.5:
            self.add("} else {")
            self.body(1, level + 1)
        self.add("}")

    def loop(self, level):
        name = "i%d" % self.count
        self.count += 1
        trips = "1u + ((uint)(%s) & 7u)" % self.expression("uint", 1, 1) if self.random.random() < 0.7 else "%du" % self.random.randint(2, 9)
        self.add("for (uint %s = 0, %s_end = %s; %s < %s_end; %s++) {" % (name, name, trips, name, name, name))
        self.add("    uint %s_now = %s;" % (name, name))
        self.variables.append((name + "_now", "uint", 1))
        self.body(self.random.randint(1, 2), level + 1)
        if self.random.random() < 0.3:
            self.add("    if (%s) %s;" % (self.condition(), self.random.choice(["break", "continue"])))
        self.variables.pop()
        self.add("}")

    def switch(self, level):
        self.add("switch ((uint)(%s) & 3u) {" % self.expression("uint", 1, 1))
        for case in range(3):
            self.add("case %d: {" % case)
            self.body(1, level + 1)
            self.add("}")
            self.add("break;" if self.random.random() < 0.8 else "/* falls through */")
        self.add("default: break;")
        self.add("}")

    def atomic(self, _):
        name = self.random.choice(["add", "sub", "xor", "or", "and", "min", "max", "inc", "dec"])
        # each has words of its own, for their results in any order are the same only one by one
        word = {"add": 0, "sub": 0, "inc": 0, "dec": 0, "xor": 2, "or": 4, "and": 6, "min": 8, "max": 10}[name]
        where = self.random.choice(["shared", "local_words"]) if self.has_local else "shared"
        target = "%s + %d + (%s & 1u)" % (where, word, self.expression("uint", 1, 1))
        if name in ("inc", "dec"):
            self.add("atomic_%s(%s);" % (name, target))
        else:
            self.add("atomic_%s(%s, %s);" % (name, target, self.expression("uint", 1, 2)))

    def array(self, _):
        self.add("array[(%s) & 7u] = %s;" % (self.expression("uint", 1, 1), self.expression("int", 1, 2)))
        self.declare("int", 1, "array[(%s) & 7u]" % self.expression("uint", 1, 1))

    def statement(self, level):
        ways = [lambda _: self.declare_random(2), lambda _: self.assign()] * 3 + [self.atomic]
        if level < 3:
            ways += [self.branch, self.loop, self.switch]
        if self.has_array:
            ways.append(self.array)
        self.random.choice(ways)(level)

    def exchange(self):
        """Local memory, where all work-items come by."""
        base = self.random.choice(BASES)
        self.add("barrier(CLK_LOCAL_MEM_FENCE);")
        self.add("((local %s *)exchange)[lid] = %s;" % (base, self.expression(base, 1, 2)))
        self.add("barrier(CLK_LOCAL_MEM_FENCE);")
        way = self.random.choice(["(lid + %du) & %du" % (self.random.randrange(1, BLOCK), BLOCK - 1), "lid ^ %du" % self.random.randrange(1, BLOCK),
                                  "(uint)(%s) & %du" % (self.expression("uint", 1, 2), BLOCK - 1)])
        self.declare(base, 1, "((local %s *)exchange)[%s]" % (base, way))

    def hashed(self, name, base, width):
        for i in range(width):
            part = name if width == 1 else "%s.s%s" % (name, COMPONENTS[i])
            fold = "(uint)%s ^ (uint)((ulong)%s >> 32)" % (part, part) if BITS[base] == 64 else "(uint)%s" % part
            self.add("h = (h ^ (%s)) * 0x9e3779b1u + %du;" % (fold, i + 1))

    def text(self):
        self.lines = ["kernel void %s(global const uint *in, global uint *out, global uint *shared) {" % self.name,
                      "    uint gid = get_global_id(0), lid = get_local_id(0), h = gid;"]
        self.variables = [("gid", "uint", 1), ("lid", "uint", 1)]
        if self.has_local:
            self.add("local ulong exchange[%d];" % BLOCK)
            self.add("local uint local_words[%d];" % SHARED)
            self.add("if (lid < %d) local_words[lid] = lid * 0x01010101u;" % SHARED)
            self.add("barrier(CLK_LOCAL_MEM_FENCE);")
        if self.has_array:
            self.add("int array[8];")
            self.add("for (int i = 0; i < 8; i++) array[i] = i * (int)lid;")
        for _ in range(self.random.randint(2, 4)):
            self.declare_random()
        self.variables = [v for v in self.variables if v[0] not in ("gid", "lid")]
        for _ in range(self.random.randint(4, 9)):
            self.statement(1)
            if self.has_local and self.random.random() < 0.4:
                self.exchange()
        if self.has_local:
            self.add("barrier(CLK_LOCAL_MEM_FENCE);")
            self.add("if (lid < %d) h ^= local_words[lid];" % SHARED)
        for i, (name, base, width) in enumerate(self.variables):
            self.hashed(name, base, width)
            if i < WORDS - 1:
                self.add("out[gid * %d + %d] = h;" % (WORDS, i))
        for i in range(min(len(self.variables), WORDS - 1), WORDS):
            self.add("out[gid * %d + %d] = h;" % (WORDS, i))
        return "\n".join([*self.lines, "}", ""])


def program(seed, count):
    """(names, source) of `count` kernels in one file."""
    names = ["random_%d_%d" % (seed, i) for i in range(count)]
    return names, "\n".join(Kernel(name, "%d/%d" % (seed, i)).text() for i, name in enumerate(names))
