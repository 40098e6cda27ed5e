// Splits a message's text into parts, formatted as on phones.
/** Ignores case, because phones capitalize `Https://` at the start of a sentence. People also omit the scheme. */
const LINK = /(?:https?:\/\/|\bwww\.(?=\w))[^\s<>"]{1,2048}/gi;
/** Punctuation after a URL in a sentence. Closing brackets are not included, because they may be part of the URL. */
const AFTER_LINK = ".,;:!?'*_~`";

type Mark = "strong" | "em" | "s" | "code";
/** `href` is null if the part is not a link. The first mark is the outermost. */
type TextPart = { from: number; text: string; href: string | null; marks: readonly Mark[] };

/** The URL starts at the index `at` and ends before `to`. */
type Link = { at: number; to: number; href: string };

/** Uses a loop, because a regular expression could take minutes for a text of many dots, which a stranger can send. */
function withoutEnd(address: string): string {
  let end = address.length;
  while (end > 0 && AFTER_LINK.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

function linksIn(text: string): Link[] {
  const links: Link[] = [];
  for (const { 0: found, index } of text.matchAll(LINK)) {
    const trimmed = withoutEnd(found);
    const address = trimmed.endsWith(")") && !trimmed.includes("(") ? trimmed.slice(0, -1) : trimmed;
    const href = /^www/i.test(address) ? `https://${address}` : address;
    if (URL.canParse(href)) links.push({ at: index, to: index + address.length, href });
  }
  return links;
}

const MARKS: Readonly<Record<string, Mark>> = { "*": "strong", _: "em", "~": "s", "`": "code" };
const FENCE = "```";
const isSpace = (letter: string | undefined) => letter === undefined || /\s/.test(letter);
const isWord = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);

/** Splits a text into links and formatted parts: `*bold*`, `_italic_`, `~struck~` and code between backticks. */
export function splitText(text: string): TextPart[] {
  const links = linksIn(text);
  const inLink = new Set(links.flatMap(({ at, to }) => Array.from({ length: to - at }, (_, n) => at + n)));
  const parts: TextPart[] = [];
  let nextLink = 0;
  const add = (from: number, to: number, marks: readonly Mark[], href: string | null = null) => {
    if (to > from) parts.push({ from, text: text.slice(from, to), href, marks });
  };
  const addLinked = (from: number, end: number, marks: readonly Mark[]) => {
    let start = from;
    for (let link = links[nextLink]; link !== undefined && link.to <= end; link = links[(nextLink += 1)]) {
      // Skips a link inside code, which stays plain text.
      if (link.at < start) continue;
      add(start, link.at, marks);
      add(link.at, link.to, marks, link.href);
      start = link.to;
    }
    add(start, end, marks);
  };
  /** For each mark, the index up to which no closing mark was found. Keeps a text of many marks from taking long. */
  const searched: Record<string, number> = {};
  /** Returns the index of the mark that closes the one at `at`. It must be on the same line. If there is none, returns -1. */
  const endOf = (at: number, end: number): number => {
    const mark = text[at] ?? "";
    if (isSpace(text[at + 1]) || text[at + 1] === mark || isWord(text[at - 1])) return -1;
    const line = text.indexOf("\n", at);
    const limit = line === -1 ? end : Math.min(line, end);
    if ((searched[mark] ?? 0) >= limit) return -1;
    for (let to = text.indexOf(mark, at + 2); to !== -1 && to < limit; to = text.indexOf(mark, to + 1))
      if (!isSpace(text[to - 1]) && !isWord(text[to + 1]) && !inLink.has(to)) return to;
    searched[mark] = limit;
    return -1;
  };
  const split = (from: number, end: number, marks: readonly Mark[]) => {
    let start = from;
    for (let at = from; at < end; at += 1) {
      const mark = MARKS[text[at] ?? ""];
      if (mark === undefined || inLink.has(at)) continue;
      const width = text.startsWith(FENCE, at) ? FENCE.length : 1;
      const to = width > 1 ? text.indexOf(FENCE, at + width + 1) : endOf(at, end);
      if (to === -1 || to >= end) continue;
      addLinked(start, at, marks);
      if (mark === "code") add(at + width, to, [...marks, mark]);
      else split(at + 1, to, [...marks, mark]);
      start = to + width;
      at = start - 1;
    }
    addLinked(start, end, marks);
  };
  split(0, text.length, []);
  return parts;
}

/** The name of the person with this phone number, if it is known. */
export type NameOf = (phone: string) => string | undefined;

/** Mentions contain a phone number, which phones replace with a name. */
export function withNames(text: string, nameOf: NameOf): string {
  return text.replace(/@(\d{6,20})(?!\d)/g, (mention, phone: string) => {
    const name = nameOf(phone);
    return name === undefined ? mention : `@${name}`;
  });
}

/** A text for a line of a list or a quote: without the marks of formats, and with names in mentions. */
export function plainText(text: string, nameOf: NameOf): string {
  return splitText(text)
    .map(({ text: part, href, marks }) => (href === null && marks.at(-1) !== "code" ? withNames(part, nameOf) : part))
    .join("");
}
