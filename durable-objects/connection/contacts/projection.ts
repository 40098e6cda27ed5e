import { chatIdOf, type Person } from "@gateway/protocol/ids.ts";
import type { ContactResult } from "./contacts.ts";
import type { ProjectionContext, EventHandlers } from "../projection/projection-context.ts";

/** Stores a person who appears in an event. With `announce`, emits an event if the person is new. */
export function recordPerson(person: Person, pushName: string | null, context: ProjectionContext, announce: boolean): void {
  const { stores, now } = context;
  const contact = stores.contacts.record(person, pushName, now);
  if (contact === null) return;
  if (contact.isNew && announce) emitContactCreated(person, contact, "detected", context);
  if (person.phone !== null && person.lid !== null) stores.mergeIdentities(person.lid, person.phone);
}

export const peopleEventHandlers: EventHandlers<"contact.updated" | "lid.mapped" | "call" | "presence" | "profile.updated"> = {
  "contact.updated": (event, context) => {
    const { from_history: fromHistory, type: _, ...fields } = event;
    // History contains names only for contacts that the owner has saved.
    const change = fromHistory === true && typeof fields.name === "string" ? { is_saved: true, ...fields } : fields;
    const { person } = change;
    if (person.phone !== null && person.lid !== null) context.stores.mergeIdentities(person.lid, person.phone);
    const contact = context.stores.contacts.change(change, context.now);
    if (fromHistory === true) return;
    if (contact.isNowSaved) emitContactCreated(person, contact, "saved", context);
    else if (contact.isNew && (change.push_name ?? change.verified_name ?? null) !== null)
      emitContactCreated(person, contact, "detected", context);
  },

  "lid.mapped": ({ lid, phone }, context) => {
    const merged = context.stores.mergeIdentities(lid, phone);
    if (merged?.contact !== true) return;
    const contact = context.stores.contacts.get(`${phone}@c.us`);
    if (contact === null) return;
    emitContactCreated(
      { phone, lid },
      { name: contact.name, pushName: contact.push_name },
      contact.is_saved ? "saved" : "detected",
      context,
    );
  },

  call: (event, context) => {
    const { type: _, ...call } = event;
    recordPerson(call.from, null, context, true);
    const { changed } = context.stores.calls.update(call);
    // A call that ends unanswered emits no event (docs/use/events.md, "Connection API events").
    if (changed && call.status !== "ended") context.emit(event, call.timestamp);
  },

  presence: (event, context) => {
    const { type: _, ...report } = event;
    // Emitted only for chats that a customer subscribed to through the API (docs/use/events.md, "Connection API events").
    if (context.stores.presences.record(report, context.now)) context.emit(event, event.timestamp);
  },

  "profile.updated": ({ name }, context) => {
    if (name !== undefined) context.result.profileName = name;
  },
};

function emitContactCreated(
  person: Person,
  { name, pushName }: Pick<ContactResult, "name" | "pushName">,
  source: "saved" | "detected",
  context: ProjectionContext,
): void {
  const timestamp = context.nowSeconds;
  // The key includes the time, because saving a contact again emits another event. A detected contact emits only one.
  const key = `contact|${source}|${chatIdOf(person)}${source === "saved" ? `|${context.now}` : ""}`;
  context.emitAs(key, { type: "contact.created", person, name, push_name: pushName, source, timestamp }, timestamp);
}
