# SPDX-License-Identifier: MIT
"""The style sheet of the page, light and dark, and for paper."""

# Pale to strong in light, dark to bright in dark; the last steps have the other colour of text.
_HEAT_LIGHT = ("#eef4fb", "#d9e8f7", "#bcd7f0", "#94bfe6", "#629fd6", "#2f78b8", "#17538c")
_HEAT_DARK = ("#1b2633", "#1d3146", "#1f3f5e", "#235380", "#2c6da8", "#4f95d3", "#8fc3f2")
_LAST_PALE_LIGHT = 4
_LAST_DARK_DARK = 4

_SERIES_LIGHT = ("#1f6fb5", "#b8570a", "#2d7d3a", "#8b3fa8", "#a3263f", "#5a6570")
_SERIES_DARK = ("#6fb1ee", "#f0a058", "#7ecb88", "#cf95e6", "#f08a9d", "#aeb9c4")


def _heat(colours, last_plain, other_text):
    for step, colour in enumerate(colours):
        text = "var(--text)" if step <= last_plain else other_text
        yield f".h{step} rect {{ fill: {colour} }} .h{step} text {{ fill: {text} }}"
        yield f".k{step} {{ background: {colour} }}"


def _series(colours):
    for number, colour in enumerate(colours):
        yield f".s{number} {{ --series: {colour} }}"


_LIGHT = "\n".join([*_heat(_HEAT_LIGHT, _LAST_PALE_LIGHT, "#fff"), *_series(_SERIES_LIGHT)])
_DARK = "\n".join([*_heat(_HEAT_DARK, _LAST_DARK_DARK, "#0d1117"), *_series(_SERIES_DARK)])

STYLE = f"""
:root {{ color-scheme: light dark; --page: #f6f7f9; --card: #fff; --text: #1b232c; --soft: #57626e;
  --line: #dde2e8; --good: #1b7a37; --bad: #b3261e; --note: #fff6dd; --noteline: #d9b23c; }}
{_LIGHT}
@media (prefers-color-scheme: dark) {{
:root {{ --page: #0f141a; --card: #161d26; --text: #e3e9ef; --soft: #9aa7b4; --line: #2b3642;
  --good: #6fcf86; --bad: #ff8a80; --note: #2b2617; --noteline: #a8872a; }}
{_DARK}
}}
* {{ box-sizing: border-box }}
body {{ margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }}
main {{ max-width: 1120px; margin: 0 auto; padding: 24px 20px 64px; }}
h1 {{ font-size: 1.7rem; margin: 0 0 4px; }}
h2 {{ font-size: 1.25rem; margin: 0 0 6px; }}
h3 {{ font-size: 1rem; margin: 22px 0 8px; }}
p {{ margin: 0 0 12px; max-width: 80ch; }}
.soft {{ color: var(--soft); }}
section, header {{ background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 20px 22px; margin: 0 0 18px; }}
nav {{ display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0 0 18px; }}
a {{ color: var(--text); }}
.verdict {{ font-size: 1.15rem; font-weight: 650; margin: 10px 0; }}
.pass {{ color: var(--good); }} .fail, .stopped, .incomplete, .error {{ color: var(--bad); }}
ul.warnings {{ list-style: none; margin: 12px 0; padding: 0; }}
ul.warnings li {{ background: var(--note); border-left: 4px solid var(--noteline);
  border-radius: 4px; padding: 7px 12px; margin: 0 0 6px; }}
pre {{ margin: 4px 0 14px; padding: 10px 12px; border: 1px solid var(--line); border-radius: 6px;
  background: var(--page); font: 14px/1.5 ui-monospace, Menlo, Consolas, monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }}
.copied {{ display: flex; justify-content: space-between; align-items: baseline; gap: 12px; }}
button {{ font: inherit; font-size: .85rem; padding: 2px 10px; cursor: pointer; color: var(--text);
  background: var(--card); border: 1px solid var(--line); border-radius: 6px; }}
.tiles {{ display: grid; gap: 10px; margin: 14px 0 0;
  grid-template-columns: repeat(auto-fit, minmax(270px, 1fr)); }}
.tiles div {{ border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }}
.tiles dt {{ color: var(--soft); font-size: .85rem; }}
.tiles dd {{ margin: 0; font-size: 1.3rem; font-weight: 650; }}
.tiles dd.soft {{ font-size: .85rem; font-weight: 400; }}
.figures {{ display: flex; flex-wrap: wrap; gap: 18px 24px; }}
figure {{ margin: 0; max-width: 100%; overflow-x: auto; }}
figcaption {{ font-weight: 600; font-size: .95rem; margin: 0 0 2px; }}
svg {{ display: block; max-width: 100%; height: auto; }}
svg text {{ font-size: 13px; fill: var(--text); }}
svg .tick {{ font-size: 12.5px; fill: var(--text); }}
svg .axis {{ font-size: 12.5px; fill: var(--soft); }}
svg .middle {{ text-anchor: middle; }} svg .end {{ text-anchor: end; }}
svg .grid {{ stroke: var(--line); }} svg .edge {{ stroke: var(--soft); }}
svg .mark {{ stroke: var(--soft); stroke-dasharray: 4 4; }}
svg polyline {{ fill: none; stroke: var(--series); stroke-width: 1.6; }}
svg .error {{ fill: none; stroke: var(--series); stroke-width: 1.2; }}
svg circle, svg .curve rect, svg .curve path:not(.error), svg [class^="s"] > rect,
svg [class^="s"] > path {{ fill: var(--series); }}
.key {{ display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; margin: 10px 0 12px;
  font-size: .85rem; color: var(--soft); }}
.key span {{ display: inline-flex; align-items: center; gap: 5px; }}
.key i {{ width: 18px; height: 14px; border-radius: 3px; border: 1px solid var(--line); }}
.scroll {{ overflow-x: auto; margin: 0 0 6px; }}
table {{ border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }}
caption {{ text-align: left; white-space: nowrap; font-weight: 600; padding: 8px 0 4px; }}
th, td {{ padding: 3px 12px 3px 0; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: top; }}
th {{ color: var(--soft); font-weight: 600; }}
th.left, td.left {{ text-align: left; overflow-wrap: anywhere; }}
td.higher, td.lower {{ font-weight: 650; }}
details {{ margin: 12px 0 0; }}
summary {{ cursor: pointer; color: var(--soft); }}
@media print {{ body {{ background: none; }} section, header {{ break-inside: avoid; border: 0; }}
  nav, button {{ display: none; }} }}
"""
