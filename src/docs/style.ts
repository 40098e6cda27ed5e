// How the page looks: light or dark as the reader's system is, readable on a phone, no font or picture from elsewhere.
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2126; --soft: #5b6570; --line: #e3e7ea; --ground: #fff; --tint: #f5f7f8; --accent: #0b6e4f;
  --code-ground: #10161b; --code-ink: #dbe4ea; --get: #1769aa; --post: #0b6e4f; --put: #8a5a00; --patch: #6b4ba3; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaed; --soft: #9aa5ae; --line: #2a3238; --ground: #14191d; --tint: #1a2025; --accent: #4cc38a;
  --code-ground: #0d1114; --get: #63b3ed; --post: #4cc38a; --put: #e0a84a; --patch: #b79cf0; --delete: #f1807a; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; }
body { margin: 0; color: var(--ink); background: var(--ground); font: 15px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .87em; }
:not(pre) > code { background: var(--tint); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
header { position: sticky; top: 0; z-index: 1; display: flex; align-items: baseline; gap: .75rem; padding: .9rem 1.5rem; background: var(--ground); border-bottom: 1px solid var(--line); }
header strong { font-size: 1.05rem; }
header nav { margin-left: auto; display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; }
header nav a { white-space: nowrap; }
header nav a[aria-current] { color: var(--ink); font-weight: 600; }
.version { color: var(--soft); font-size: .85rem; }
.layout { display: grid; grid-template-columns: 19rem minmax(0, 1fr); max-width: 90rem; margin: 0 auto; }
aside { position: sticky; top: 3.4rem; height: calc(100vh - 3.4rem); overflow-y: auto; padding: 1.25rem 1rem 3rem 1.5rem; border-right: 1px solid var(--line); font-size: .87rem; }
aside h2 { margin: 1.3rem 0 .3rem; font-size: .75rem; letter-spacing: .05em; text-transform: uppercase; color: var(--soft); }
aside h2 a { color: inherit; }
aside ul { margin: 0; padding: 0; list-style: none; }
aside li a { display: block; padding: .16rem 0; color: var(--ink); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
aside .level-3 { padding-left: .8rem; }
aside input { width: 100%; padding: .5rem .7rem; color: inherit; background: var(--tint); border: 1px solid var(--line); border-radius: 8px; font: inherit; }
.routes .method { width: 3.3rem; font-size: .66rem; }
main { padding: 1.5rem 2.5rem 6rem; min-width: 0; }
h2 { margin: 2.8rem 0 .6rem; font-size: 1.45rem; line-height: 1.25; }
h3 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
h4 { margin: 1.2rem 0 .4rem; font-size: .82rem; color: var(--soft); }
.guide > h2:first-child { margin-top: .5rem; }
.guide, .family > p { max-width: 52rem; }
ul { padding-left: 1.2rem; }
pre { position: relative; margin: .7rem 0; padding: .9rem 1rem; overflow-x: auto; color: var(--code-ink); background: var(--code-ground); border-radius: 10px; line-height: 1.5; }
pre button { position: absolute; top: .5rem; right: .5rem; padding: .15rem .5rem; color: var(--code-ink); background: #ffffff1a; border: 0; border-radius: 6px; font: .75rem system-ui, sans-serif; cursor: pointer; opacity: 0; }
pre:hover button, pre button:focus-visible { opacity: 1; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th { text-align: left; color: var(--soft); font-weight: 600; font-size: .8rem; }
th, td { padding: .42rem .8rem .42rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.fields { table-layout: fixed; }
.fields th:first-child { width: 42%; }
.type { color: var(--soft); font-size: .82rem; overflow-wrap: anywhere; }
td em, summary em { color: var(--delete); font-style: normal; font-size: .75rem; }
.method { display: inline-block; width: 4.2rem; font: 700 .74rem ui-monospace, Menlo, Consolas, monospace; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .patch { color: var(--patch); } .delete { color: var(--delete); }
.operation { border: 1px solid var(--line); border-radius: 10px; margin: .5rem 0; }
.operation > summary { display: flex; align-items: baseline; gap: .6rem; padding: .6rem 1rem; cursor: pointer; list-style: none; }
.operation > summary::-webkit-details-marker { display: none; }
.operation > summary:hover, .operation[open] > summary { background: var(--tint); border-radius: 10px; }
.operation .path { background: none; padding: 0; font-size: .9rem; }
.operation .summary { margin-left: auto; color: var(--soft); text-align: right; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 2rem; padding: .2rem 1rem 1rem; }
.examples h4:first-child, .columns > div > h4:first-child { margin-top: .6rem; }
.examples pre { max-height: 28rem; overflow-y: auto; }
.shape { font-weight: 400; }
.aside { color: var(--soft); }
.errors { margin-top: 1rem; } .errors > summary { cursor: pointer; color: var(--soft); font-size: .85rem; }
[hidden] { display: none !important; }
@media (max-width: 75rem) { .columns { grid-template-columns: minmax(0, 1fr); gap: 0; } }
@media (max-width: 55rem) { header > strong, .version { display: none; } header nav { margin: 0; } .layout { display: block; } aside { position: static; height: auto; max-height: 45vh; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem 1.2rem 4rem; }
  .operation > summary { flex-wrap: wrap; } .operation .summary { margin-left: 0; text-align: left; width: 100%; } }
`;
