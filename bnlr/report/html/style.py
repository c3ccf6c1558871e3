"""The look of every page: one stylesheet, for screens, phones and paper, light and dark."""

STYLE = """\
:root {
  color-scheme: light dark;
  --ink: #1d2328; --soft: #5b6670; --line: #d5dade; --rule: #8a949c;
  --paper: #ffffff; --tint: #f4f6f7; --accent: #0b5c8a; --bar: #0072b2; --less: #d55e00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e3e7ea; --soft: #a0abb4; --line: #343c43; --rule: #6c7780;
    --paper: #14181b; --tint: #1d2327; --accent: #7cc0ea; --bar: #4ea3d8; --less: #e58a4b;
  }
  /* Black on white becomes light on the page's ground, and hues stay what they are. */
  body figure img { filter: invert(0.92) hue-rotate(180deg); border-color: #d4d4d4; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 3rem; max-width: 76rem;
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  color: var(--ink); background: var(--paper); overflow-wrap: break-word;
}
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -0.01em; margin: 0 0 0.75rem; }
h2 {
  font-size: 1.3rem; line-height: 1.3; margin: 2.75rem 0 0.75rem; padding-top: 0.75rem;
  border-top: 1px solid var(--line);
}
p, main ul { max-width: 44rem; }
p { margin: 0 0 0.9rem; }
ul { margin: 0 0 1rem; padding-left: 1.2rem; }
li { margin: 0.3rem 0; }
header p { font-size: 1.08rem; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.2rem 1.25rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
pre {
  background: var(--tint); border-radius: 6px; padding: 0.75rem 1rem; margin: 0 0 1.25rem;
  overflow-x: auto;
}
.note {
  max-width: 44rem; background: var(--tint); border-left: 3px solid var(--accent);
  padding: 0.6rem 1rem; margin: 0 0 1.25rem;
}
.wide { overflow-x: auto; margin: 1.25rem 0 1.75rem; }
table { border-collapse: collapse; font-size: 0.92rem; line-height: 1.35; }
caption, figcaption { text-align: left; color: var(--soft); font-size: 0.92rem; }
caption { padding-bottom: 0.6rem; }
caption span { display: block; max-width: min(44rem, 100vw - 3rem); }
th, td { padding: 0.32rem 0.7rem; text-align: left; vertical-align: baseline; }
th { font-weight: 600; }
th:first-child, td:first-child {
  padding-left: 0.2rem; position: sticky; left: 0; background: var(--paper);
}
thead th { border-bottom: 1px solid var(--rule); vertical-align: bottom; }
thead tr.groups th { border-bottom: 0; padding-bottom: 0.1rem; text-align: center; }
thead tr.groups th span { display: block; border-bottom: 1px solid var(--line); }
tbody td { border-bottom: 1px solid var(--line); }
tbody tr:hover td { background: var(--tint); }
tfoot td { border-top: 1px solid var(--rule); font-weight: 600; }
tbody tr:last-child td { border-bottom: 1px solid var(--rule); }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
table.bars { width: 100%; }
.bar { display: flex; align-items: center; justify-content: flex-end; gap: 0.6rem; }
.track { flex: 1 1 auto; min-width: 4rem; }
.track i { display: block; height: 0.7rem; border-radius: 2px; background: var(--bar); }
.track i.less { background: var(--less); }
.none { color: var(--soft); font-weight: 400; }
figure { margin: 1.25rem 0 1.75rem; }
figure img {
  display: block; max-width: 100%; height: auto; background: #ffffff; border-radius: 6px;
  border: 1px solid var(--line); padding: 0.5rem;
}
figcaption { margin-top: 0.5rem; max-width: 44rem; }
h1 bdi, p bdi, li bdi, figcaption bdi { overflow-wrap: anywhere; }
p bdi { background: var(--tint); border-radius: 3px; padding: 0 0.2em; }
h3 { font-size: 1.05rem; margin: 1.75rem 0 0.5rem; }
.key { display: flex; flex-wrap: wrap; gap: 0.75rem 1rem; margin: 1.25rem 0; }
.key div {
  background: var(--tint); border-radius: 6px; padding: 0.6rem 1rem; flex: 1 1 9rem;
}
.key dt { color: var(--soft); font-size: 0.88rem; }
.key dd { margin: 0; color: var(--soft); font-size: 0.88rem; }
.key b { display: block; color: var(--ink); font-size: 1.45rem; line-height: 1.3; }
figure.graph { overflow-x: auto; }
.graph img { min-width: 30rem; }
.graph.wide img { min-width: 46rem; }
.beside { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: flex-start; }
.beside figure { flex: 0 1 22.5rem; max-width: 100%; margin: 0.75rem 0; }
.beside .block { flex: 1 1 30rem; min-width: 0; max-width: 100%; }
.beside figure:has(+ .block), .beside .block + figure { flex-basis: 27rem; }
.beside .graph img { min-width: 0; }
details { margin: 0 0 0.6rem; }
summary { cursor: pointer; color: var(--accent); padding: 0.25rem 0; }
footer {
  margin-top: 3rem; padding-top: 0.75rem; border-top: 1px solid var(--line);
  color: var(--soft); font-size: 0.88rem;
}
@media (max-width: 40rem) {
  body { padding: 1.5rem 1rem 2rem; }
  h1 { font-size: 1.5rem; }
  table { font-size: 0.85rem; }
  th, td { padding: 0.3rem 0.4rem; }
  th:first-child, td:first-child { min-width: 5.5rem; }
  th.n { white-space: normal; }
  .track { min-width: 1.2rem; }
  .bar { gap: 0.3rem; }
}
@media (max-width: 26rem) {
  .track { display: none; }
}
@media print {
  :root {
    color-scheme: light;
    --ink: #000000; --soft: #444444; --line: #cccccc; --rule: #666666;
    --paper: #ffffff; --tint: #f4f4f4; --accent: #000000;
  }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  h2 { break-after: avoid; margin-top: 1.2rem; }
  .wide { overflow: visible; }
  table { font-size: 8pt; }
  th, td { padding: 0.15rem 0.3rem; }
  th:first-child, td:first-child { position: static; }
  thead { display: table-header-group; }
  tr, figure, .note, pre { break-inside: avoid; }
  pre { white-space: pre-wrap; }
  details::details-content { content-visibility: visible; }
  .graph img, .graph.wide img { min-width: 0; }
  body figure img { filter: none; }
  .track i { print-color-adjust: exact; }
  html { font-size: 9.5pt; }
  .beside { gap: 0 0.6rem; }
  .beside figure { flex: 1 1 30%; max-width: 32%; }
  .beside figure:has(+ .block), .beside .block + figure { flex: 0 1 42%; max-width: 42%; }
  .beside .block { flex: 1 1 50%; }
  .beside:has(.block) { break-inside: avoid; }
  .key div { border: 1px solid var(--line); }
  figure img { border: 0; padding: 0; }
}
"""
