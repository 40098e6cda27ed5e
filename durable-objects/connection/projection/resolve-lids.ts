// Replaces LIDs of people and chats by phone numbers where known (docs/use/events.md, "Rules of the data").

/** Looks up a LID that came without a phone number. */
export type PhoneLookup = (lid: string) => string | null;

const LID_CHAT = /^(\d+)@lid$/;

/**
 * The same value with every person that has only a LID, and every `<lid>@lid` chat id, resolved. A value with nothing to
 * resolve is returned itself, not copied.
 */
export function resolveLids<T>(value: T, phoneOf: PhoneLookup): T {
  // The shape stays the same: only strings and nulls are replaced by strings.
  return resolveValue(value, phoneOf) as T;
}

function resolveValue(value: unknown, phoneOf: PhoneLookup): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => resolveValue(item, phoneOf));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  let changed: Record<string, unknown> | null = null;
  for (const [name, part] of Object.entries(value)) {
    const known = name === "chat_id" ? resolveChatId(part, phoneOf) : resolveValue(part, phoneOf);
    if (known !== part) changed = { ...(changed ?? value), [name]: known };
  }
  const phone = "phone" in value && value.phone === null && "lid" in value && typeof value.lid === "string" ? phoneOf(value.lid) : null;
  return phone === null ? (changed ?? value) : { ...(changed ?? value), phone };
}

function resolveChatId(chatId: unknown, phoneOf: PhoneLookup): unknown {
  const lid = typeof chatId === "string" ? LID_CHAT.exec(chatId)?.[1] : undefined;
  const phone = lid === undefined ? null : phoneOf(lid);
  return phone === null ? chatId : `${phone}@c.us`;
}
