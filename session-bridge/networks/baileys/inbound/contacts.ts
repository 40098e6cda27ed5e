import type { BaileysEventMap, Contact } from "baileys";
import type { KeyedEvent, NetworkEvent } from "@gateway/protocol/events.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import { boundedCache, perSession } from "../session/per-session.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import type { SessionContext } from "../session/session-context.ts";

const pushNamesOf = perSession(() => boundedCache<string, string>(2_000));

type ContactUpdated = Extract<NetworkEvent, { type: "contact.updated" }>;

export function contactsUpsert(ctx: SessionContext, contacts: readonly Contact[]): void {
  const events = contacts.flatMap<KeyedEvent>((contact) => {
    const person = personOf(ctx, contact, true);
    const name = contact.name || null;
    return person ? [keyed({ type: "contact.updated", person, name, is_saved: name !== null })] : [];
  });
  if (events.length > 0) ctx.emit(events);
}

export function contactsUpdate(ctx: SessionContext, updates: ReadonlyArray<Partial<Contact>>): void {
  const pushNames = pushNamesOf(ctx.session);
  for (const { id, notify, verifiedName } of updates) {
    const name = verifiedName ? `${notify ?? ""}\n${verifiedName}` : notify;
    if (!id || !name || pushNames.get(id) === name) continue;
    pushNames.set(id, name);
    const person = personOf(ctx, { id });
    if (!person) continue;
    ctx.emit([
      keyed({
        type: "contact.updated",
        person,
        ...(notify && { push_name: notify }),
        ...(verifiedName && { verified_name: verifiedName, is_business: true }),
      }),
    ]);
  }
}

export function blocklistUpdate(ctx: SessionContext, { blocklist, type }: BaileysEventMap["blocklist.update"]): void {
  for (const id of blocklist) {
    const person = personOf(ctx, { id });
    if (person) ctx.emit([keyed({ type: "contact.updated", person, is_blocked: type === "add" })]);
  }
}

export function historyContact(ctx: SessionContext, contact: Contact): KeyedEvent | null {
  const { name, notify, verifiedName } = contact;
  const person = personOf(ctx, contact);
  if (!person || !(name || notify || verifiedName)) return null;
  return keyed({
    type: "contact.updated",
    person,
    from_history: true,
    ...(name && { name }),
    ...(notify && { push_name: notify }),
    ...(verifiedName && { verified_name: verifiedName }),
  });
}

function personOf(ctx: SessionContext, { id, lid, phoneNumber }: Contact, announce = false): Person | null {
  const lids = lidMappingOf(ctx.session);
  lids.learn(lid ?? id, phoneNumber ?? id, announce);
  return lids.person(id, phoneNumber ?? lid);
}

const keyed = (event: ContactUpdated): KeyedEvent => ({ key: null, event });
