// Mentions in a text that is being written. The field shows `@` and a name, and phones expect `@` and the number.

/** The phones of the mentioned people, by the name in the text. */
export type Mentioned = Readonly<Record<string, string>>;

const MAX_TYPED = 40;

/** The name that is being typed before the caret, and the index of its `@`. */
export function mentionAt(text: string, caret: number): { at: number; typed: string } | null {
  const typed = /(?:^|[\s(])@([^@\n]*)$/.exec(text.slice(Math.max(0, caret - MAX_TYPED - 2), caret))?.[1];
  if (typed === undefined || /^\s|\s$/.test(typed)) return null;
  return { at: caret - typed.length - 1, typed };
}

/** The name as it can be written into the text. A second person with the same name also gets the number. */
export function mentionName(name: string, phone: string, mentioned: Mentioned): string {
  const written = name.replaceAll(/[\s@]+/g, " ").trim();
  const isTaken = Object.hasOwn(mentioned, written) && mentioned[written] !== phone;
  return written === "" || isTaken ? `${written} ${phone}`.trim() : written;
}

/** The text with numbers in place of names, and the mentioned phones. */
export function withNumbers(text: string, mentioned: Mentioned): { text: string; mentions: string[] } {
  const names = Object.keys(mentioned).toSorted((a, b) => b.length - a.length);
  const parts = text.split("@");
  const phones = new Set<string>();
  const sent = parts.map((part, n) => {
    const before = parts[n - 1];
    // An email address has its `@` within a word.
    const isFree = before !== undefined && (/[\s(]$/.test(before) || (n === 1 && before === ""));
    if (!isFree) return part;
    // Longer names come first, because one name can be the beginning of another.
    const name = names.find((each) => part.startsWith(each) && !/^[\p{L}\p{N}]/u.test(part.slice(each.length)));
    const phone = name === undefined ? undefined : mentioned[name];
    if (name === undefined || phone === undefined) return part;
    phones.add(phone);
    return `${phone}${part.slice(name.length)}`;
  });
  return { text: sent.join("@"), mentions: [...phones] };
}
