import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from "baileys";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { jidOfChat, userOf } from "../addressing/jids.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import { queryNetwork } from "../queries/network-query.ts";
import { registeredNumbersOf } from "../addressing/registered-numbers.ts";
import { resolveRecipient, type Recipient } from "../addressing/recipient.ts";
import type { SessionContext } from "../session/session-context.ts";
import { aboutOf, businessProfileOf } from "../queries/people.ts";
import { changeAppState } from "./app-state.ts";
import type { CommandHandlers } from "./command-handlers.ts";

type ContactChange = Omit<Extract<NetworkEvent, { type: "contact.updated" }>, "type" | "person">;

export const contactCommands: CommandHandlers<"contacts"> = {
  "contacts.check": async (ctx, { phones }) => {
    const found = await registeredNumbersOf(ctx.session).lookUpAll(ctx, phones);
    if (!found.ok) return found;
    return { ok: true, value: { items: phones.map((phone) => ({ phone, found: found.value.get(phone) ?? null })) } };
  },

  "contacts.save": async (ctx, { contact_id, full_name, first_name }) => {
    const recipient = await resolveRecipient(ctx, contact_id);
    if (!recipient.ok) return recipient;
    const { jid, chatId } = recipient.value;
    const lid = await lidOf(ctx, jid);
    const contact = {
      fullName: full_name,
      saveOnPrimaryAddressbook: true,
      ...(first_name !== null && { firstName: first_name }),
      ...(lid !== null && { lidJid: lid }),
    };
    const saved = await changeAppState(ctx, { contact }, jid);
    if (!saved.ok) return saved;
    report(ctx, jid, { name: full_name, is_saved: true });
    return { ok: true, value: { contact_id: chatId } };
  },

  "contacts.remove": async (ctx, { contact_id }) => {
    const contact = await resolveRecipient(ctx, contact_id);
    // A person who has left the network may still be in the address book, so the number is used unchanged.
    const jid = contact.ok ? contact.value.jid : jidOfChat(contact_id);
    if (!contact.ok && contact.failure.code !== "number_not_on_network") return contact;
    const removed = await changeAppState(ctx, { contact: null }, jid);
    if (removed.ok) report(ctx, jid, { name: null, is_saved: false });
    return removed;
  },

  "contacts.blocked": async (ctx) => {
    const reply = await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "get", xmlns: "blocklist" });
    const listed = getBinaryNodeChildren(getBinaryNodeChild(reply, "list"), "item");
    const lids = lidMappingOf(ctx.session);
    const persons = listed.map(({ attrs }) => lids.person(attrs["jid"], attrs["pn_jid"])).filter((person) => person !== null);
    return { ok: true, value: { persons } };
  },

  "contacts.block": async (ctx, { contact_id, blocked }) => {
    const contact = await resolveRecipient(ctx, contact_id);
    if (!contact.ok) return contact;
    const { jid } = contact.value;
    // The network keys its block list by LID (docs/internals/wire-protocol.md, "Messages and receipts").
    const lid = await lidOf(ctx, jid);
    if (lid === null) return fail("network_error");
    const attrs = blocked ? { action: "block", jid: lid, ...(jid !== lid && { pn_jid: jid }) } : { action: "unblock", jid: lid };
    await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "set", xmlns: "blocklist" }, [{ tag: "item", attrs }]);
    report(ctx, jid, { is_blocked: blocked });
    return { ok: true, value: {} };
  },

  "contacts.about": async (ctx, { contact_id }) => {
    const contact = await resolveContact(ctx, contact_id);
    return contact.ok ? aboutOf(ctx, contact.value.jid) : contact;
  },

  "contacts.business_profile": async (ctx, { contact_id }) => {
    const contact = await resolveContact(ctx, contact_id);
    if (!contact.ok) return contact;
    const business = await businessProfileOf(ctx, contact.value.jid);
    if (business !== null) report(ctx, contact.value.jid, { is_business: true });
    return { ok: true, value: { business } };
  },

  "contacts.phone": async (ctx, { lid }) => {
    const phone = lidMappingOf(ctx.session).phoneOf(lid);
    if (phone === null) return fail("contact_not_found");
    reportPair(ctx, lid, phone);
    return { ok: true, value: { lid, phone } };
  },

  "contacts.lid": async (ctx, { phone: requested }) => {
    const found = await registeredNumbersOf(ctx.session).lookUp(ctx, requested);
    if (!found.ok) return found;
    const phone = found.value;
    if (phone === null) return fail("contact_not_found");
    const lid = lidMappingOf(ctx.session).lidOf(phone) ?? userOf(await lidOf(ctx, `${phone}@s.whatsapp.net`));
    if (lid === null) return fail("network_error");
    reportPair(ctx, lid, phone);
    return { ok: true, value: { lid, phone } };
  },
};

async function resolveContact(ctx: SessionContext, contactId: ChatId): Promise<Outcome<Recipient>> {
  const contact = await resolveRecipient(ctx, contactId);
  return !contact.ok && contact.failure.code === "number_not_on_network" ? fail("contact_not_found") : contact;
}

async function lidOf(ctx: SessionContext, jid: string): Promise<string | null> {
  return jid.endsWith("@lid") ? jid : ctx.sock.signalRepository.lidMapping.getLIDForPN(jid);
}

function reportPair(ctx: SessionContext, lid: string, phone: string): void {
  lidMappingOf(ctx.session).learn(`${lid}@lid`, `${phone}@s.whatsapp.net`, true);
}

function report(ctx: SessionContext, jid: string, change: ContactChange): void {
  const person: Person | null = lidMappingOf(ctx.session).person(jid);
  if (person !== null) ctx.emit([{ key: null, event: { type: "contact.updated", person, ...change } }]);
}
