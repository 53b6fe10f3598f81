# SPDX-License-Identifier: MIT
"""What the sources weigh, and how many files must be open to follow some ways: `make size`.

Lines are those of code, without comments and blank ones. A way is a list of functions, in the order
in which they are called; where a function has moved, this program says so and fails.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

WAYS = {
    "a fault -> the badram line on the screen": """
        kernel/core/march/sweep/line_ops_template.h walk_kind
        kernel/core/march/sweep/line_ops_template.h verify
        kernel/core/march/sweep/engine.c sweep_element
        kernel/run/testing/element.c element_run
        kernel/run/faults/reporter.c on_bad_line
        kernel/core/faults/log/fault_log.c fault_log_tally
        kernel/core/faults/log/fault_log.c set_bit
        kernel/run/loop/poll.c poll_due
        kernel/run/cover/cover_emit.c cover_emit_when_due
        kernel/run/cover/cover_emit.c what_is_due
        kernel/core/faults/badram/cover.c cover_derive
        kernel/core/faults/badram/cover.c collect_patterns
        kernel/core/faults/badram/cover.c badram_line_append
        kernel/event/events.c events_send
        kernel/show/screen/screen.c screen_receive
        kernel/show/screen/screen.c receive_badram
        kernel/show/screen/screen_blocks.c screen_paint_line
        kernel/core/display/grid.c grid_put
    """,
    "SIPI -> the first sweep of a CPU": """
        kernel/main.c kernel_main
        kernel/hw/cpus/smp.c smp_start
        kernel/cpu/arch/lapic.c lapic_send_startup
        kernel/cpu/arch/trampoline.asm trampoline_start
        kernel/hw/cpus/smp.c start_cpu
        kernel/hw/cpus/cpu_pool.c cpu_pool_serve
        kernel/hw/cpus/steps.c barrier_arrive
        kernel/run/testing/passes.c passes_run
        kernel/run/testing/passes.c run_main
        kernel/run/testing/rounds.c rounds_run
        kernel/run/testing/element.c sweep_steps
        kernel/hw/cpus/steps.c step_queue_claim
        kernel/layout/plan/share.c share_slice
        kernel/core/march/sweep/order.c order_section
        kernel/core/march/sweep/engine.c sweep_element
        kernel/core/march/sweep/line_ops_avx2.c line_ops_avx2
        kernel/core/march/sweep/line_ops_template.h fill
    """,
    "an option word -> its effect (tests=)": """
        kernel/run/start/take_over.c read_options
        kernel/core/formats/options/words.c word_next
        kernel/core/formats/options/options.c options_parse
        kernel/core/formats/options/options.c set_text
        kernel/core/formats/options/options.c option_tests
        kernel/core/march/sweep/tests.c tests_select
    """,
    "a key of PS/2 -> its effect (q)": """
        kernel/show/console/keyboard.c keyboard_read
        kernel/show/console/keyboard.c scancode_key
        kernel/show/console/console.c console_poll_key
        kernel/run/loop/poll.c handle_key
        kernel/event/stop.c stop_request
    """,
    "a key of USB -> its effect (q)": """
        kernel/hw/usb/usb.c usb_read_key
        kernel/hw/usb/controller.c controller_poll
        kernel/core/tables/usb_formats/trb.c event_ring_next
        kernel/hw/usb/usb.c take_report
        kernel/hw/usb/attach.c attach_take_report
        kernel/core/tables/usb_formats/descriptors.c boot_report_keys
        kernel/show/console/console.c console_poll_key
        kernel/run/loop/poll.c handle_key
        kernel/event/stop.c stop_request
    """,
}

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
ARGUMENTS = r"\(((?:[^(){};]|\([^(){};]*\))*)\)"
PROTOTYPE = re.compile(
    rf"^(?!static|typedef|#)\w[\w *]*?[ *](\w+){ARGUMENTS}[^;{{}}()]*;", re.MULTILINE
)
DEFINITION = re.compile(rf"^(?!#|typedef)\w[\w *]*?[ *](\w+){ARGUMENTS}\s*\{{", re.MULTILINE)
INLINE = re.compile(r"^static inline ", re.MULTILINE)
GLOBALS = ("machine", "plan", "fault_log", "selection")


def without_comments(text):
    def keep(match):
        return match[0] if match[0][0] in "\"'" else re.sub(r"[^\n]", "", match[0])

    return COMMENT.sub(keep, text)


def code(path):
    """A file's text without comments."""
    text = path.read_text()
    if path.suffix == ".py":
        return re.sub(r'^\s*(#.*|"""(?:[^"]|"(?!""))*""")$', "", text, flags=re.MULTILINE)
    if path.suffix in (".asm", ".inc"):
        return re.sub(r";[^\n]*", "", text)
    return without_comments(text)


def n_lines(text):
    return sum(bool(line.strip()) for line in text.splitlines())


def read(*folders, endings=(".c", ".h", ".asm", ".inc")):
    paths = (path for folder in folders for path in sorted((ROOT / folder).rglob("*")))
    return {path: code(path) for path in paths if path.suffix in endings}


def n_arguments(text):
    depth = commas = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        commas += char == "," and depth == 0
    return commas + 1


def public_functions(sources):
    """The name of each function that a header declares, and that header."""
    return {
        match[1]: path
        for path, text in sources.items()
        if path.suffix == ".h"
        for match in PROTOTYPE.finditer(text)
    }


def users(functions, sources):
    """Of each function how many files, other than its own module's, have its name."""
    words = {path: set(re.findall(r"\w+", text)) for path, text in sources.items()}
    return {
        name: sum(name in words[path] for path in words if path.with_suffix(".h") != header)
        for name, header in functions.items()
    }


def declares_one(text):
    return len(PROTOTYPE.findall(text)) == 1 and not INLINE.search(text)


def readers(sources, name):
    used = re.compile(rf"(?<![\w.>/]){name}\.\w")
    return sum(bool(used.search(text)) for path, text in sources.items() if path.suffix == ".c")


def measure():
    product = read("kernel", "boot")
    tests = read("tests", endings=(".c", ".h", ".py"))
    functions = public_functions(product)
    defined = [match[2] for text in product.values() for match in DEFINITION.finditer(text)]
    modules = [text for path, text in product.items() if path.suffix == ".c"]
    headers = [text for path, text in product.items() if path.suffix == ".h"]
    counts = users(functions, {**product, **read("tools", "iso")})
    yield "kernel and boot: lines", sum(map(n_lines, product.values()))
    yield "tests: lines", sum(map(n_lines, tests.values()))
    yield "modules (.c)", len(modules)
    yield "modules of less than 60 lines", sum(n_lines(text) < 60 for text in modules)
    yield "headers", len(headers)
    yield "headers that declare one function", sum(map(declares_one, headers))
    yield "public functions", len(functions)
    yield "public functions with one file that uses them", sum(n == 1 for n in counts.values())
    yield "functions", len(defined)
    yield "functions with 6 or more arguments", sum(n_arguments(text) >= 6 for text in defined)
    for name in GLOBALS:
        yield f"files that read the global `{name}`", readers(product, name)


def steps(way):
    return [line.split() for line in way.split("\n") if line.strip()]


def missing(way):
    """The steps of a way that are not where it says."""
    for path, function in steps(way):
        file = ROOT / path
        if not file.exists() or not re.search(rf"\b{function}\b", code(file)):
            yield f"{path}: {function} is not there"


def main():
    for name, value in measure():
        print(f"{value:8} {name}")
    lost = [error for way in WAYS.values() for error in missing(way)]
    for name, way in WAYS.items():
        print(f"{len({path for path, _ in steps(way)}):8} files to open: {name}")
    print("\n".join(lost), file=sys.stderr, end="\n" if lost else "")
    return bool(lost)


if __name__ == "__main__":
    sys.exit(main())
