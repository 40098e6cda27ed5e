// Separates a response's facts from text that other people wrote, which may contain instructions for the assistant that reads it.

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

const MAX_CHARACTERS = 4_000;
const MAX_CHARACTERS_OF_RESPONSE = 32_000;
const MAX_ITEMS = 100;

const WORD = /^[a-z_]{1,40}$/;
const CHAT = /^(?:[\d-]{1,40}@(?:c\.us|g\.us|lid|newsletter)|status@broadcast)$/;
/** The sender's program chooses a message's id, so an unusual id is treated as other people's text. */
const MESSAGE = /^(?:[0-9A-F]{8,64}|wamid\.[\w+/=-]{8,200})$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** Fields that only the gateway sets, or whose format cannot contain a sentence. All other fields are treated as other people's text. */
const FACTS: Readonly<Record<string, RegExp | "any" | "inside">> = {
  data: "inside",
  next_cursor: /^[\w-]{1,500}$/,
  id: "any",
  message_id: MESSAGE,
  chat_id: CHAT,
  contact_id: CHAT,
  phone: /^\d{1,20}$/,
  from: /^\d{1,20}$/,
  to: /^\d{1,20}$/,
  kind: WORD,
  type: WORD,
  status: WORD,
  status_reason: WORD,
  source: WORD,
  from_me: "any",
  is_group: "any",
  timestamp: "any",
  unread_count: "any",
  archived: "any",
  pinned: "any",
  exists: "any",
  saved: "any",
  blocked: "any",
  muted_until: TIME,
  edited_at: TIME,
  deleted_at: TIME,
  timeline: "inside",
  accepted_at: TIME,
  delivered_at: TIME,
  read_at: TIME,
  played_at: TIME,
  error: "inside",
  codigo: WORD,
  last_message: "inside",
  group_id: CHAT,
  size: "any",
  role: WORD,
  my_role: WORD,
  participants: "inside",
  expires_at: TIME,
};

export type Split = { facts: Json; untrusted: Json };

/** Both parts have the same structure as the response, with the same list indexes. */
export function split(response: unknown): Split {
  return { facts: factsOf(response as Json) ?? null, untrusted: new Budget(MAX_CHARACTERS_OF_RESPONSE).wordsOf(response as Json) ?? null };
}

function factsOf(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((each) => factsOf(each));
  if (typeof value !== "object" || value === null) return null;
  const facts: Record<string, Json> = {};
  for (const [name, each] of Object.entries(value)) {
    const rule = FACTS[name];
    if (rule === undefined) continue;
    if (rule === "inside") facts[name] = factsOf(each);
    else facts[name] = isFact(each, rule) ? each : null;
  }
  return facts;
}

function isFact(value: Json, rule: RegExp | "any"): boolean {
  if (rule === "any") return typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && TIME.test(value));
  return typeof value === "string" ? rule.test(value) : typeof value === "number";
}

class Budget {
  #left: number;

  constructor(characters: number) {
    this.#left = characters;
  }

  /** Returns everything that `factsOf` omits. Lists begin with the newest items, which keep their text if there is too much. */
  wordsOf(value: Json): Json {
    if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((each) => this.wordsOf(each));
    if (typeof value !== "object" || value === null) return null;
    const words: Record<string, Json> = {};
    for (const [name, each] of Object.entries(value)) {
      const rule = FACTS[name];
      if (rule === "inside") words[name] = this.wordsOf(each);
      else if (rule === undefined || !isFact(each, rule)) words[name] = this.#inert(each);
    }
    return Object.fromEntries(Object.entries(words).filter(([, each]) => each !== null));
  }

  #inert(value: Json): Json {
    if (typeof value === "string") return this.#take(inertText(value));
    if (Array.isArray(value)) return value.map((each) => this.#inert(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [this.#take(inertText(name)), this.#inert(each)]));
  }

  #take(text: string): string {
    const most = Math.max(0, Math.min(MAX_CHARACTERS, this.#left));
    const kept = text.length <= most ? text : `${text.slice(0, most)} [cut]`;
    this.#left -= kept.length;
    return kept;
  }
}

/** Replaces line breaks, control characters, direction marks, tag characters and variation selectors with visible escapes. */
export function inertText(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\u{E0100}-\u{E01EF}]/gu, (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`);
}
