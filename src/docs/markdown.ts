// Renders Markdown: headings, lists, tables, fenced code, links, bold, italics and code. Any other Markdown stays plain text, so that
// no text becomes markup by accident. A fourth-level heading collapses the content up to and including the next samples.
export type Heading = { level: number; text: string; slug: string };
export type Rendered = { html: string; headings: readonly Heading[] };

/** Two or more samples of the same call, each preceded by its name in bold, become one group from which the reader chooses. */
type Sample = { name: string; code: string };

const FENCE = /^```(\w*)\n([\s\S]*?)\n```$/;

export function renderMarkdown(markdown: string): Rendered {
  const headings: Heading[] = [];
  const blocks = blocksOf(markdown);
  const parts: string[] = [];
  let isFolded = false;
  for (let at = 0; at < blocks.length;) {
    const samples = samplesAt(blocks, at);
    if (samples.length > 0) {
      parts.push(samplesHtml(samples));
      if (isFolded) parts.push("</details>");
      isFolded = false;
      at += samples.length * 2;
      continue;
    }
    const folded = /^#### (.+)$/.exec(blocks[at] ?? "")?.[1];
    if (folded !== undefined) {
      isFolded = true;
      parts.push(`<details class="fold"><summary>${inlineHtml(folded)}</summary>`);
      at += 1;
      continue;
    }
    parts.push(blockHtml(blocks[at] ?? "", headings));
    at += 1;
  }
  return { html: parts.join("\n"), headings };
}

/** Renders inline markup. Code spans come first, because nothing inside it is markup. */
export function inlineHtml(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? `<code>${escaped(part.slice(1, -1))}</code>` : marked(escaped(part))))
    .join("");
}

function marked(text: string): string {
  return text
    .replaceAll(/\[([^\]]+)\]\((https?:[^)\s]+|[#/][^)\s]*)\)/g, '<a href="$2">$1</a>')
    .replaceAll(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replaceAll(/\*([^*]+)\*/g, "<em>$1</em>");
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Makes the same slugs as GitHub and the reference component, so that existing links to chapters keep working. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

/** Renders a code block. On narrow pages it can be scrolled, including with the keyboard. */
export function codeHtml(code: string): string {
  return `<pre><code tabindex="0">${escaped(code)}</code></pre>`;
}

/** Blocks are separated by empty lines, except inside fenced code. */
function blocksOf(markdown: string): string[] {
  return markdown
    .split(/^(```\w*\n[\s\S]*?^```$)/m)
    .flatMap((part) => (part.startsWith("```") ? [part] : part.split(/\n{2,}/)))
    .map((block) => block.replaceAll(/^\n+|\n+$/g, ""))
    .filter((block) => block.trim() !== "");
}

function samplesAt(blocks: readonly string[], from: number): Sample[] {
  const samples: Sample[] = [];
  for (let at = from; ; at += 2) {
    const name = /^\*\*([^*]+)\*\*$/.exec(blocks[at] ?? "")?.[1];
    const code = FENCE.exec(blocks[at + 1] ?? "")?.[2];
    if (name === undefined || code === undefined) return samples;
    samples.push({ name, code });
  }
}

function samplesHtml(samples: readonly Sample[]): string {
  // The first sample is already selected, so that nothing moves when the page's script loads.
  const buttons = samples.map(({ name }, at) => `<button type="button" aria-pressed="${at === 0}">${escaped(name)}</button>`);
  const each = samples.map(
    ({ name, code }, at) =>
      `<section data-sample="${escaped(name)}"${at === 0 ? "" : " hidden"}><h5>${escaped(name)}</h5>${codeHtml(code)}</section>`,
  );
  return `<div class="samples"><div class="sample-names">${buttons.join("")}</div>${each.join("")}</div>`;
}

function blockHtml(block: string, headings: Heading[]): string {
  const code = FENCE.exec(block)?.[2];
  if (code !== undefined) return codeHtml(code);
  const [, marks, title] = /^(#{1,3}) (.+)$/.exec(block) ?? [];
  if (marks !== undefined && title !== undefined) {
    const slug = slugOf(title);
    headings.push({ level: marks.length, text: title, slug });
    return `<h${marks.length} id="description/${slug}">${inlineHtml(title)}</h${marks.length}>`;
  }
  const lines = block.split("\n");
  if (lines.every((line) => line.startsWith("|"))) return tableHtml(lines);
  if (block.startsWith("- ")) return listHtml("ul", block, /^- /);
  if (/^\d+\. /.test(block)) return listHtml("ol", block, /^\d+\. /);
  return `<p>${inlineHtml(lines.join(" "))}</p>`;
}

function listHtml(tag: "ul" | "ol", block: string, mark: RegExp): string {
  const items = block.split(new RegExp(`\\n(?=${mark.source.slice(1)})`)).map((item) => item.replace(mark, "").replaceAll(/\n\s*/g, " "));
  return `<${tag}>${items.map((item) => `<li>${inlineHtml(item)}</li>`).join("")}</${tag}>`;
}

function tableHtml(lines: readonly string[]): string {
  const [head = [], , ...rows] = lines.map(cellsOf);
  const row = (cells: readonly string[], tag: "th" | "td") =>
    cells.map((cell) => (cell === "" ? "<td></td>" : `<${tag}>${inlineHtml(cell)}</${tag}>`)).join("");
  const body = rows.map((cells) => `<tr${errorId(cells)}>${row(cells, "td")}</tr>`).join("");
  return `<div class="table" tabindex="0"><table><thead><tr>${row(head, "th")}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** Gives the row of an error (status, then code) an address, to which the search leads. */
function errorId([status = "", code = ""]: readonly string[]): string {
  const [, name] = /^`(\w+)`$/.exec(code) ?? [];
  return name !== undefined && /^\d{3}$/.test(status) ? ` id="error/${name}"` : "";
}

function cellsOf(line: string): string[] {
  return line
    .replaceAll(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}
