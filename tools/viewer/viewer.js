// SPDX-License-Identifier: MIT
// Draws a run from the JSON lines in this page. Text of a record comes into the page as text nodes only.
"use strict";

// --- words ----------------------------------------------------------------------------------------

const PAGE = 4096n;
const ROWS_MAX = 5000;
const TEXT_MAX = 4000;
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{NChar}]/gu;
const ADDRESS = /^0x[0-9a-f]{1,16}$/;

function words(value) {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const shown = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}… (${text.length} characters)` : text;
  return shown.replace(HIDDEN, "\ufffd");
}

const isNumber = Number.isFinite;
const { floor, max, min } = Math;
const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const digits = (value, n) => String(Number(value.toPrecision(n)));
const rate = (mbS) => mbS.toFixed(Math.abs(mbS) >= 100 ? 0 : 1);
const wait = (ns) => ns.toFixed(1);
const signed = (value, unit = " %") => (isNumber(value) ? `${value < 0 ? "" : "+"}${value.toFixed(1)}${unit}` : "");
const joined = (parts, between = " ") => parts.filter((part) => part || part === 0).map(words).join(between);
const date = (text) => words(text).replace("T", " ");
const unique = (values) => [...new Set(values)];
const vals = (map) => [...map.values()];
const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let power = 0;
  for (; bytes >= 1024 && power < units.length - 1; power++) bytes /= 1024;
  return `${digits(bytes, 4)} ${units[power]}`;
}

function seconds(value) {
  const whole = max(0, floor(value));
  const two = (n) => String(n % 60).padStart(2, "0");
  if (whole < 60) return value < 10 ? `${max(0, value).toFixed(1)} s` : `${whole} s`;
  if (whole < 3600) return `${floor(whole / 60)}:${two(whole)}`;
  return `${floor(whole / 3600)}:${two(floor(whole / 60))}:${two(whole)}`;
}

// 0-3, 8
function listed(numbers) {
  const runs = [];
  for (const n of [...numbers].sort((a, b) => a - b)) {
    if (runs.length && n === runs.at(-1)[1] + 1) runs.at(-1)[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([a, b]) => (a === b ? a : `${a}-${b}`)).join(", ") || "none";
}

// --- elements -------------------------------------------------------------------------------------

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  for (const child of children.flat(Infinity))
    if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined && child !== "") element.append(document.createTextNode(words(child)));
  return element;
}

const el = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
const p = (...children) => el("p", {}, ...children);
const soft = (...children) => el("p", { class: "soft" }, ...children);
const sized = (bytes) => ({ text: size(bytes), key: bytes });
const timed = (value) => ({ text: seconds(value), key: value });
const textOf = (cell) => cell?.text ?? cell;

function sortKey(cell) {
  if (cell?.text) return cell.key;
  const text = words(cell);
  const [address] = text.match(/^0x[0-9a-f]{1,16}/) ?? [];
  if (address) return BigInt(address);
  const number = Number.parseFloat(text);
  return Number.isNaN(number) ? text : number;
}

function inOrder(a, b) {
  if ((typeof a === "string") !== (typeof b === "string")) return typeof a === "string" ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function bodyRow(cells, left) {
  return el("tr", {}, cells.map((cell, i) => {
    const text = words(textOf(cell));
    const kinds = [left[i] && "left", /^0x[0-9a-f]+$/.test(text) && "hex", left[i] && text.length > 40 && "long",
      text.startsWith("yes: ") && "search"];
    return el("td", { class: kinds.filter(Boolean).join(" ") || null }, text);
  }));
}

function sortBy(table, head, rows, left, column) {
  const up = head.getAttribute("aria-sort") !== "ascending";
  for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const keyed = rows.map((row, i) => [sortKey(row[column]), i, row]);
  keyed.sort((a, b) => (up ? 1 : -1) * inOrder(a[0], b[0]) || a[1] - b[1]);
  table.tBodies[0].replaceChildren(...keyed.slice(0, ROWS_MAX).map(([, , row]) => bodyRow(row, left)));
}

// A column is to the right unless its name starts with "<". A click on its name sorts by it.
function table(title, columns, rows, notes = []) {
  if (!rows.length) return [];
  const left = columns.map((name) => name.startsWith("<"));
  const made = el("table", {}, el("caption", {}, title));
  const heads = columns.map((name, i) => {
    const label = name.replace(/^</, "");
    const button = rows.length > 1 && label ? el("button", { type: "button" }, label) : label;
    const head = el("th", { scope: "col", class: left[i] ? "left" : null }, button);
    if (button instanceof Node) button.onclick = () => sortBy(made, head, rows, left, i);
    return head;
  });
  made.append(el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows.slice(0, ROWS_MAX).map((row) => bodyRow(row, left))));
  const more = rows.length > ROWS_MAX ? [`… and ${count(rows.length - ROWS_MAX, "row")} more.`] : [];
  return [el("div", { class: "scroll", tabindex: "0" }, made), [...notes, ...more].map((note) => soft(note))];
}

function folded(tables, what = "All numbers as a table") {
  const rows = tables.flat(Infinity).reduce((n, part) => n + part.querySelectorAll("tbody tr").length, 0);
  return rows ? el("details", {}, el("summary", {}, `${what} (${count(rows, "row")})`), tables) : [];
}

// A line to copy. Where the browser does not let the page do so, it is selected.
function copied(label, text) {
  const line = el("pre", { class: "line" }, text);
  const button = el("button", { type: "button" }, "copy");
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(line);
      button.textContent = "selected: press Ctrl-C";
    }
    setTimeout(() => { button.textContent = "copy"; }, 2000);
  };
  return [el("div", { class: "copied" }, el("span", {}, label), button), line];
}

// --- the records ----------------------------------------------------------------------------------

const BEGIN = ["saved", "state", "start"];
const OLD_NAMES = new Map(@OLD_NAMES@);
const KNOWN = new Set(@KNOWN@);

class Run {
  constructor(name = "", problems = []) {
    this.name = name;
    this.problems = problems;
    this.types = new Map();
    this.before = null;
  }

  add(record) {
    this.before = record.type;
    if (!this.types.has(record.type)) this.types.set(record.type, []);
    this.types.get(record.type).push(record);
  }

  all(type) { return this.types.get(type) ?? []; }
  last(type) { return this.all(type).at(-1); }
  get encrypted() { return this.last("machine")?.encryption === "tme" || Boolean(this.last("result")?.encryption); }
  get faults() { return this.all("test").reduce((sum, test) => sum + test.faults, 0); }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// JSON; the seed of data, which may have 64 bits, keeps them all.
function parsed(line) {
  const record = JSON.parse(line, (key, value, context) =>
    key === "seed" && typeof value === "number" && /^\d{1,20}$/.test(context?.source ?? "") ? context.source : value);
  if (!isObject(record) || typeof record.type !== "string") throw new Error("no record");
  return record;
}

// The records of one that stands for several (`also`), with today's names.
function separated(whole) {
  const { also, ...named } = whole;
  const first = Object.fromEntries(Object.entries(named).map(([name, value]) => [OLD_NAMES.get(name) ?? name, value]));
  first.type = OLD_NAMES.get(first.type) ?? first.type;
  const found = [first];
  if (!isObject(also)) return found;
  const lists = Object.entries(also).filter(([, values]) => Array.isArray(values));
  for (let i = 0; i < 63; i++) {
    const others = lists.filter(([, values]) => i < values.length).map(([name, values]) => [name, values[i]]);
    if (others.length) found.push({ ...first, ...Object.fromEntries(others) });
  }
  return found;
}

const isBegin = (before, type) => BEGIN.includes(type) && !BEGIN.slice(0, BEGIN.indexOf(type)).includes(before);

// {runs, of which `files` have a name; damaged lines; what the host adds: page, tables}
function read(text) {
  const found = { runs: [], files: [], damaged: [], page: null, tables: [] };
  let run = null;
  const begin = (next, list) => { run = next; list.push(next); };
  for (const [i, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    let records;
    try { records = separated(parsed(line)); }
    catch (error) { found.damaged.push({ number: i + 1, why: error instanceof SyntaxError ? "no JSON, or cut off" : error.message, line }); continue; }
    const [{ type, name, problems }] = records;
    if (type === "page") found.page = records[0];
    else if (type === "table") found.tables.push(records[0]);
    else if (type === "file") begin(new Run(name, Array.isArray(problems) ? problems : []), found.files);
    else {
      if (!run || (run.before && !found.files.includes(run) && isBegin(run.before, type))) begin(new Run(), found.runs);
      for (const record of records) run.add(record);
    }
  }
  return found;
}

// --- the verdict ----------------------------------------------------------------------------------

const HEADINGS = { pass: "PASS", fail: "FAIL", corrected: "ERRORS CORRECTED", stopped: "STOPPED", incomplete: "INCOMPLETE", error: "ERROR" };
const VERDICTS = @VERDICTS@;
VERDICTS.incomplete = "no bad page found, but less than 99 % of the selected RAM was tested,";
const ERRORS = @ERRORS@;
const KINDS = @KINDS@;

// A word of a fixed table, else the record's own.
const named = (names, word) => (Object.hasOwn(names, word) ? names[word] : words(word));
const statusOf = (result) => (result.status === "pass" && !result.complete ? "incomplete" : words(result.status));

function eccErrors(result) {
  const { corrected: good = 0, uncorrected: bad = 0, with_page: placed = 0 } = result.ecc ?? {};
  if (!good && !bad) return "";
  let text = good ? `ECC corrected ${count(good, "error")}` : "ECC";
  if (good && bad) text += `, and could not correct ${bad}`;
  if (!good) text += ` could not correct ${count(bad, "error")}`;
  const pages = count(result.bad_pages, "page");
  if (placed && placed < good + bad) return `${text} (${placed} of them in ${pages})`;
  return placed ? `${text} in ${pages}` : text;
}

function unseenModules(unseen) {
  if (!unseen.modules) return `${size(unseen.missing_bytes)} of the ${size(unseen.installed_bytes)} that the modules have is missing`;
  const at = unseen.addresses ?? [];
  const which = at.length === 1 ? ": that at SMBus address" : at.length === unseen.modules ? ": those at SMBus addresses" : ", of those at SMBus addresses";
  const place = at.length ? `${which} ${joined(at, ", ").replace(/, ([^,]*)$/, " and $1")}` : "";
  const least = unseen.at_least ? "at least " : "";
  return `${least}${unseen.modules} of ${count(unseen.of, "module")} ${unseen.modules === 1 ? "is" : "are"} not seen${place}`
    + (unseen.may_be_mirrored ? ", or memory is mirrored" : "");
}

function verdict(run) {
  const result = run.last("result");
  const status = statusOf(result);
  if (status === "fail" && !result.bad_pages) return "uncorrected errors of memory, whose pages are not known";
  if (status === "fail" && !run.faults && eccErrors(result)) return eccErrors(result);
  if (status === "incomplete" && result.unseen) return `no bad page found, but ${unseenModules(result.unseen)},`;
  const where = result.part_of_bytes
    ? ` in the part tested, ${size(result.tested_bytes)} of ${size(result.part_of_bytes)},` : "";
  if (status === "incomplete" && result.hidden_pages)
    return `no bad page found${where || ","} but ${count(result.hidden_pages, "page was", "pages were")} hidden before okram started,`;
  if (status === "pass" && where) return `no bad page found${where}`;
  if (status === "error" && result.reason) return named(ERRORS, result.reason);
  if (status === "error" && result.tested_bytes) return ERRORS["internal-error"];
  return named(VERDICTS, status);
}

function ending(result) {
  const by = result.tests?.length ? ` by ${joined(result.tests, ", ")}` : "";
  return `after ${count(result.passes, "pass", "passes")}, ${seconds(result.seconds)}; ${size(result.tested_bytes)} tested${by}, `
    + `${size(result.untested_bytes)} not tested`;
}

// What counts more than the run's verdict: of a search for the bad module, such as "NEXT STEP", or that a CPU or another start failed; "": none.
function headline(run) {
  const search = run.last("diagnosis");
  const result = run.last("result");
  if (!result || result.status === "error") return "";
  return words((search?.begun ? search : run.last("advice"))?.headline ?? "");
}

// How far a run was whose report has no result.
function unfinished(run) {
  const head = run.last("saved");
  const state = run.last("state");
  if (!head && !state) return "The lines end before the run's result: the run did not finish, or the file is cut off.";
  const isDone = state?.status || head?.state === "done";
  let end = state?.status ? `ended with the status ${words(state.status)}`
    : isDone ? "ended, but its result is lost" : "did not finish";
  if (!state) return `okram started and ${end}.`;
  if (state.test) end += isDone ? `; ${words(state.test)} ran last` : `: test ${words(state.test)}`;
  return `okram started${state.started ? ` on ${date(state.started)}` : ""} and ${end}, pass ${words(state.pass)}, `
    + `${size(state.tested_bytes)} tested, CPU ${words(state.cpu)}, ${count(state.bad_pages, "bad page")}.`;
}

function machineText(machine) {
  const ecc = { on: "ECC on", off: "ECC off", unused: "ECC off, although the modules have it" };
  const state = machine.memory_ecc?.state;
  return joined([words(machine.cpu), count(machine.cpus, "CPU"), count(machine.nodes, "node"),
    machine.installed_bytes && `${size(machine.installed_bytes)} installed`,
    `${size(machine.ram_bytes)} RAM, ${size(machine.testable_bytes)} of it testable`,
    Object.hasOwn(ecc, state) && ecc[state], ...(machine.memory_repair ?? []),
    machine.side_cache && `${size(machine.side_cache.bytes)} memory-side cache`], ", ");
}

function identity(run) {
  const found = run.last("identity");
  if (!found) return [];
  const made = (part) => {
    const name = joined([part.maker, part.product, part.version]);
    const serial = part.serial ? `serial number ${words(part.serial)}` : "";
    return name && serial ? `${name} (${serial})` : name || serial;
  };
  const board = made(found.board ?? {});
  const all = joined([made(found.system ?? {}), board && `board ${board}`, found.uuid && `UUID ${words(found.uuid)}`,
    ...(found.macs ?? []).map((mac) => `network card ${words(mac)}`)], ", ");
  return [all && `Machine: ${all}.`, `Run ${words(found.run)}${found.date ? `, begun ${date(found.date)}` : ""}.`].filter(Boolean);
}

function kept(run) {
  const state = run.last("state");
  return state && joined([state.board, state.started && `started on ${date(state.started)}`,
    run.last("saved")?.hmac && "signed, not checked"], ", ");
}

function kindSentences(run) {
  const found = run.last("kind");
  if (!found) return [];
  const confidence = found.kind === "unclear" ? "" : `, ${words(found.confidence)}`;
  const lanes = [..."01234567"].map((i) => (Number(i) === floor(found.bit / 8) ? `[${i}]` : i));
  const picture = found.bus_bits === 64 && found.bits <= 8
    ? `; on a usual module of eight chips, seen from the front: ${lanes.slice(0, 4).join(" ")} | ${lanes.slice(4).join(" ")}` : "";
  const cpu = `CPU ${found.cause_cpu} (core ${found.cause_core})`;
  const cause = { cpu, both: `memory and ${cpu}`, memory: "memory, no CPU", open: `memory or ${cpu}: undecided` }[found.cause];
  const sure = found.cause === "open" ? "" : `, ${found.cause_percent} %`;
  return [`Kind of fault${confidence}: ${named(KINDS, found.kind)} (${words(found.evidence)}).`,
    cause && `At fault${sure}: ${cause} (${words(found.cause_evidence)}).`,
    found.chip && `Which chip: ${words(found.chip)}${picture}.`,
    found.channels && `${found.modules ? "Where" : "Channels"}: ${words(found.channels)}.`].filter(Boolean);
}

function diagnosisSentences(run) {
  const found = run.last("diagnosis");
  if (!found) return [];
  if (found.end) return [`Which module, by ${count(found.runs, "run")}: ${words(found.found)} ${words(found.reasons)}`];
  return [!found.begun && `The search for the bad module begins like this: ${words(found.next)}`,
    `Options for that start: ${words(found.words)}`].filter(Boolean);
}

function warnings(run, damaged) {
  const problem = badramOf(run).problem;
  const lines = damaged.slice(0, 10).map(({ number, why }) => `line ${number}: ${why}`).join("; ");
  return unique([
    ...(run.last("machine")?.warnings ?? []), ...(run.last("result")?.warnings ?? []),
    ...run.problems.map((one) => `In the file: ${words(one)}.`),
    problem,
    damaged.length ? `${count(damaged.length, "line is", "lines are")} damaged and not used: ${lines}${damaged.length > 10 ? "; …" : ""}.` : "",
  ].filter(Boolean));
}

function verdictPart(run, damaged) {
  const result = run.last("result");
  const start = run.last("start");
  const machine = run.last("machine");
  const search = headline(run);
  const advice = run.last("advice")?.text;
  const found = warnings(run, damaged);
  const status = result && statusOf(result);
  const booted = start && `okram ${words(start.version)}, ${words(start.boot).toUpperCase()} by ${words(start.loader)}`;
  return [
    el("h1", {}, "okram report"),
    result
      ? el("p", { class: "verdict" }, el("b", { class: search ? "search" : status }, search || named(HEADINGS, status)),
        `${search ? "This run: " : ""}${verdict(run)} ${ending(result)}`)
      : el("p", { class: "verdict" }, el("b", { class: "stopped" }, "DID NOT FINISH"), unfinished(run)),
    advice ? el("p", { class: "advice" }, el("strong", {}, "What to do next: "), advice) : [],
    kindSentences(run).concat(diagnosisSentences(run)).map((one) => p(one)),
    result?.error ? words(result.error).split("\n").filter(Boolean).map((line) => p(line)) : [],
    found.length ? el("ul", { class: "warnings", "aria-label": "Warnings and findings" }, found.map((one) => el("li", {}, one))) : [],
    [kept(run), ...identity(run), machine && machineText(machine)].filter(Boolean).map((one) => p(one)),
    booted ? soft(booted, start.cmdline ? `; options: ${words(start.cmdline)}` : "") : [],
    tiles(run),
  ];
}

// --- lines to copy --------------------------------------------------------------------------------
// Shells and boot loaders read them: none is shown that has another form than okram's.

const LINE_FORMS = new Map(Object.entries(@LINE_FORMS@).map(([name, form]) => [name, new RegExp(`^(?:${form})$`)]));

// {pairs, problem}: what badram= says if it is what the patterns say, else why there is no line.
function badramOf(run) {
  const record = run.last("badram");
  const patterns = Array.isArray(record?.patterns) ? record.patterns : [];
  const pairs = patterns.flat().join(",");
  if (!record || (!pairs && !record.line)) return { pairs: "", problem: "" };
  if (record.line === `badram=${pairs}` && LINE_FORMS.get("grub").test(record.line)) return { pairs, problem: "" };
  return { pairs: "", problem: "The badram line of this report is not that of its patterns: the report was changed or damaged,"
    + " and the line is not shown. Run okram again." };
}

function linesPart(run) {
  const { pairs } = badramOf(run);
  const record = run.last("badram");
  const others = run.all("line");
  const own = pairs ? [
    p(`${count(record.bad_pages, "bad page")}; the line sacrifices ${count(record.sacrificed_pages, "page")} with `
      + `${count(record.patterns.length, "pattern")} in ${count(record.ranges, "range")}.`),
    others.some((line) => line.name === "grub-default") ? [] : copied("GRUB: into /etc/default/grub, then run update-grub", `GRUB_BADRAM="${pairs}"`),
    copied("The badram line", `badram=${pairs}`),
  ] : [];
  return [own, others.map((line) => {
    const label = `${words(line.name)} (${words(line.place)}): ${words(line.note)}`;
    if (LINE_FORMS.get(line.name)?.test(line.text)) return copied(label, line.text);
    return [p(label), line.text ? el("p", { class: "error" }, "The line is not one that okram makes, and is not shown.") : []];
  })];
}

// --- measurements ---------------------------------------------------------------------------------

const OP_DOES = { read: "load only", write: "non-temporal stores", copy: "c = a", scale: "b = q*c", add: "c = a+b", triad: "a = b+q*c" };
const pairOf = (r) => `${r.cpu_node},${r.mem_node}`;
const between = (r) => `node ${r.cpu_node} to ${r.mem_node}`;
const SPREAD = ["std dev", "min", "max"];
const STATS = ["CPUs", "runs", "mean", ...SPREAD];

// The numbers of a row of runs; stddev null: one run, or an older report that has the mean alone. null: not measured.
function statsOf(r, quantity) {
  const value = r[quantity];
  if (value === null || value === undefined) return null;
  const found = { ...(typeof value === "object" ? { runs: r.runs, ...value } : { mean: value }), ...r[`${quantity}_stats`] };
  return { ...found, stddev: found.runs > 1 ? found.stddev : null };
}

const isWait = (quantity) => quantity.endsWith("ns");
const fine = (value, quantity) => (!isNumber(value) ? "" : isWait(quantity) ? value.toFixed(2) : rate(value));
const meanText = (stats, quantity) => (stats ? (isWait(quantity) ? wait : rate)(stats.mean) : "");
const spreadCells = (stats, quantity) => ["stddev", "min", "max"].map((name) => fine(stats?.[name], quantity));
const meanCells = (r, quantity) => [meanText(statsOf(r, quantity), quantity), ...spreadCells(statsOf(r, quantity), quantity)];
const statsCells = (r) => [r.threads, r.runs, ...meanCells(r, "mb_s")];

// "21000 MB/s, standard deviation 100, 20900 to 21100, 5 runs"
function statsHint(r, quantity) {
  const stats = statsOf(r, quantity);
  const [stddev, low, high] = spreadCells(stats, quantity);
  return joined([`${meanText(stats, quantity)} ${isWait(quantity) ? "ns" : "MB/s"}`, stddev && `standard deviation ${stddev}`,
    low && `${low} to ${high}`, stats.left_out && `${stats.left_out} left out`, stats.runs && count(stats.runs, "run")], ", ");
}
const numbers = (values) => unique(values).sort((a, b) => a - b);

function grouped(records, keyOf) {
  const found = new Map();
  for (const record of records) {
    const key = keyOf(record);
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(record);
  }
  return found;
}

// {op: {all: {pair: record}, one: ...}}; `one` where it differs.
function matrices(run) {
  const found = new Map();
  for (const r of run.all("bandwidth").filter((one) => !("order" in one))) {
    if (!found.has(r.op)) found.set(r.op, { all: new Map(), one: new Map() });
    const { all, one } = found.get(r.op);
    if (!all.has(pairOf(r)) || r.threads >= all.get(pairOf(r)).threads) all.set(pairOf(r), r);
    if (r.threads === 1) one.set(pairOf(r), r);
  }
  for (const of of found.values()) if ([...of.one].every(([at, r]) => of.all.get(at) === r)) of.one = new Map();
  return found;
}

// {op: {order: [record, ...]}}, each by growing numbers of CPUs.
function scalingOf(run) {
  const rows = grouped(run.all("bandwidth").filter((r) => "order" in r), (r) => r.op);
  return new Map([...rows].map(([op, records]) => [op, new Map([...grouped(records, (r) => r.order)].map(([order, row]) =>
    [order, [...new Map(row.map((r) => [r.threads, r])).values()].sort((a, b) => a.threads - b.threads)]))]));
}

// "5.20"; "": it was not measured.
const speedUp = (r, row) => (row[0].threads === 1 && row[0].mb_s.mean > 0 ? (r.mb_s.mean / row[0].mb_s.mean).toFixed(2) : "");
const idleOf = (run) => run.all("latency").filter((r) => r.load === "idle" && !("mix" in r));
const bySize = (records) => new Map([...grouped(records, pairOf)].map(([at, row]) => [at, new Map(row.map((r) => [r.size_bytes, r]))]));

// {pair: record}: at the size that most pairs have, else a pair's largest.
function latencyMatrix(run) {
  const pairs = bySize(idleOf(run));
  const times = new Map();
  for (const of of pairs.values()) for (const bytes of of.keys()) times.set(bytes, (times.get(bytes) ?? 0) + 1);
  const [common] = [...times].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [];
  return new Map([...pairs].map(([at, of]) => [at, of.get(common) ?? of.get(max(...of.keys()))]));
}

const latencyCurves = (run) => [...bySize(idleOf(run)).values()].filter((of) => of.size > 1)
  .map((of) => vals(of).sort((a, b) => a.size_bytes - b.size_bytes));
const loadedCurves = (run) => grouped(run.all("latency").filter((r) => "mix" in r), (r) => `${pairOf(r)},${r.mix}`);

function tiles(run) {
  const found = [];
  const inRange = (values, unit) => {
    const [low, high] = [min(...values).toFixed(1), max(...values).toFixed(1)];
    return `${low === high ? high : `${low} to ${high}`} ${unit}`;
  };
  const both = (matrix, name, value, unit) => {
    const local = vals(matrix).filter((r) => r.cpu_node === r.mem_node).map(value);
    const remote = vals(matrix).filter((r) => r.cpu_node !== r.mem_node).map(value);
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
    if (local.length) found.push([`${name}, local memory`, inRange(local, unit), local.length > 1 ? `over ${local.length} nodes` : ""]);
    if (remote.length) found.push([`${name}, remote memory`, inRange(remote, unit),
      local.length && mean(local) > 0 ? `on average ${Math.round(100 * mean(remote) / mean(local))} % of local` : ""]);
  };
  const rates = matrices(run);
  const op = ["triad", "read"].find((one) => rates.has(one));
  if (op) both(rates.get(op).all, `${op} of a node`, (r) => r.mb_s.mean / 1000, "GB/s");
  both(latencyMatrix(run), "idle latency", (r) => r.ns, "ns");
  for (const [name, orders] of [...scalingOf(run)].slice(0, 1)) {
    const row = vals(orders).sort((a, b) => b.at(-1).threads - a.at(-1).threads)[0];
    const times = speedUp(row.at(-1), row);
    found.push([`${name}, all CPUs, local memory`, `${(row.at(-1).mb_s.mean / 1000).toFixed(1)} GB/s`,
      count(row.at(-1).threads, "CPU") + (times && `: ${times} times one CPU`)]);
  }
  const slow = run.all("contention").filter((r) => r.slowdown_percent !== null && r.cpu_node === r.mem_node)
    .sort((a, b) => b.slowdown_percent - a.slowdown_percent)[0];
  if (slow) found.push(["local bandwidth under load", `${(0 - slow.slowdown_percent).toFixed(0)} %`,
    `worst: node ${slow.cpu_node} with load by node ${slow.load_node}`]);
  return found.length ? el("dl", { class: "tiles" }, found.map(([name, value, more]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, value), more ? el("dd", { class: "soft" }, more) : []))) : [];
}

// --- charts ---------------------------------------------------------------------------------------

// A matrix of node pairs; step: 0 to 6 of a value.
function heatMap(title, matrix, value, text, hint, step) {
  const rows = numbers(vals(matrix).map((r) => r.cpu_node));
  const columns = numbers(vals(matrix).map((r) => r.mem_node));
  const body = rows.map((row) => el("tr", {}, el("th", { scope: "row" }, `CPUs of ${row}`), columns.map((column) => {
    const r = matrix.get(`${row},${column}`);
    return r ? el("td", { class: `heat k${step(value(r))}`, title: words(hint(r)) }, text(r)) : el("td", {});
  })));
  const head = el("tr", {}, el("th"), columns.map((column) => el("th", { scope: "col" }, `mem ${column}`)));
  return el("div", { class: "scroll" }, el("table", { class: "map" }, el("caption", {}, title), el("thead", {}, head), el("tbody", {}, body)));
}

const heatKey = (label, steps) => el("div", { class: "key" }, el("span", {}, label), steps.map((name, i) => el("span", {}, el("i", { class: `k${i}` }), name)));

function niceTicks(high, most = 6) {
  const power = 10 ** floor(Math.log10(high / most));
  const step = power * [1, 2, 5, 10].find((n) => n * power * most >= high);
  const ticks = [];
  for (let i = 0; i * step < high + step && ticks.length <= most + 1; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

function logTicks(low, high, isBinary) {
  const ticks = [];
  if (isBinary) {
    const [first, last] = [floor(Math.log2(low)), max(Math.ceil(Math.log2(high)), floor(Math.log2(low)) + 1)];
    const step = Math.ceil((last - first) / 9);
    for (let power = first; power <= last; power += step) ticks.push(2 ** power);
    return ticks;
  }
  for (let power = floor(Math.log10(low)); ticks.length < 60; power++)
    for (const n of [1, 2, 5]) {
      const tick = n * 10 ** power;
      if (tick * 2.5 > low) ticks.push(Number(tick.toPrecision(3)));
      if (tick >= high) return ticks;
    }
  return ticks;
}

// An axis: {label, log, format, ticks}. Returns {ticks, at(value): pixel}.
function scaled(values, axis, from, to) {
  const usable = values.filter((v) => isNumber(v) && (!axis.log || v > 1e-9));
  const [low, high] = [min(...usable, Infinity), max(...usable, -Infinity)];
  const isEmpty = !usable.length;
  const ticks = axis.log ? logTicks(isEmpty ? 1 : low, isEmpty ? 2 : high, axis.binary) : niceTicks(isEmpty || high < 1e-9 ? 1 : high);
  const place = axis.log ? (v) => Math.log(max(v, 1e-9)) : (v) => v;
  const [a, b] = axis.log ? [place(min(ticks[0], isEmpty ? 1 : low)), place(max(ticks.at(-1), isEmpty ? 1 : high))] : [0, ticks.at(-1)];
  return { ticks, at: (v) => from + (to - from) * min(1, max(0, b > a ? (place(v) - a) / (b - a) : 0)) };
}

// Circle, square, triangle, diamond: a curve is known without its colour, too.
function dot(number, x, y, hint = "") {
  const shapes = [`M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z`, `M${x - 4} ${y - 4}h8v8h-8z`, `M${x} ${y - 5}l5 9h-10z`, `M${x} ${y - 5}l5 5l-5 5l-5 -5z`];
  return svg("path", { class: "dot", d: shapes[number % 4] }, hint ? svg("title", {}, hint) : []);
}

const seriesKey = (names) => (names.length < 2 ? [] : el("div", { class: "key" }, names.map((name, i) =>
  el("span", { class: `s${i % 6}` }, svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, dot(i, 7, 7)), name))));

function curve(row, number, across, up) {
  const shown = row.filter((point) => isNumber(point.x) && isNumber(point.y));
  const line = shown.map(({ x, y }) => `${across.at(x).toFixed(1)},${up.at(y).toFixed(1)}`).join(" ");
  return svg("g", { class: `s${number % 6}` }, svg("polyline", { points: line }), shown.map(({ x, y, error, label }) => {
    const [at, high, low] = [across.at(x), up.at(y + error), up.at(y - error)];
    return [error > 0 ? svg("path", { class: "spread", d: `M${at - 3} ${high}h6M${at} ${high}V${low}M${at - 3} ${low}h6` }) : [],
      dot(number, at, up.at(y), label)];
  }));
}

// series: [[name, [{x, y, label, error}]]]; marks: [[x, name]], dashed lines.
function curves(title, series, xAxis, yAxis, marks = []) {
  const [width, height, left, right, top, bottom] = [860, 400, 76, 40, 34, 52];
  const shown = series.slice(0, 16);
  const points = shown.flatMap(([, row]) => row);
  const across = scaled(points.map((q) => q.x), xAxis, left, width - right);
  const up = scaled(points.flatMap((q) => [q.y + q.error, q.y - q.error]), yAxis, height - bottom, top);
  const line = (x1, x2, y1, y2, kind) => svg("line", { x1, x2, y1, y2, class: kind });
  const text = (x, y, kind, value) => svg("text", { x, y, class: kind }, value);
  const format = (axis, value) => (axis.format ?? ((v) => digits(v, 6)))(value);
  const parts = [
    up.ticks.map((v) => [line(left, width - right, up.at(v), up.at(v), "grid"), text(left - 8, up.at(v) + 4, "end", format(yAxis, v))]),
    across.ticks.map((v) => [line(across.at(v), across.at(v), height - bottom, height - bottom + 5, "edge"),
      text(across.at(v), height - bottom + 19, "middle", format(xAxis, v))]),
    text((left + width - right) / 2, height - 10, "axis middle", xAxis.label), text(0, 16, "axis", yAxis.label),
    marks.map(([x, name], i) => [line(across.at(x), across.at(x), top, height - bottom, "mark"), text(across.at(x) + (across.at(x) < 200 ? 5 : -5), top + 12 + 15 * (i % 3), across.at(x) < 200 ? "start" : "end", name)]),
    shown.map(([, row], i) => curve(row, i, across, up)),
  ];
  const described = shown.filter(([, row]) => row.length).map(([name, row]) => `${words(name)}: from ${row[0].label} to ${row.at(-1).label}`).join("; ");
  const drawn = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img" }, svg("title", {}, title), svg("desc", {}, described), parts);
  return points.length ? el("figure", {}, el("figcaption", {}, title), seriesKey(shown.map(([name]) => name)), drawn) : [];
}

// groups: [[group, [[value, text, hint] for each of names]]]
function bars(title, groups, names, unit) {
  const most = max(...groups.flatMap(([, row]) => row.map(([value]) => value)).filter(isNumber), 1e-9);
  const rows = groups.flatMap(([group, row]) => row.map(([value, text, hint], i) => el("tr", { class: `s${i % 6}`, title: words(hint) },
    el("td", { class: "left" }, i ? "" : group),
    el("td", {}, svg("svg", { viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "dot", x: 0, y: 1, width: max(0, 100 * value / most) || 0, height: 12 }))),
    el("td", { class: "left" }, text))));
  return groups.length ? el("figure", {}, seriesKey(names), el("table", { class: "bars" }, el("caption", {}, `${title}, ${unit}`), el("tbody", {}, rows))) : [];
}

// --- measurements, drawn --------------------------------------------------------------------------

const missingPart = (run) => table("", ["<what", ...WAITS.slice(0, 2), "<why"], run.all("unmeasured").map((r) =>
  [r.what, r.cpu_node, r.mem_node, r.why]));

function cachesPart(run) {
  const caches = run.all("cache");
  const rows = caches.map((c) => [c.level ? `L${c.level}` : "memory", sized(c.size_bytes), ...meanCells(c, "mb_s"), ...meanCells(c, "ns")]);
  return rows.length ? [p("Read bandwidth and latency of one CPU at each level."),
    table(`Caches and memory, one CPU${hows(caches)}`, ["<level", "size", "MB/s read", ...SPREAD, "ns", ...SPREAD], rows)] : [];
}

const hows = (all) => unique(all.flatMap((r) => [r.isa && `, ${r.isa}`, r.prefetch && `, prefetchers ${r.prefetch}`, r.in_caches && ", partly in caches"])).join("");

const rateHint = (r) => `${statsHint(r, "mb_s")}, ${count(r.threads, "CPU")}`;

function whose(which, matrix) {
  const threads = numbers(vals(matrix).map((r) => r.threads));
  if (which === "one" || (threads.length === 1 && threads[0] === 1)) return "1 CPU";
  return threads.length === 1 ? `all ${threads[0]} CPUs of a node` : `all CPUs of a node (${threads[0]} to ${threads.at(-1)})`;
}

function bandwidthPart(run) {
  const found = matrices(run);
  if (!found.size) return [];
  const isOne = unique(vals(found).flatMap((of) => [...of.all.keys()])).length === 1;
  const text = p("Bandwidth between the CPUs of a node (rows) and the memory of a node (columns), in MB/s (10⁶ bytes), counted as STREAM does;"
    + " the mean of all runs.");
  return [text, (isOne ? oneNodeBandwidth : bandwidthMaps)(found, `Bandwidth, MB/s${hows(run.all("bandwidth"))}`)];
}

function oneNodeBandwidth(found, title) {
  const kinds = ["all", "one"].filter((which) => vals(found).some((of) => of[which].size));
  const rows = kinds.flatMap((which) => [...found].flatMap(([op, of]) => [...of[which].values()].map((r) => [op, named(OP_DOES, op), ...statsCells(r)])));
  const groups = [...found].map(([op, of]) => [op, kinds.flatMap((which) => [...of[which].values()]).map((r) => [r.mb_s.mean, rate(r.mb_s.mean), rateHint(r)])]);
  const names = kinds.map((which) => whose(which, vals(found).find((of) => of[which].size)[which]));
  return [bars("Bandwidth by function", groups, names, "MB/s"), folded([table(title, ["<function", "<does", ...STATS], rows)])];
}

function bandwidthMaps(found, title) {
  return ["all", "one"].map((which) => {
    const shown = [...found].filter(([, of]) => of[which].size).map(([op, of]) => [op, of[which]]);
    if (!shown.length) return [];
    const maps = shown.map(([op, matrix]) => {
      const best = max(...vals(matrix).map((r) => r.mb_s.mean));
      const step = (value) => min(6, max(0, floor((value / best - 0.3) * 10 + 1e-9) || 0));
      return heatMap(`${op}, ${whose(which, matrix)}`, matrix, (r) => r.mb_s.mean, (r) => rate(r.mb_s.mean), (r) => `${between(r)}: ${rateHint(r)}`, step);
    });
    const rows = shown.flatMap(([op, matrix]) => vals(matrix).map((r) => [op, r.cpu_node, r.mem_node, ...statsCells(r)]));
    return [el("h3", {}, capital(unique(shown.map(([, matrix]) => whose(which, matrix))).join(" or "))),
      heatKey("Share of the best pair:", ["below 40 %", "40 %", "50 %", "60 %", "70 %", "80 %", "90 % and more"]),
      el("div", { class: "flow" }, maps), folded([table(title, ["<function", "CPUs of node", "memory of node", ...STATS], rows)])];
  });
}

const LATENCY_X = { label: "size of the array (log scale)", log: true, binary: true, format: size };
const LATENCY_Y = { label: "ns (log scale)", log: true };
const latencySeries = (run, name = "") => latencyCurves(run).map((row) => [`${name}${between(row[0])}`,
  row.map((r) => ({ x: r.size_bytes, y: r.ns, error: statsOf(r, "ns").stddev ?? 0, label: `${size(r.size_bytes)}: ${statsHint(r, "ns")}` }))]);

const WAITS = ["CPU of node", "memory of node", "size", "ns", ...SPREAD];
const waitCells = (r) => [r.cpu_node, r.mem_node, sized(r.size_bytes), ...meanCells(r, "ns")];

function latencyPart(run) {
  const matrix = latencyMatrix(run);
  if (!matrix.size) return [];
  const marks = run.all("cache").filter((c) => c.level).map((c) => [c.size_bytes, `L${c.level} ${size(c.size_bytes)}`]);
  const curveRows = latencyCurves(run).flat().map(waitCells);
  const shortest = min(...vals(matrix).map((r) => r.ns).filter((ns) => ns > 0), Infinity);
  const limits = [1.1, 1.25, 1.5, 1.75, 2, 2.5];
  const map = matrix.size > 1 ? [heatKey("Multiple of the lowest:", ["1", ...limits.slice(0, -1), "2.5 and more"]),
    heatMap(`Idle latency between nodes, ns${hows(vals(matrix))}`, matrix, (r) => r.ns, (r) => wait(r.ns), (r) => `${between(r)}: ${statsHint(r, "ns")}, over ${size(r.size_bytes)}`,
      (ns) => limits.filter((limit) => ns / shortest >= limit).length)] : [];
  const rows = vals(matrix).map(waitCells);
  return [p("Latency of one CPU while nothing else runs, in ns: a random pointer chase, a line of 64 bytes a step. The curve rises a step where the array"
    + " outgrows a cache."), curves("Latency over size", latencySeries(run), LATENCY_X, LATENCY_Y, marks), map,
  folded([table("Idle latency between nodes", WAITS, rows), table("Idle latency over the size of the array", WAITS, curveRows)]), exchanges(run)];
}

// Lines of memory that one CPU read out of the caches of another.
function exchanges(run) {
  const found = run.all("cache_to_cache");
  const title = `Lines in another CPU's cache${hows(found)}`;
  const groups = [...grouped(found, (r) => `share: ${r.share}; CPU ${r.cpu} from ${r.other_cpu}, mem ${r.mem_node}`)]
    .map(([name, row]) => [name, row.map((r) => [r.ns, wait(r.ns), statsHint(r, "ns")])]);
  const rows = found.map((r) => [r.share, r.state, r.cpu, r.other_cpu, r.mem_node, sized(r.size_bytes), ...meanCells(r, "ns")]);
  return [bars(`${title}, by the nearest that both share`, groups, ["clean", "modified"], "ns"),
    folded([table(title, ["<share", "<lines", "CPU", "from", "memory", "size", "ns", ...SPREAD], rows)])];
}

// What the threads of a row run on: "4 cores + 2 siblings"; "" in older reports.
const placesOf = (r) => [[r.cores, "core"], [r.efficient_cores, "efficient core"], [r.siblings, "sibling"]].filter(([n]) => n).map(([n, name]) =>
  count(n, name)).join(" + ");
const scalingSeries = (orders, name = "") => [...orders].map(([order, row]) => [`${name}${order}`, row.map((r) => ({ x: r.threads, y: r.mb_s.mean,
  error: statsOf(r, "mb_s").stddev ?? 0, label: joined([order, placesOf(r), rateHint(r), speedUp(r, row) && `${speedUp(r, row)} times one CPU`], ", ") }))]);

function scalingPart(run) {
  const found = [...scalingOf(run)];
  if (!found.length) return [];
  return [p("Bandwidth of 1 CPU to all together, with local memory: nodes filled one after another (fill), in turn (spread); efficiency cores alone (efficient). Error bars: one"
    + " standard deviation to each side. Where a curve flattens, memory is saturated."),
  found.map(([op, orders]) => [
    curves(`Scaling of ${op}`, scalingSeries(orders), { label: "CPUs" }, { label: `${op}, MB/s` }),
    folded([table(`Scaling of ${op}, MB/s`, ["<order", "<on", ...STATS, "speed-up"], [...orders].flatMap(([order, row]) =>
      row.map((r) => [order, placesOf(r), ...statsCells(r), speedUp(r, row)])))]),
  ])];
}

function loadedPart(run) {
  const found = [...loadedCurves(run).values()];
  if (!found.length) return [];
  const plots = [...grouped(found, ([r]) => between(r))].map(([pair, curvesOf]) => curves(`Loaded latency, ${pair}`, curvesOf.map((row) => [row[0].mix, row.map((r) => ({
    x: r.load_mb_s, y: r.ns, error: statsOf(r, "ns").stddev ?? 0, label: `${statsHint(r, "ns")} at ${statsHint(r, "load_mb_s")} MB/s (${words(r.load)})` }))]),
  { label: "bandwidth of the other CPUs, MB/s" }, { label: "latency, ns" }));
  const rows = found.flat().map((r) => [r.mix, `${words(r.cpu_node)} to ${words(r.mem_node)}`, sized(r.size_bytes), ...meanCells(r, "load_mb_s"), ...meanCells(r, "ns"), r.load]);
  return [p("Latency of one CPU while the others increase their load (to the right): only reads, or three, two or one for each write. Where the curve bends"
    + " up, memory is saturated."), plots.slice(0, 4), plots[4] ? el("details", {}, el("summary", {}, "More nodes"), plots.slice(4)) : [],
  folded([table("Loaded latency", ["<mix", "<nodes", "size", "load MB/s", ...SPREAD, "ns", ...SPREAD, "<load"], rows)])];
}

const CONTESTS = [["read", "idle_mb_s", "loaded_mb_s", "read_time_percent"], ["write", "idle_write_mb_s", "loaded_write_mb_s", "write_time_percent"],
  ["latency", "idle_ns", "loaded_ns", "latency_percent"]];
// Older reports have reads alone, of memory that both nodes read.
const loadOf = (r) => `${words(r.load ?? "reads")} of ${r.load_node} on ${words(r.load_mem_node ?? r.mem_node)}`;

function timeAdded(r, [what, , , percent]) {
  const stats = statsOf(r, percent);
  const lost = r.slowdown_percent ?? NaN;
  return stats ?? (what === "read" && lost < 100 ? { mean: 100 * lost / (100 - lost), stddev: null } : null);
}

// The bars of reads or writes that take longest.
function contentionBars(found, contest) {
  const [what, idle, loaded] = contest;
  const added = (r) => timeAdded(r, contest)?.mean ?? NaN;
  const bar = (r, quantity, when, more = "") => [r[quantity].mean, `${rate(r[quantity].mean)}${more}`, `${when}: ${statsHint(r, quantity)}`];
  const groups = found.filter((r) => statsOf(r, loaded)).sort((a, b) => (added(b) || 0) - (added(a) || 0)).slice(0, 12)
    .map((r) => [`CPUs of ${r.cpu_node} on mem ${r.mem_node}, ${loadOf(r)}`,
      [bar(r, idle, "alone"), bar(r, loaded, "under load", isNumber(added(r)) ? ` (time ${signed(added(r))})` : "")]]);
  return groups.length ? bars(`Contention: ${what}s that take longest`, groups, ["alone", "under load"], `MB/s ${what}`) : [];
}

function contentionPart(run) {
  const found = run.all("contention");
  const busy = run.all("latency").filter((r) => r.load !== "idle" && !("mix" in r));
  if (!found.length && !busy.length) return [];
  const rows = found.flatMap((r) => CONTESTS.filter(([, , loaded]) => statsOf(r, loaded)).map((contest) => {
    const [what, idle, loaded] = contest;
    const added = timeAdded(r, contest);
    return [r.cpu_node, r.mem_node, loadOf(r), `${words(r.threads)}+${words(r.load_threads)}`, what === "latency" ? "latency, ns" : `${what}, MB/s`,
      added ? signed(added.mean) : "", ...spreadCells(added, "percent"), ...meanCells(r, idle), ...meanCells(r, loaded)];
  }));
  const busyRows = busy.map((r) => [...waitCells(r), r.load]);
  return [p("A node's CPUs alone, and while another node's are busy with their own memory or with the same. Time: how much longer the same work"
    + " takes under the load than in the run beside it."), CONTESTS.slice(0, 2).map((contest) => contentionBars(found, contest)),
  folded([table("Contention between nodes", ["CPUs of", "memory", "<load", "CPUs", "<what", "time", ...SPREAD, "idle", ...SPREAD, "loaded", ...SPREAD], rows)]),
  table("Latency under other load", [...WAITS, "<load"], busyRows)];
}

function redundancyPart(run) {
  const found = run.all("redundancy");
  if (!found.length) return [];
  const plain = new Map(found.filter((r) => r.kind === "plain").map((r) => [pairOf(r), r]));
  const cost = (r) => (r.kind === "plain" ? "" : signed(0 - r.cost_percent));
  const groups = [...grouped(found.filter((r) => r.kind !== "plain"), (r) => `${pairOf(r)},${r.other_node}`)].slice(0, 12).map(([, row]) => [
    `CPUs of ${row[0].cpu_node}, data on ${row[0].mem_node}, second on ${row[0].other_node}`,
    [plain.get(pairOf(row[0])), ...["mirror", "parity"].map((kind) => row.find((r) => r.kind === kind))]
      .map((r) => (r ? [r.mb_s.mean, `${rate(r.mb_s.mean)}${cost(r) && ` (${cost(r)})`}`, `${words(r.kind)}: ${rateHint(r)}`] : [0, "", ""]))]);
  const rows = found.map((r) => [r.kind, r.cpu_node, r.mem_node, r.kind === "plain" ? "" : r.other_node, ...statsCells(r), cost(r)]);
  return [p("Writes of data kept plain, twice (mirror), or with a line of XOR for each four (parity); what is more is on another node, as with"
    + " firmware's mirroring."), bars("Cost of redundancy", groups, ["plain", "mirror", "parity"], "MB/s of data"),
  folded([table("Cost of redundancy, MB/s of data", ["<kind", "CPUs of", "data on", "second on", ...STATS, "change"], rows)])];
}

// --- memory and tests -----------------------------------------------------------------------------

const CELLS = [["t", "tested"], [".", "not tested"], ["-", "left out"], ["o", "okram"], ["X", "bad"]];
const SIGNS = { t: "", ".": "·", "-": "–", o: "o", X: "×" };

function picturePart(run) {
  const record = run.last("picture");
  if (!record) return [];
  const nodes = record.nodes.map(({ node, cells }) => [node, [...cells.matchAll(/(\d*)([t.\-oX])/g)].map(([, n, letter]) => [Number(n || 1), letter])]);
  const total = nodes.flatMap(([, runs]) => runs.map(([n]) => n)).reduce((a, b) => a + b, 0);
  if (total < 1 || total > 512) return p("The picture in this report is not one that okram makes.");
  const used = CELLS.filter(([letter]) => nodes.some(([, runs]) => runs.some((run_) => run_[1] === letter)));
  const numbersOf = (letter) => nodes.flatMap(([, runs]) => runs).filter((one) => one[1] === letter).reduce((sum, [n]) => sum + n, 0);
  const said = used.map(([letter, name]) => `${numbersOf(letter)} ${name}`).join(", ");
  const cell = (letter, name) => el("i", { class: `cell ${letter}`, title: name }, SIGNS[letter]);
  const names = new Map(CELLS);
  return [p(`All RAM, ${size(record.cell_bytes)} a square: ${said}. One bad page makes its square bad.`),
    el("div", { class: "key" }, used.map(([letter, name]) => el("span", {}, cell(letter, name), name))),
    nodes.map(([node, runs]) => [nodes.length > 1 ? el("h3", {}, `Node ${node}`) : [],
      el("div", { class: "ram", role: "img", "aria-label": `All RAM of node ${words(node)}: ${said}` },
        runs.flatMap(([n, letter]) => Array.from({ length: n }, () => cell(letter, names.get(letter)))))])];
}

// With the bank's name where another slot has the same: "P0 CHANNEL A DIMM 0".
const slotName = (run, m) => (run.all("module").filter((one) => one.slot === m.slot).length > 1 ? joined([m.bank, m.slot]) : m.slot);
const moduleName = (run, m) => (m.slot ? slotName(run, m) : `channel ${m.channel}${m.dimm < 2 ? `, module ${m.dimm}` : ""}`);

// By the memory controllers' registers, once a measurement has confirmed these: [{channel, dimm, words, slot, ...}].
function modulesOf(run) {
  const found = run.last("kind")?.modules ?? [];
  const fitted = found.length ? run.last("controller")?.channels ?? [] : [];
  const all = new Map(fitted.flatMap(({ dimms }, channel) => dimms.map((d, dimm) => [`${channel},${dimm}`, { ...d, channel, dimm }])));
  for (const { channel, dimm, slot, bank } of run.last("controller")?.slots ?? []) Object.assign(all.get(`${channel},${dimm}`) ?? {}, { slot, bank });
  for (const m of found) all.set(`${m.channel},${m.dimm}`, { ...all.get(`${m.channel},${m.dimm}`), ...m });
  // Dimm 2: one of the channel's two.
  return vals(all).filter((m) => m.words || (m.bytes && !all.has(`${m.channel},2`)));
}

// "faults are in 2 of 8 modules, by the memory controller's registers, ..."
function byModule(run, modules) {
  const bad = modules.filter((m) => m.words).length;
  const all = run.last("kind").modules_fitted ?? modules.length;
  const which = bad < all ? `${bad} of ${all} modules` : bad === 1 ? "the only module" : bad === 2 ? "both modules" : `all ${bad} modules`;
  return `faults are in ${which}, ${words(run.last("kind").channels).split("; ").at(-1)}`;
}

// A module's faults by bank (across) and row (down), as far as records say them.
function moduleFigure(run, m) {
  const banks = min(64, m.banks) || 1;
  const at = run.all("fault").map((f) => words(f.place).match(/^channel (\d+), module (\d), rank (\d), bank (\d{1,2}), row 0x([0-9a-f]{1,8}),/))
    .filter((place) => place && m.rows && Number(place[1]) === m.channel && Number(place[2]) === m.dimm)
    .map(([, , , rank, bank, row]) => `${rank * banks + Number(bank)},${floor(Number.parseInt(row, 16) / m.rows * 32) || 0}`);
  const cells = unique(at).map((one) => one.split(",")).map(([x, y]) => svg("rect", { x, y, width: 1, height: 1 }));
  const about = [joined([m.bytes && size(m.bytes), m.part], ", "), m.serial && `serial ${words(m.serial)}`, m.words ? count(m.words, "faulty word") : "no fault"];
  return el("figure", {}, el("figcaption", {}, el("b", {}, moduleName(run, m)), about.filter(Boolean).map((line) => el("div", {}, line))),
    svg("svg", { class: m.words && !cells.length ? "all" : null, viewBox: `0 0 ${banks * (min(4, m.ranks) || 1)} 32`, preserveAspectRatio: "none" }, cells));
}

function byModulePart(run) {
  const modules = modulesOf(run);
  return modules.length ? [p(`${capital(byModule(run, modules))}.`, modules.some((m) => m.rows) ? " Across: ranks and banks; down: rows." : ""),
    el("div", { class: "dimms" }, modules.map((m) => moduleFigure(run, m)))] : [];
}

function wrongBits(fault) {
  if (!ADDRESS.test(fault.expected) || !ADDRESS.test(fault.found)) return null;
  return BigInt(fault.expected) ^ BigInt(fault.found);
}

const bitNumbers = (bits) => (bits ? listed(Array.from({ length: 64 }, (_, i) => i).filter((i) => (bits >> BigInt(i)) & 1n)) : "");
const pageOf = (address) => (ADDRESS.test(address) ? `0x${(BigInt(address) / PAGE * PAGE).toString(16)}` : words(address));

const testsOf = (all) => unique(all.map((r) => words(r.test))).join(", ");

function faultsPart(run) {
  const faults = run.all("fault");
  const hides = run.encrypted;
  const [hasChannels, hasPlaces] = ["channel", "place"].map((name) => faults.some((fault) => name in fault));
  const heatOf = (f) => f.module_temperature ?? f.cpu_temperature;
  const hasHeat = faults.some((f) => isNumber(heatOf(f)));
  const columns = ["<address", "<expected", "<found", ...(hides ? [] : ["<wrong bits"]), "<test", "pass", "CPU", "node", ...(hasChannels ? ["<channel"] : []), ...(hasPlaces ? ["<place"] : []), ...(hasHeat ? ["°C"] : []), "time"];
  const rows = faults.map((f) => [f.addr, f.expected, f.found, ...(hides ? [] : [bitNumbers(wrongBits(f))]), f.test, f.pass, f.cpu, f.node,
    ...(hasChannels ? [f.channel] : []), ...(hasPlaces ? [f.place] : []), ...(hasHeat ? [heatOf(f)] : []), isNumber(f.t) ? timed(f.t) : ""]);
  const more = run.faults - faults.length;
  const notes = [hides && "Bits: not shown, memory is encrypted.", more > 0 && `${count(more, "fault")} more ${more === 1 ? "was" : "were"} counted, not recorded.`];
  return [table(`Faults recorded: ${faults.length}`, columns, rows, notes.filter(Boolean)), badPages(run), exactPages(run)];
}

function retestText(one) {
  if (!one) return "";
  if (!one.tries) return "not tested again";
  if (!one.failed) return `not again in ${count(one.tries, "time")}`;
  return one.failed === one.tries ? "always" : `${one.failed} of ${one.tries} times`;
}

function badPages(run) {
  const retests = new Map(run.all("retest").map((one) => [pageOf(one.page), one]));
  const pages = grouped(run.all("fault"), (fault) => pageOf(fault.addr));
  for (const page of retests.keys()) if (!pages.has(page)) pages.set(page, []);
  const rows = [...pages].sort((a, b) => inOrder(sortKey(a[0]), sortKey(b[0]))).map(([page, there]) => [page, there[0]?.node, there.length,
    run.encrypted ? "" : bitNumbers(there.reduce((bits, fault) => bits | (wrongBits(fault) ?? 0n), 0n)), retestText(retests.get(page)),
    testsOf(there)]);
  return table("Bad pages, of the faults recorded", ["<page", "node", "faults", "<bits", "<tested again", "<tests"], rows);
}

function exactPages(run) {
  const rows = run.all("pages").flatMap((record) => record.runs.map(([base, end]) => [base, end, Number((BigInt(end) - BigInt(base)) / PAGE)]));
  const notes = run.all("pages").some((record) => record.more) ? ["Others are left out."] : [];
  return folded([table("All bad pages; the end is not part of them", ["<from", "<to", "pages"], rows, notes)], "All bad pages");
}

// As okramlib/settings.py names what a module runs at; "": not known.
function runsAt({ kind, running, configured_mt_s: by, configured_mv: mv, setting, profiles }) {
  const { mt_s: speed = by, cl, rcd, rp, ras, command_rate: t } = running ?? {};
  const near = ({ mt_s: mts, timings }) => Math.abs(speed - mts) <= 40 && !(cl && timings?.cl && (cl < timings.cl || cl > timings.cl + 1));
  const of = ["jedec", "below-profile"].includes(setting) ? "JEDEC" : profiles?.find(near)?.kind.toUpperCase() ?? (setting && "overclock");
  return speed || running ? joined([kind, speed && `${speed} MT/s`, running && [cl, rcd, rp, ras].map((n) => n || "?").join("-"), t && `${t}T`, of,
    mv && `${digits(mv / 1000, 4)} V`]) : "";
}

const ALWAYS_TRIES = 4; // as kernel/run/testing/retest.c
const isAlwaysBad = (run) => run.all("retest").some((one) => one.tries >= ALWAYS_TRIES && one.failed === one.tries);

function stability(run, { errors, moved_bytes: moved, per_tb: rate, low, high, first_s: first }) {
  const settings = unique(run.all("module").map(runsAt)).filter(Boolean).join(", ");
  const figure = (n) => n.toFixed(n >= 100 ? 0 : n >= 10 ? 1 : n >= 1 ? 2 : 3);
  const tb = (n) => (n < 1 ? `${figure(n * 1e3)} GB` : `${figure(n)} TB`);
  const text = `Stability${settings && ` at ${settings}`}: ${errors ? count(errors, "error") : "no error"} in ${tb(moved / 1e12)}`;
  if (isAlwaysBad(run)) return `${text}, but no rate: a page was bad each time that it was tested again.`;
  if (!errors) return `${text}: fewer than 1 in ${tb(1 / high)} (95 %, one-sided).`;
  return `${text}: ${figure(rate)} per TB (${figure(low)} to ${figure(high)}, 95 %)${isNumber(first) ? `, the first after ${seconds(first)}` : ""}.`;
}

// The limits of the part of starts with errors.
function share({ starts, with_errors: n, low, high }) {
  const part = (value) => (100 * value).toFixed(1);
  if (starts && !n) return `at most ${part(high)} %`;
  return starts && n === starts ? `at least ${part(low)} %` : `${part(low)} to ${part(high)} %`;
}

function testedPart(run) {
  const result = run.last("result");
  const tested = result?.tested_bytes;
  const rows = run.all("test").map((one) => [one.pass, one.test, timed(one.seconds), tested ? (one.swept_bytes / tested).toFixed(0) : "", sized(one.swept_bytes),
    one.seconds > 1e-6 ? rate(one.swept_bytes / 1e6 / one.seconds) : "", one.seed, one.faults]);
  const notes = unique(run.all("test").filter((one) => one.note).map((one) => `${words(one.test)}: ${words(one.note)}`));
  const spans = (title, found, why) => table(title, ["size", "<from", "<to", ...(why ? ["<reason"] : [])], (found ?? []).map((part) =>
    [sized(max(0, Number(BigInt(part.end) - BigInt(part.base)))), part.base, part.end, ...(why ? [part.why] : [])]));
  const out = result?.excluded;
  return [
    rows.length ? table("Tests", ["pass", "<test", "time", "sweeps", "swept", "MB/s", "seed", "faults"], rows, notes) : p("This run has no record of a memory test."),
    result ? p(`Tested: ${size(tested)}. Not tested: ${size(result.untested_bytes)}.`) : [],
    out ? p(`Excluded (95 %): for each cell, a fault that shows in more than one of ${count(out.one_in, "read")}; errors at random times, more than `
      + `${digits(out.per_hour, 2)} an hour.`) : [],
    run.all("cycles").slice(-1).map((one) => p(`By start: errors in ${words(one.with_errors)} of ${count(one.starts, "start")} (${share(one)} of `
      + `all starts), ${words(one.wanted)} wanted; without a result: ${words(one.lost)}; late: ${words(one.late)}; `
      + `with other memory: ${words(one.dropped)}.`)),
    result?.stability ? p(stability(run, result.stability)) : [],
    spans("Not tested", result?.untested, true), spans("Tested, but never together with other memory", result?.unpaired),
  ];
}

// Of a record: [name, {now, highest, doubt}].
const sensorsOf = (r) => [...(r.cpu ? [["CPU", r.cpu]] : []), ...r.modules.map((m) => [words(m.slot ?? m.address), m])];

function heatPart(run) {
  const all = run.all("temperature").filter((r) => isNumber(r.t) && isNumber(r.mb_s));
  const last = all.at(-1);
  if (all.length < 2) return [];
  const time = { label: "time", format: seconds };
  const row = (name, of) => [name, all.map((r) => ({ x: r.t, y: of(r), error: 0, label: `${seconds(r.t)}: ${words(of(r))}` })).filter((q) => isNumber(q.y))];
  const degrees = unique(all.flatMap((r) => sensorsOf(r).map(([name]) => name))).map((name) =>
    row(name, (r) => sensorsOf(r).filter(([one, d]) => one === name && !d.doubt).map(([, d]) => d.now)[0]));
  const marks = all.filter((r) => r.when === "fault" || r.when === "hot").map((r) => [r.t, r.when === "hot" ? "hot" : "first faults"]);
  const limits = [["module", "a module"], ["cpu", "the CPU"]].filter(([name]) => isNumber(last[`${name}_max`]))
    .map(([name, of]) => `${last[`${name}_max`]} °C of ${of}`).join(", ");
  return [p(`Traffic pauses above: ${limits || "no limit"}.${isNumber(last.paused_s) ? ` ${count(last.pauses, "pause")}, ${seconds(last.paused_s)} in all.` : ""}`
    + (last.governs === "time" ? " The modules' sensors have failed: pauses are timed." : "")),
  curves("Temperature over time", degrees, time, { label: "°C" }, marks),
  curves("Speed over time", [row("all CPUs", (r) => (r.when === "start" ? null : r.mb_s))], time, { label: "MB/s" }),
  last.faults ? curves("Faults over time", [row("faults", (r) => r.faults)], time, { label: "faults" }, marks) : []];
}

function modulesPart(run) {
  const speed = (value, timings) => joined([value, timings && `(${Object.values(timings).join("-")})`]);
  const running = ({ running: r, configured_mt_s: by }) => (r
    ? joined([r.mt_s ?? by ?? "speed not known", `(${[r.cl, r.rcd, r.rp, r.ras].join("-")}${r.command_rate ? ` ${r.command_rate}T` : ""})`]) : by);
  const settings = { overclock: "an overclock, beyond JEDEC's figures in the SPD: faults may come from it",
    "overclock-below-profile": "an overclock, slower than its fastest profile: faults may come from it", "below-profile": "slower than its fastest profile" };
  const modules = run.all("module");
  const rows = modules.map((m) => [slotName(run, m) ?? m.address, joined([m.kind, m.form]), m.size_bytes ? sized(m.size_bytes) : "", joined([m.maker, m.part]), m.serial,
    m.year ? `${m.year}-W${String(m.week).padStart(2, "0")}` : "", running(m), speed(m.jedec_mt_s, m.timings),
    (m.profiles ?? []).map((one) => speed(`${words(one.kind).toUpperCase()} ${words(one.mt_s)}`, one.timings)).join(", ")]);
  const notes = [...run.all("geometry").slice(-1).map((one) => `${words(one.text)}.`), ...modules.flatMap((m) => [...(settings[m.setting] ? [settings[m.setting]] : []), ...(m.problems ?? [])].map((problem) => `${words(m.slot ?? m.address)}: ${words(problem)}.`))];
  const when = { start: "start", fault: "first faults", hot: "hot", end: "end" };
  const degrees = run.all("temperature").filter((r) => Object.hasOwn(when, r.when)).flatMap((r) => sensorsOf(r)
    .map(([name, d]) => [when[r.when], name, d.doubt ? `? (${words(d.doubt)})` : d.now.toFixed(1), d.highest?.toFixed(1) ?? "?"]));
  const nodes = run.all("node").map((n) => [n.node, listed(n.cpus), sized(n.ram_bytes), n.spans.map(([base, end]) => `${words(base)}-${words(end)}`).join(", ")]);
  return [table("Memory modules", ["<slot", "<kind", "size", "<made by", "<serial", "<week", "<runs at", "JEDEC", "<profiles"], rows, notes),
    table("Temperatures, degrees Celsius", ["<at", "<of", "now", "highest"], degrees), table("Nodes", ["node", "<CPUs", "RAM", "<at"], nodes)];
}

function otherPart(run) {
  const yes = (value) => (value ? "yes" : "no");
  const places = ["node", "card", "module", "rank", "device", "bank", "row", "column"];
  const last = new Map(run.all("alias").map((alias) => [alias.diff, alias]));
  const external = [...grouped(run.all("external"), (one) => pageOf(one.addr))].map(([page, there]) =>
    [page, there.length, seconds(there[0].t ?? 0), testsOf(there)]);
  return [
    table("Pages that others wrote to", ["<page", "changes", "first seen", "<tests"], external,
      ["By a device or by firmware, which may write anywhere below 1 MiB: no faults."]),
    table("Aliases: addresses that reach the same cells", ["pages", "<such as", "<and", "<address bits", "<test"],
      vals(last).map((one) => [one.pages, one.addr, one.partner, one.diff ?? "various", one.test])),
    table("Machine checks", ["CPU", "bank", "<status", "<address", "<corrected", "errors", "<channel"],
      run.all("mce").map((one) => [one.cpu, one.bank, one.status, one.addr, yes(one.corrected), one.count ?? 1, one.channel])),
    table("Searches for pages with corrected errors", ["<page", "<result", "<of", "searched", "tries"],
      run.all("ecc_page").map((one) => [one.page, one.result, one.channel ?? `bank ${words(one.bank)}`, sized(one.searched_bytes), one.tries])),
    table("Errors of memory that firmware reports", ["source", "<severity", "<error", "<address", "<place", "errors", "<bad page"],
      run.all("cper").map((one) => [one.source, one.severity, one.error, one.addr,
        joined([...places.filter((name) => name in one).map((name) => `${name} ${words(one[name])}`), one.part], ", "), one.count ?? 1, one.page])),
    table("Interrupts that okram did not ask for, and ignored", ["vector", "number", "<name"],
      (run.last("result")?.interrupts ?? []).map((one) => [one.vector, one.count, one.what])),
    table("Banks and rows by timing", ["node", "<found", "<functions", "<row", "<column", "<why not"],
      run.all("rows").map((one) => [one.node, yes(one.found), joined(one.functions ?? [], ", "), one.row, one.column, one.why])),
  ];
}

const unknownPart = (run) => [...run.types].filter(([type]) => !KNOWN.has(type)).map(([type, records]) => [
  p(`${count(records.length, "record")} of the type “${words(type)}”, which this page does not know:`),
  el("pre", {}, records.slice(0, 100).map((record) => words(record)).join("\n"))]);

// --- the sheet for the seller of a module ---------------------------------------------------------

const SHEET_ROWS = 8; // modules, and faults, that have room on a page of A4

function foundModule(run) {
  const found = run.last("diagnosis");
  return found?.end === "module" && found.found && found.runs > 1 ? found : null;
}

function whichModule(run) {
  const found = foundModule(run);
  const n = run.all("module").length;
  if (found) {
    const [reasons, remedy] = [words(found.reasons), words(found.remedy)];
    return `${words(found.found)} Found by testing with modules exchanged, in ${count(found.runs, "run")}. `
      + (remedy && reasons.endsWith(remedy) ? reasons.slice(0, -remedy.length) : reasons).trim();
  }
  if (n === 1) return "The machine has one memory module, listed below.";
  const modules = modulesOf(run);
  const bad = modules.filter((m) => m.words).length;
  if (bad) return `${capital(bad > 2 ? byModule(run, modules) : words(run.last("kind").channels).replace(/: (exchange|take)[^;]*;/, ";"))}.`
    + (bad > 1 && modules.every((m) => m.words >= 8) ? " What they have in common is more likely bad than all of them." : "");
  if (n) return "The fault is in one of the memory modules listed below; which one was not tested.";
  return "The machine does not say which memory modules it has.";
}

const isBad = (result) => ["fail", "corrected"].includes(result.status);

function sheetFound(run) {
  const result = run.last("result");
  const ecc = eccErrors(result);
  const kind = run.last("kind");
  const said = [];
  if (!isBad(result)) said.push("No fault: see above for the runs with it.");
  else if (!result.bad_pages || (!run.faults && ecc)) {
    const did = result.status === "corrected" ? "corrected" : result.bad_pages ? "reported" : "could not correct";
    said.push(`The memory made errors, which its error correction (ECC) ${did}.`, ecc && `${ecc}. Good memory hardly ever does that.`);
  } else said.push(`${run.faults ? `${count(run.faults, "time")}, memory` : "Memory"} did not return what had been written, in `
    + `${count(result.bad_pages, "part")} of it (pages of 4 KiB). Good memory never does that.`);
  if (kind) said.push(`Kind of fault: ${named(KINDS, kind.kind)}${kind.kind === "unclear" ? "" : `, ${words(kind.confidence)}`}`
    + `${kind.chip ? `; ${words(kind.chip)}` : ""}. Evidence: ${words(kind.evidence)}.`);
  return said.filter(Boolean);
}

function sheetTables(run) {
  const faulty = modulesOf(run).filter((m) => m.words);
  const isKnown = faulty.length && faulty.every((m) => m.slot);
  const modules = run.all("module").map((m) => [...(isKnown ? [faulty.find(({ slot, bank }) => slot === m.slot && bank === m.bank)?.words ?? 0] : []), slotName(run, m), m.maker, m.part, m.serial, m.week && m.year ? `week ${m.week} of ${m.year}` : "",
    m.size_bytes ? size(m.size_bytes) : ""]);
  const faults = run.all("fault").slice(0, SHEET_ROWS).map((f) => [f.addr, f.expected, f.found, run.encrypted ? "" : bitNumbers(wrongBits(f))]);
  const more = modules.length - SHEET_ROWS;
  return [table("Memory modules", [...(isKnown ? ["faulty words"] : []), "<slot", "<maker", "<part number", "<serial number", "<made", "<size"], modules.slice(0, SHEET_ROWS),
    more > 0 ? [`And ${more} more.`] : []), table("The first faults, each of a word of 64 bits", ["<address", "<written", "<read", "<wrong bits"], faults)];
}

// Without faults there is none; but always once a search has found the bad module.
function sellerPart(run) {
  const result = run.last("result");
  const found = result && result.status !== "error" && foundModule(run);
  if (!result || (!found && !isBad(result))) return [];
  const heading = (found && headline(run)) || (isBad(result) ? HEADINGS[result.status] : "BAD MODULE FOUND");
  const of = found ? " in the last run" : "";
  const machine = kept(run) || (run.last("machine") ? machineText(run.last("machine")) : "");
  const tests = testsOf(run.all("test"));
  const [modules, faults] = sheetTables(run);
  return [
    el("h2", {}, `Memory test for the seller: ${heading}`), p(el("strong", {}, whichModule(run))), modules,
    el("h3", {}, `What was tested${of}`),
    p(`${size(result.tested_bytes)} of memory, in ${count(result.passes, "whole pass", "whole passes")}, ${seconds(result.seconds)}.`),
    machine ? p(`Machine: ${machine.replace(/\.$/, "")}.`) : [], tests ? p(`Tests: ${tests}.`) : [],
    p(`By okram${run.last("start") ? ` ${words(run.last("start").version)}` : ""}, a memory test that starts without an operating system: neither drivers nor`
      + " programs were running."),
    el("h3", {}, `What was found${of}`), sheetFound(run).map((one) => p(one)), faults,
  ];
}

// --- the page -------------------------------------------------------------------------------------

const PARTS = [
  ["lines", "Lines to copy", linesPart], ["picture", "All RAM", picturePart], ["by-module", "Faults by module", byModulePart], ["faults", "Faults", faultsPart],
  ["tests", "What was tested, and what was not", testedPart], ["heat", "Heat", heatPart], ["modules", "Modules and nodes", modulesPart], ["others", "Other findings", otherPart],
  ["missing", "Not measured", missingPart], ["caches", "Caches", cachesPart], ["bandwidth", "Bandwidth", bandwidthPart], ["latency", "Idle latency", latencyPart],
  ["scaling", "Scaling with CPUs", scalingPart], ["loaded", "Latency under load", loadedPart], ["contention", "Contention", contentionPart],
  ["redundancy", "Cost of redundancy", redundancyPart], ["unknown", "Records of other kinds", unknownPart],
];

// What a record of a wrong form breaks is one part, not the page.
function safely(make, ...from) {
  try { return [make(...from)].flat(Infinity); }
  catch (error) { return [el("p", { class: "error" }, `This part cannot be drawn: a record has another form than okram's (${error.message}).`)]; }
}

function section(id, title, children) {
  return el("section", { id, "aria-labelledby": title ? `h-${id}` : null }, title ? el("h2", { id: `h-${id}` }, title) : [], children);
}

function drawRun(run, damaged) {
  const made = PARTS.map(([id, title, make]) => [id, title, safely(make, run)]).filter(([, , parts]) => parts.length);
  const seller = safely(sellerPart, run);
  const links = [...made.map(([id, title]) => [id, title]), ...(seller.length ? [["seller", "For the seller (this is printed)"]] : []), ["raw", "Records"]];
  const cpu = run.last("machine")?.cpu;
  document.title = `okram: ${words(cpu) || "report"}`;
  return {
    isSheet: seller.length > 0,
    parts: [section("verdict", "", safely(verdictPart, run, damaged)),
      el("nav", { "aria-label": "Parts of this page" }, links.map(([id, title]) => el("a", { href: `#${id}` }, title))),
      made.map((part) => section(...part)), seller.length ? section("seller", "", seller) : []],
  };
}

function hostTable(record, i) {
  const rows = (record.rows ?? []).map((row) => row.map((cell) => words(cell)));
  const drawn = record.bars ? bars(record.bars.title, record.bars.groups, record.bars.names, record.bars.unit) : [];
  const notes = record.notes ?? [];
  const shown = rows.length ? table("", record.columns.map(words), rows, notes) : notes.map((note) => soft(note));
  return section(`table-${i}`, words(record.title), [drawn, shown]);
}

// Curves of both runs in one chart.
function bothCurves(runs) {
  const letters = "abcdefgh";
  const scalings = runs.map(scalingOf);
  const ops = [...scalings[0].keys()].filter((op) => scalings.every((of) => of.has(op)));
  const rates = ops.map((op) => curves(`Scaling of ${op} in both runs`, scalings.flatMap((of, i) => scalingSeries(of.get(op), `${letters[i]}: `)),
    { label: "CPUs" }, { label: `${op}, MB/s` }));
  const waits = runs.map((run, i) => latencySeries(run, `${letters[i]}: `));
  return [rates.length ? section("scaling", "Scaling with CPUs", rates) : [],
    waits.every((series) => series.length) ? section("latency", "Idle latency", curves("Latency over size in both runs", waits.flat(), LATENCY_X, LATENCY_Y)) : []];
}

// What the host made of several runs, or of a fleet: `page` with sentences, tables, and the runs.
function drawPage({ page, tables, files }) {
  document.title = words(page.title);
  const [first, ...others] = tables.map((one, i) => safely(hostTable, one, i));
  const verdicts = files.map((run) => {
    const result = run.last("result");
    return [run.name, ...(result ? [named(HEADINGS, statusOf(result)), `${verdict(run)} ${ending(result)}`] : ["DID NOT FINISH", unfinished(run)])];
  });
  return [section("verdict", "", [el("h1", {}, page.title), (page.sentences ?? []).map((one) => el("p", { class: "verdict" }, one)),
    (page.problems ?? []).length ? el("ul", { class: "warnings" }, page.problems.map((one) => el("li", {}, `In the file ${words(one)}.`))) : [],
    table("Results", ["<run", "<result", "<of the tests"], verdicts), (page.notes ?? []).map((one) => soft(one))]),
  first, files.length > 1 ? safely(bothCurves, files) : [], others];
}

// The records as they are; characters that a browser obeys are written as JSON's escapes.
function drawRaw(block) {
  block.textContent = block.textContent.replace(HIDDEN, (c) => [...Array(c.length).keys()].map((i) =>
    `\\u${c.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""));
  return section("raw", "Records", [p("The run as okram wrote it, a record a line (JSON), for programs and for reports of errors."),
    el("details", {}, el("summary", {}, count(block.textContent.split("\n").filter(Boolean).length, "line")), block)]);
}

function draw() {
  const block = document.getElementById("records");
  const main = document.getElementById("page");
  const found = read(block.textContent);
  const run = found.files.at(-1) ?? found.runs.at(-1) ?? new Run();
  if (!found.page && found.runs.length > 1) run.problems.push(`there are ${found.runs.length} runs in it; this is the last`);
  const { isSheet, parts } = found.page ? { parts: safely(drawPage, found) } : drawRun(run, found.damaged);
  main.replaceChildren(...[parts, drawRaw(block)].flat(Infinity));
  if (isSheet) main.className = "sheet";
}

draw();
