# SPDX-License-Identifier: MIT
"""Do the unit tests notice a change of the code? Changes kernel/core in one token, many times.

    make mutants [MUTANTS=20] [SEED=n] [MUTATE=path[:line]]

Each mutant is a copy of one source, in build/mutants: a relation, an operator, a number, a choice
or a statement is another or gone. It is linked with those tests of its folder that have the source
in them, or compiled into those that include it, under ASan and UBSan as always.
Killed: a test fails, crashes or takes ten times as long. Survived: none does, and the machine code
is another. Survivors are for a person to look at: a test is missing, or the change has no effect.
"""

import argparse
import os
import random
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "kernel" / "core"
OWN_FLAGS = "avx"  # sources that are compiled for other instruction sets, and run where those are

HIDDEN = re.compile(
    r"/\*.*?\*/|//[^\n]*|^_Static_assert\([^;]*;|\bASSERT\([^;]*;|"
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^#(?:\\\n|[^\n])*',
    re.S | re.M,
)
OPERATORS = re.compile(r"(?<= )(<=|>=|==|!=|<|>|&&|\|\||\+=|-=|\+|-|\*|/|&|\|)(?= )")
INSTEAD = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "+": "-", "-": "+", "*": "/", "/": "*",
    "&": "|", "|": "&",
}  # fmt: skip
ONES = re.compile(r" [+-] 1\b(?![.\w])")
NUMBERS = re.compile(r"(?<![\w.])(0x[0-9a-f]+|\d+)(?=[uUlL]*\b)(?!\.)")
ARRAY = re.compile(r" +(?!return\b)(?:[a-z]\w* )+[^=;(){}]*?\b(\w+)\[")
CHOICES = re.compile(r"\? (?P<yes>-?\w+) : (?P<no>-?\w+)(?=[;,) ])")
STATEMENTS = re.compile(
    r"(?<=[;{})]\n)(?P<indent> {4,})(?:[*\w][\w.>()\[\]-]* (?:[-+*/|&^%]|<<|>>)?= [^;]*"
    r"|(?!return\b|if\b|for\b|while\b)\w+\([^;]*\)|[*\w][\w.>()\[\]-]*(?:\+\+|--)|continue);(?=\n)"
)


@dataclass(frozen=True)
class Mutant:
    path: Path
    begin: int
    end: int
    instead: str

    def text(self) -> str:
        source = self.path.read_text()
        return source[: self.begin] + self.instead + source[self.end :]

    def place(self) -> tuple[str, int]:
        line = self.path.read_text().count("\n", 0, self.begin) + 1
        return str(self.path.relative_to(ROOT)), line

    def __str__(self) -> str:
        path, line = self.place()
        old, new = (
            " ".join(text.splitlines()[line - 1].split())
            for text in (self.path.read_text(), self.text())
        )
        return f"{path}:{line}: {old}  ->  {new}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """What is changed is code only: no comment, text or preprocessor line; nor an assertion, of
    which a caller that keeps to the contract sees nothing; nor is an array made larger, unless
    something takes its size."""
    code = HIDDEN.sub(lambda m: re.sub(r"[^\n]", "~", m[0]), path.read_text())
    for match in OPERATORS.finditer(code):
        yield Mutant(path, *match.span(), INSTEAD[match[0]])
    for match in ONES.finditer(code):
        yield Mutant(path, *match.span(), "")
    for match in NUMBERS.finditer(code):
        before = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        array = ARRAY.fullmatch(before)
        if array and not re.search(rf"(sizeof|COUNT)\([^)]*\b{array[1]}\b", code):
            continue
        more = int(match[1], 0) + 1
        yield Mutant(path, *match.span(), hex(more) if "x" in match[1] else str(more))
    for match in CHOICES.finditer(code):
        yield Mutant(path, *match.span(), f"? {match['no']} : {match['yes']}")
    for match in STATEMENTS.finditer(code):
        yield Mutant(path, match.end("indent"), match.end(), ";")


def tests_of(path: Path) -> list[Path]:
    return sorted((ROOT / "tests" / "unit" / path.parent.name).glob("test_*.c"))


def is_included(source: Path, test: Path) -> bool:
    """For what it keeps to itself."""
    return f'#include "{source.parent.name}/{source.name}"' in test.read_text()


class Bench:
    """Compiles and runs; `compiler` is a command with its flags, `library` has all of the core.
    more: {folder: what its tests are linked with besides}"""

    def __init__(
        self, build: Path, compiler: list[str], sanitizers: list[str], more: dict[str, list[str]]
    ) -> None:
        self.here = build / "mutants"
        self.library = build / "libokram.san.a"
        self.compiler = compiler
        self.sanitizers = sanitizers
        self.more = more
        self.seconds: dict[Path, float] = {}  # a test takes with what the tree has
        self.members: dict[Path, set[str]] = {}  # of the libraries, that the linker put into a test

    def compile(self, source: Path, to: Path, flags: list[str]) -> bool:
        to.parent.mkdir(parents=True, exist_ok=True)
        command = [*self.compiler, "-w", *flags, "-Itests/unit", "-c", source, "-o", to]
        return subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL).returncode == 0

    def link(self, test: Path, objects: list[Path], to: Path) -> str:
        """Returns the files that the linker took."""
        to.parent.mkdir(parents=True, exist_ok=True)
        command = [*self.compiler, *self.sanitizers, *objects]
        command += [*self.more.get(test.parent.name, []), self.library]
        command += ["-lcmocka", "-lm", "-pthread", "-Wl,--strip-debug,-t,-t", "-o", to]
        return subprocess.run(
            command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    def test_object(self, test: Path) -> Path:
        return self.here / "tests" / test.parent.name / f"{test.stem}.o"

    def prepare(self, test: Path, changed: set[str]) -> None:
        """The test as it is passes, if any of the sources that are changed is in it."""
        if not self.compile(test, self.test_object(test), self.sanitizers):
            sys.exit(f"mutants: {test} does not compile")
        program = self.test_object(test).with_suffix("")
        trace = self.link(test, [self.test_object(test)], program)
        self.members[test] = set(re.findall(r"(\w+)(?:\.\w+)*\.o\)?$", trace, re.M))
        begin = time.monotonic()
        self.members[test] |= {name for name in changed if f'/{name}.c"' in test.read_text()}
        if self.members[test] & changed and not passes(program, 600):
            sys.exit(f"mutants: {test} fails without any change")
        self.seconds[test] = time.monotonic() - begin

    def tests_with(self, source: Path) -> list[Path]:
        """Quick ones first; the test of the source's name before all."""
        tests = [test for test in tests_of(source) if source.stem in self.members[test]]
        return sorted(
            tests, key=lambda test: (test.stem != f"test_{source.stem}", self.seconds[test])
        )

    def verdict(self, number: int, mutant: Mutant) -> str:
        here = self.here / str(number)
        source, changed = here / mutant.path.parent.name / mutant.path.name, here / "changed.o"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(mutant.text())
        if not self.compile(source, changed, self.sanitizers):
            return "does not compile"
        for test in self.tests_with(mutant.path):
            program, objects = here / test.stem, [self.test_object(test), changed]
            if is_included(mutant.path, test):
                objects = [here / f"{test.stem}.o"]
                self.compile(test, objects[0], [*self.sanitizers, "-iquote", str(here)])
            self.link(test, objects, program)
            good = passes(program, 5 + 10 * self.seconds[test])
            program.unlink()
            if not good:
                return "killed"
        return "same code" if self.is_same(mutant, source, here) else "SURVIVED"

    def is_same(self, mutant: Mutant, source: Path, here: Path) -> bool:
        """Of both, under one name, the compiler makes the same."""
        objects = []
        for text in (mutant.text(), mutant.path.read_text()):
            source.write_text(text)
            if not self.compile(source, here / "plain.o", ["-g0"]):
                return False
            objects.append((here / "plain.o").read_bytes())
        return objects[0] == objects[1]


def passes(program: Path, seconds: float) -> bool:
    """The first check that fails ends it. All cases are tried (tests/unit/unit.h)."""
    env = {**os.environ, "CMOCKA_TEST_ABORT": "1", "UNIT_ALL": "1"}
    try:
        ran = subprocess.run([program], cwd=ROOT, env=env, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return ran.returncode == 0


def chosen(only: str, count: int, seed: int) -> list[Mutant]:
    paths = [path for path in sorted(CORE.rglob("*.c")) if OWN_FLAGS not in path.stem]
    path, _, line = only.partition(":")
    found = [
        mutant
        for source in paths
        if str(source.relative_to(ROOT)).startswith(path) and tests_of(source)
        for mutant in mutants_of(source)
        if not line or mutant.place()[1] == int(line)
    ]
    return found if only else random.Random(seed).sample(found, min(count, len(found)))


def libraries(text: str) -> dict[str, list[str]]:
    """Of words FOLDER=FILE."""
    of: dict[str, list[str]] = {}
    for word in text.split():
        folder, _, file = word.partition("=")
        of.setdefault(folder, []).append(file)
    return of


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", default="", help="all mutants of a path, or of one line of it")
    arguments = parser.parse_args()
    seed = random.randrange(10**6) if arguments.seed is None else arguments.seed

    mutants = chosen(arguments.only, arguments.count, seed)
    if not mutants:
        sys.exit(f"mutants: nothing to change in {arguments.only or CORE}")
    bench = Bench(
        arguments.build.absolute(),
        shlex.split(os.environ["MUTANTS_CC"]),
        shlex.split(os.environ["MUTANTS_SAN"]),
        libraries(os.environ["MUTANTS_LIBS"]),
    )
    verdicts: Counter[str] = Counter()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        tests = sorted({test for mutant in mutants for test in tests_of(mutant.path)})
        changed = {mutant.path.stem for mutant in mutants}
        list(pool.map(bench.prepare, tests, repeat(changed)))
        ends = pool.map(bench.verdict, range(len(mutants)), mutants)
        for mutant, verdict in zip(mutants, ends):
            print(f"{verdict:16} {mutant}", flush=True)
            verdicts[verdict] += 1
    counts = ", ".join(f"{count} {verdict.lower()}" for verdict, count in verdicts.most_common())
    print(f"{len(mutants)} mutants, SEED={seed}: {counts}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
