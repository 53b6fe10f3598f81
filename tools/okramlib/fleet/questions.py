# SPDX-License-Identifier: MIT
"""Questions to the data set, as Ibis expressions that any engine runs.

All of them go by the report of each run that has most of it. A machine counts once, however often
it was tested: runs of one machine are not independent of each other.
"""

import ibis
from ibis import _

from .found import SIGNED

# Of totals.STATUSES: memory was tested, and the run has ended by itself.
TESTED = ("pass", "incomplete", "corrected", "fail")
WHOLE = ("pass", "corrected", "fail")

# A node is slow if it is so far below the median of its model: Iglewicz and Hoaglin, "How to
# Detect and Handle Outliers" (1993), take 3.5 deviations; of many thousand nodes some are, by
# chance alone.
SLOW_DEVIATIONS = 3.5
SLOW_SHARE = 0.95
_NORMAL = 1.4826  # standard deviations in a median absolute deviation
_DEVIATION_MIN = 0.01  # of the median: closer, no machine repeats it
MODEL_MACHINES_MIN = 5

PAGES_RUNS_MIN = 2

# Nodes are compared with those that have the same of all these.
_LIKE = ("model", "cpu", "nodes", "threads", "op")


def _flag(truth):
    return truth.fill_null(False).cast("int64")


class Questions:
    def __init__(self, tables, since=None):
        self._tables = tables
        self._since = since
        self.runs = tables["runs"].anti_join(tables["replaced"], "report")
        self._bad = self.runs.bad_pages.fill_null(0) > 0

    def _of_runs(self, name, *columns):
        """A table with columns of its run."""
        runs = self.runs.select("report", "machine", *columns)
        return self._tables[name].join(runs, "report")

    def _of_machines(self, runs):
        """All runs of the machines of these runs."""
        return self.runs.semi_join(runs, "machine")

    def _last_results(self, runs):
        """Of the machines of these runs: how the last run of each ended."""
        last = _last(self._of_machines(runs), "machine")
        return last.select("machine", last_status="status", last_started="started")

    def overview(self):
        """One row."""
        runs = self.runs
        return runs.aggregate(
            machines=runs.machine.nunique(),
            runs=runs.count(),
            first=runs.started.min(),
            last=runs.started.max(),
            without_name=_flag(runs.machine_by == "run").sum(),
            signed=_flag(runs.signature == SIGNED).sum(),
            date_by_file=_flag(runs.date_by == "file").sum(),
            tested_machines=runs.machine.nunique(where=runs.status.isin(TESTED)),
            bad_machines=runs.machine.nunique(where=self._bad),
            lines_left_out=runs.lines_left_out.sum(),
        )

    def statuses(self):
        return self.runs.group_by("status").aggregate(runs=_.count(), machines=_.machine.nunique())

    def bad_machines(self):
        """Machines with bad pages: by their last run that found any, with its line."""
        bad = _last(self.runs.filter(self._bad), "machine")
        of_machine = (
            self._of_machines(bad)
            .group_by("machine")
            .aggregate(runs=_.count(), bad_runs=_flag(_.bad_pages.fill_null(0) > 0).sum())
        )
        lines = self._tables["lines"]
        lines = lines.filter(lines.name == "badram").select("report", line="text")
        return (
            bad.select("machine", "report", "model", "started", "signature", "bad_pages")
            .join(of_machine, "machine")
            .join(self._last_results(bad), "machine")
            .left_join(lines, "report")
            .select(
                "machine",
                "model",
                "started",
                "signature",
                "bad_pages",
                "bad_runs",
                "runs",
                "last_status",
                "last_started",
                "line",
            )
        )

    def suspect_modules(self):
        """Of these machines in that run: the modules that the report names as bad, or else all."""
        bad = _last(self.runs.filter(self._bad), "machine").select("report", "machine")
        modules = self._tables["modules"].join(bad, "report")
        of_run = modules.group_by("report").aggregate(has_named=_flag(_.is_named).max())
        found = modules.join(of_run, "report")
        found = found.filter(_flag(found.is_named) == found.has_named)
        return found.select("machine", "slot", "part", "serial", "is_named")

    def modules_to_order(self):
        """Modules that the last run of a machine with bad pages names, if it names some."""
        bad = _last(self.runs.filter(self._bad), "machine")
        named = self._tables["modules"].filter(_.is_named)
        return named.join(bad.select("report", "machine", "model", "started"), "report").select(
            "machine", "model", "started", "slot", "maker", "part", "size_bytes", "serial"
        )

    def modules(self, *by):
        """Machines with modules of a part (and week), and how many of them have bad pages.

        A machine counts for each part that is in it, but for those in a run that names another
        module as the bad one.
        """
        return (
            self._machines_by("part", *by)
            .group_by("part", *by)
            .aggregate(
                modules=_.n_modules.sum(),
                machines=_.count(),
                bad=_.is_bad.sum(),
                named=_.is_named.sum(),
            )
        )

    def machines_of_parts(self, parts):
        """Machines with modules of these parts, by part and week."""
        found = self._machines_by("part", "year", "week")
        return found.filter(found.part.isin(parts))

    def _machines_by(self, *by):
        tested = self.runs.filter(self.runs.status.isin(TESTED) | self._bad)
        runs = tested.select("report", "machine", has_bad=_flag(tested.bad_pages.fill_null(0) > 0))
        modules = self._known_modules().join(runs, "report")
        of_run = modules.group_by("report").aggregate(run_has_named=_flag(_.is_named).max())
        found = modules.join(of_run, "report")
        found = found.mutate(
            is_bad=found.has_bad * ibis.greatest(1 - found.run_has_named, _flag(found.is_named)),
            name=ibis.coalesce(found.serial, found.slot, ""),
        )
        return found.group_by("machine", *by).aggregate(
            n_modules=_.name.nunique(),
            has_bad=_.has_bad.max(),
            is_bad=_.is_bad.max(),
            is_named=_flag(_.is_named).max(),
        )

    def modules_of_all(self):
        """One row: the machines that modules() is about, and those with bad pages."""
        tested = self.runs.filter(self.runs.status.isin(TESTED) | self._bad)
        return self._machines_with_modules(tested, _.bad_pages.fill_null(0) > 0)

    def corrected(self):
        """The same of ECC's corrected errors, by part: where firmware names the slot of an error,
        by the part in that slot alone."""
        return (
            self._corrected_machines()
            .group_by("part")
            .aggregate(
                machines=_.count(),
                bad=_flag(_.errors > 0).sum(),
                errors=_.errors.sum(),
                named=_.is_named.sum(),
            )
        )

    def corrected_of_parts(self, parts):
        """Machines with modules of these parts."""
        found = self._corrected_machines()
        found = found.mutate(is_bad=_flag(found.errors > 0), has_bad=_flag(found.all_errors > 0))
        return found.filter(found.part.isin(parts))

    def _corrected_machines(self):
        with_ecc = self._with_ecc()
        runs = with_ecc.select(
            "report", "machine", errors=with_ecc.corrected.fill_null(0).cast("int64")
        )
        modules = self._known_modules().join(runs, "report")
        ecc = self._tables["ecc"]
        slots = ecc.filter(ecc.corrected & (ecc.slot != "")).select("report", "slot").distinct()
        slots = slots.mutate(is_named=ibis.literal(1))
        found = modules.drop("is_named").left_join(slots, ["report", "slot"])
        found = found.mutate(is_named=found.is_named.fill_null(0))
        of_run = found.group_by("report").aggregate(run_has_named=_.is_named.max())
        found = found.join(of_run, "report")
        found = found.mutate(
            all_errors=found.errors,
            errors=found.errors * ibis.greatest(1 - found.run_has_named, found.is_named),
        )
        # Modules of one part in a run: its errors count once.
        of_part = found.group_by("machine", "report", "part").aggregate(
            errors=_.errors.max(), all_errors=_.all_errors.max(), is_named=_.is_named.max()
        )
        return of_part.group_by("machine", "part").aggregate(
            errors=_.errors.sum(), all_errors=_.all_errors.sum(), is_named=_.is_named.max()
        )

    def corrected_of_all(self):
        return self._machines_with_modules(self._with_ecc(), _.corrected.fill_null(0) > 0)

    def _with_ecc(self):
        runs = self.runs
        has_errors = runs.corrected.fill_null(0) > 0
        has_ecc = runs.memory_ecc.fill_null("") == "on"
        return runs.filter((has_ecc & runs.status.isin(TESTED)) | has_errors)

    def _known_modules(self):
        modules = self._tables["modules"]
        return modules.filter(modules.part != "")

    def _machines_with_modules(self, runs, condition):
        reports = self._known_modules().select("report").distinct()
        runs = runs.mutate(is_bad=_flag(condition)).select("report", "machine", "is_bad")
        found = runs.join(reports, "report").group_by("machine").aggregate(is_bad=_.is_bad.max())
        return found.aggregate(machines=found.count(), bad=found.is_bad.sum())

    def slow_nodes(self):
        """Nodes whose CPUs have less bandwidth to their own memory than others of the model."""
        nodes = self._comparable_nodes()
        nodes = nodes.mutate(distance=(nodes.mb_s - nodes["median"]).abs())
        deviations = nodes.group_by(*_LIKE).aggregate(deviation=_.distance.median())
        found = nodes.join(deviations, _LIKE)
        found = found.mutate(
            deviation=ibis.greatest(found.deviation * _NORMAL, found["median"] * _DEVIATION_MIN)
        )
        found = found.mutate(z=(found.mb_s - found["median"]) / found.deviation)
        return found.filter(
            (found.z <= -SLOW_DEVIATIONS) & (found.mb_s <= found["median"] * SLOW_SHARE)
        ).select("machine", "model", "cpu", "cpu_node", "op", "mb_s", "median", "z", "machines")

    def nodes_compared(self):
        """One row: how many machines were compared, and how many have bandwidth at all."""
        nodes, bandwidth = self._comparable_nodes(), self._of_runs("bandwidth")
        compared = nodes.aggregate(compared=nodes.machine.nunique())
        measured = bandwidth.aggregate(measured=bandwidth.machine.nunique())
        return compared.cross_join(measured)

    def _comparable_nodes(self):
        """Bandwidth next to the median of the nodes like it, of which there are enough."""
        nodes = self._nodes()
        medians = nodes.group_by(*_LIKE).aggregate(
            median=_.mb_s.median(), machines=_.machine.nunique()
        )
        return nodes.join(medians, _LIKE).filter(_.machines >= MODEL_MACHINES_MIN)

    def _nodes(self):
        """The bandwidth of all CPUs of a node to its own memory."""
        bandwidth = self._tables["bandwidth"]
        local = bandwidth.filter(
            (bandwidth.cpu_node == bandwidth.mem_node) & (bandwidth["mean"] > 0)
        )
        of_all_cpus = local.group_by("report", "cpu_node", "op").aggregate(
            mean=_["mean"].argmax(_.threads), threads=_.threads.max()
        )
        runs = self.runs.select("report", "machine", "model", "cpu", "nodes")
        return (
            of_all_cpus.join(runs, "report")
            .group_by("machine", "cpu_node", *_LIKE)
            .aggregate(mb_s=_["mean"].median())
        )

    def kinds(self):
        """Kinds of fault by lane: each machine by its last run that says a kind."""
        last = _last(self._of_runs("kinds", "started"), "machine")
        lane = ibis.cases((last.bits <= 8, (last.bit / 8).floor().cast("int64")))
        found = last.mutate(lane=lane)
        return found.group_by("kind", "lane", "bits", "bus_bits").aggregate(
            machines=_.count(), sure=_flag(_.confidence == "sure").sum()
        )

    def unfinished(self):
        """Machines with runs that never ended: the last one of each, and how many."""
        runs = self.runs.filter(self.runs.status == "unfinished")
        of_machine = runs.group_by("machine").aggregate(runs=_.count())
        found = _last(runs, "machine").select(
            "machine", "model", "started", "last_test", "seconds", "tested_bytes"
        )
        return found.join(of_machine, "machine").join(self._last_results(runs), "machine")

    def changing_pages(self):
        """Machines with pages that were bad in some whole runs and not in others, in pages.

        Runs of pages are counted at their edges: the sum of edges up to a page is the number of
        runs in which it was bad. A billion adjacent pages are no more work than one page.
        """
        whole = self._whole_runs()
        of_machine = whole.group_by("machine").aggregate(
            runs=_.count(), first=_.started.min(), last=_.started.max()
        )
        of_machine = of_machine.filter(of_machine.runs >= PAGES_RUNS_MIN)
        runs = whole.select("report", "machine", "started").join(of_machine, "machine")
        marked = runs.mutate(
            one=ibis.literal(1),
            in_first=_flag(runs.started == runs["first"]),
            in_last=_flag(runs.started == runs["last"]),
        )
        counted = ("one", "in_first", "in_last")
        pieces = self._pieces(marked, counted).join(of_machine, "machine")
        pieces = pieces.mutate(
            is_always=_flag(pieces.one == pieces.runs),
            came=_flag((pieces.in_first == 0) & (pieces.in_last > 0)),
            went=_flag((pieces.in_first > 0) & (pieces.in_last == 0)),
        )
        pieces = pieces.mutate(other=1 - pieces.is_always - pieces.came - pieces.went)
        found = pieces.group_by("machine").aggregate(
            runs=_.runs.max(),
            first=_["first"].max(),
            last=_["last"].max(),
            **{name: (_.pages * _[name]).sum() for name in ("is_always", "came", "went", "other")},
        )
        return found.filter(found.came + found.went + found.other > 0)

    def compared_runs(self):
        """One row: the machines that changing_pages() could compare."""
        whole = self._whole_runs()
        of_machine = whole.group_by("machine").aggregate(runs=_.count())
        found = of_machine.filter(of_machine.runs >= PAGES_RUNS_MIN)
        return found.aggregate(machines=found.count())

    def _whole_runs(self):
        runs = self.runs
        return runs.filter(
            runs.status.isin(WHOLE) & runs.complete & runs.has_all_pages & (runs.passes >= 1)
        )

    def _pieces(self, runs, counted):
        """Pieces of memory between edges of runs of bad pages: machine, pages, and the sums of the
        columns counted of the runs in which the piece is bad, where there is one."""
        pages = self._tables["pages"].join(runs.select("report", "machine", *counted), "report")
        begins = pages.select("machine", *counted, at="base")
        ends = pages.select("machine", at="end", **{name: -pages[name] for name in counted}).select(
            *begins.columns
        )
        edges = (
            begins.union(ends)
            .group_by("machine", "at")
            .aggregate(**{name: _[name].sum() for name in counted})
        )
        upward = ibis.cumulative_window(group_by=edges.machine, order_by=edges["at"])
        following = ibis.window(group_by=edges.machine, order_by=edges["at"])
        sums = edges.select(
            "machine",
            pages=edges["at"].lead(1).over(following) - edges["at"],
            **{name: edges[name].sum().over(upward).cast("int64") for name in counted},
        )
        there = sum((sums[name] for name in counted[1:]), sums[counted[0]])
        return sums.filter((there > 0) & sums.pages.notnull())

    # --- since a date: what is new ---------------------------------------------------------------

    def _is_since(self, runs):
        return runs.started >= self._since

    def campaigns(self):
        """Two rows, before the date and since: machines, runs, hours, and what came up."""
        runs = self.runs.mutate(is_since=_flag(self._is_since(self.runs)))
        return runs.group_by("is_since").aggregate(
            machines=_.machine.nunique(),
            runs=_.count(),
            hours=(_.seconds.sum() / 3600),
            unfinished=_flag(_.status == "unfinished").sum(),
        )

    def first_times(self):
        """Each machine's first run with bad pages, and its first one with corrected errors; whether
        that is since the date, and how many runs of the machine were before it."""
        runs = self.runs
        since = _flag(self._is_since(runs))
        of_machine = (
            runs.mutate(is_since=since)
            .group_by("machine")
            .aggregate(runs_before=(1 - _.is_since).sum(), model=_.model.max())
        )
        found = None
        for what, condition in (
            ("bad pages", self._bad),
            ("corrected errors", runs.corrected.fill_null(0) > 0),
        ):
            first = runs.filter(condition).group_by("machine").aggregate(first=_.started.min())
            first = first.mutate(what=ibis.literal(what))
            found = first if found is None else found.union(first)
        return found.join(of_machine, "machine").mutate(
            is_since=_flag(found["first"] >= self._since)
        )

    def new_pages(self):
        """Pages that are bad since the date and in no run before it, of machines with whole runs
        of both."""
        whole = self._whole_runs()
        marked = whole.mutate(
            since=_flag(self._is_since(whole)), before=_flag(whole.started < self._since)
        )
        of_both = marked.group_by("machine").aggregate(
            n_since=_.since.sum(), n_before=_.before.sum()
        )
        of_both = of_both.filter((of_both.n_since > 0) & (of_both.n_before > 0))
        pieces = self._pieces(marked, ("since", "before")).join(
            of_both.select("machine"), "machine"
        )
        new = pieces.filter((pieces.since > 0) & (pieces.before == 0))
        return new.group_by("machine").aggregate(pages=_.pages.sum())


def _last(runs, by):
    """The last run of each machine."""
    order = ibis.window(group_by=runs[by], order_by=[ibis.desc(runs.started), runs.report])
    return runs.mutate(nth=ibis.row_number().over(order)).filter(_.nth == 0).drop("nth")
