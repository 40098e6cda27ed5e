// Splits a webhook into single messages, statuses and so on, so that a waiting or unreadable item does not block the others.

/** A change with a single item, in Meta's own format. */
export type SingleChange = { field: string; value: unknown };

export type Addressee = { wabaId: string; phoneNumberId: string };

/** `foreign` lists the fields of changes for other numbers. `shapeless` means no webhook from Meta, or a change without a field. */
export type TakenApart = { changes: SingleChange[]; foreign: string[]; shapeless: boolean };

type Fields = Readonly<Record<string, unknown>>;

const LISTS = ["messages", "statuses", "calls", "groups", "message_echoes", "errors"] as const;
const OBJECT = "whatsapp_business_account";

export function takenApart(webhook: unknown, addressee: Addressee): TakenApart {
  const found: TakenApart = { changes: [], foreign: [], shapeless: false };
  const { object, entry } = fieldsOf(webhook);
  if (object !== OBJECT || !Array.isArray(entry)) return { ...found, shapeless: true };
  for (const account of entry.map(fieldsOf)) {
    for (const { field, value } of listOf(account["changes"]).map(fieldsOf)) {
      if (typeof field !== "string") found.shapeless = true;
      else if (!isAbout(addressee, account["id"], value)) found.foreign.push(field);
      else for (const each of itemsOf(fieldsOf(value))) found.changes.push({ field, value: each ?? value });
    }
  }
  return found;
}

function isAbout({ wabaId, phoneNumberId }: Addressee, id: unknown, value: unknown): boolean {
  const { phone_number_id: number } = fieldsOf(fieldsOf(value)["metadata"]);
  return isId(id, wabaId) && (number === undefined || isId(number, phoneNumberId));
}

function isId(value: unknown, id: string): boolean {
  return value === id || (typeof value === "number" && String(value) === id);
}

function itemsOf(value: Fields): (Fields | null)[] {
  const lists = LISTS.filter((name) => listOf(value[name]).length > 0);
  if (lists.length === 0 || (lists.length === 1 && listOf(value[lists[0] ?? ""]).length === 1)) return [null];
  const others = Object.fromEntries(Object.entries(value).filter(([name]) => !LISTS.some((list) => list === name)));
  const contactsOf = contactsIn(listOf(value["contacts"]));
  return lists.flatMap((name) => listOf(value[name]).map((item) => ({ ...others, contacts: contactsOf(item), [name]: [item] })));
}

/** Selects only the contacts that an item mentions, so that splitting does not repeat a long list in every change. */
function contactsIn(contacts: readonly unknown[]): (item: unknown) => readonly unknown[] {
  if (contacts.length < 2) return () => contacts;
  const byId = new Map<string, unknown>();
  for (const contact of contacts) {
    const { wa_id: phone, user_id: userId } = fieldsOf(contact);
    for (const id of idsIn([phone, userId])) if (!byId.has(id)) byId.set(id, contact);
  }
  return (item) => [...new Set(idsIn(Object.values(fieldsOf(item))).flatMap((id) => byId.get(id) ?? []))];
}

function idsIn(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === "string" || typeof value === "number").map(String);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
