// The Markdown that our own guides use: headings, paragraphs, lists, tables, code, bold, links. Nothing else is understood.
import { escaped, Html } from "./html.ts";

export type Heading = { level: number; id: string; title: string };

/** A guide's blocks, and its headings for the table of contents. */
export function renderMarkdown(text: string): { body: Html; headings: Heading[] } {
  const headings: Heading[] = [];
  const blocks = splitBlocks(text).map((block) => renderBlock(block, headings));
  return { body: new Html(blocks.join("\n")), headings };
}

/** One line of text, with code, bold and links. */
export function inline(text: string): Html {
  const html = escaped(text)
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>")
    .replaceAll(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replaceAll(/\[([^\]]+)\]\(((?:https?:\/\/|\/|#)[^)\s]*)\)/g, '<a href="$2">$1</a>');
  return new Html(html);
}

/** Blocks stand between blank lines; a code block is one whatever is in it. */
function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  for (const part of text.split(/^(```[\s\S]*?^```)$/m)) {
    if (part.startsWith("```")) blocks.push(part);
    else
      blocks.push(
        ...part
          .split(/\n{2,}/)
          .map((block) => block.trim())
          .filter((block) => block !== ""),
      );
  }
  return blocks;
}

function renderBlock(block: string, headings: Heading[]): string {
  const code = /^```(\S*).*\n([\s\S]*?)\n?```$/.exec(block);
  if (code !== null) return `<pre data-lang="${escaped(code[1] ?? "")}"><code>${escaped(code[2] ?? "")}</code></pre>`;
  const heading = /^(#{2,4}) (.+)$/.exec(block);
  if (heading !== null) {
    const [, marks = "", title = ""] = heading;
    headings.push({ level: marks.length, id: slug(title), title });
    return `<h${marks.length} id="${slug(title)}">${inline(title).text}</h${marks.length}>`;
  }
  const lines = block.split("\n");
  if (lines.every((line) => line.startsWith("- ")))
    return `<ul>${lines.map((line) => `<li>${inline(line.slice(2)).text}</li>`).join("")}</ul>`;
  if (lines.every((line) => line.startsWith("|"))) return table(lines);
  return `<p>${inline(lines.join(" ")).text}</p>`;
}

function table([head = "", , ...rows]: readonly string[]): string {
  const cells = (line: string, tag: "th" | "td") =>
    line
      .replace(/^\|\s*|\s*\|$/g, "")
      .split(/\s*\|\s*/)
      .map((cell) => `<${tag}>${inline(cell).text}</${tag}>`)
      .join("");
  const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("");
  return `<div class="scroll"><table><thead><tr>${cells(head, "th")}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** "Ids, datas e páginas" → "ids-datas-e-paginas". */
export function slug(title: string): string {
  const plain = title
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase();
  return plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
}
