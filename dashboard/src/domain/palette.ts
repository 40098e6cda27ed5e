/** An id or phone number that was pasted into the search field. */
export type Pasted = { kind: "message" | "delivery" | "request"; id: string } | { kind: "phone"; digits: string };

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function pastedId(text: string): Pasted | null {
  const given = text.trim();
  // A webhook event and its delivery share one id. Message ids come from the network.
  if (/^msg_[\w-]{4,100}$/.test(given)) return { kind: "delivery", id: given };
  if (/^[0-9A-F]{16,40}$/.test(given)) return { kind: "message", id: given };
  if (UUID.test(given)) return { kind: "request", id: given.toLowerCase() };
  const digits = given.replaceAll(/[\s().+-]/g, "");
  if (/^\+?[\d\s().-]+$/.test(given) && /^[1-9]\d{6,14}$/.test(digits)) return { kind: "phone", digits };
  return null;
}

function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

/** The search "reconnect Store" looks for "Store". `actions` return an action's label for a name, which is at its end. */
export function withoutVerb(typed: string, actions: readonly ((name: string) => string)[]): string {
  const words = wordsOf(typed);
  const verb = actions
    .map((label) => wordsOf(label("")))
    .find((each) => each.length < words.length && each.every((word, at) => plain(word) === plain(words[at] ?? "")));
  return verb === undefined ? typed : words.slice(verb.length).join(" ");
}

/** Every typed word must occur in the label or in its synonyms (`also`). Labels that start with the first word come first. */
export function matching<T extends { label: string; also?: string }>(choices: readonly T[], typed: string): T[] {
  const wanted = wordsOf(plain(typed));
  const first = wanted[0];
  if (first === undefined) return [...choices];
  return choices
    .filter(({ label, also = "" }) => wanted.every((word) => plain(`${label} ${also}`).includes(word)))
    .toSorted((a, b) => Number(plain(b.label).startsWith(first)) - Number(plain(a.label).startsWith(first)));
}
