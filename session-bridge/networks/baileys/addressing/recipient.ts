import { fail, type Failure, type Outcome } from "@gateway/protocol/failures.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import { addressOf, isPerson, jidOfChat } from "./jids.ts";
import { lidMappingOf } from "./lid-mapping.ts";
import { failureOfError, type Subject } from "../session/network-failures.ts";
import { lidJidOf } from "./lid-look-up.ts";
import { registeredNumbersOf } from "./registered-numbers.ts";
import type { SessionContext } from "../session/session-context.ts";

export type Recipient = {
  /** Identifies the chat in stored rows, message keys and quotes: by phone number if it is known. */
  jid: string;
  /** The LID to which the stanza is sent if the person is known by phone number. Otherwise null. */
  lidJid: string | null;
  chatId: ChatId;
  subject: Subject;
  /** The phone number in the network's form, if it differs from the requested form. */
  toResolved: string | null;
  audience?: string[];
};

/** A Brazilian number as people often write it: the area code and 8 or 9 digits, without the country code. */
const WITHOUT_BRAZIL = /^[1-9]{2}\d{8,9}$/;

async function suggestionFor(ctx: SessionContext, phone: string): Promise<Pick<Failure, "details">> {
  if (!WITHOUT_BRAZIL.test(phone)) return {};
  const found = await registeredNumbersOf(ctx.session).lookUp(ctx, `55${phone}`);
  return found.ok && found.value !== null ? { details: { suggested_number: found.value } } : {};
}

export async function resolveRecipient(ctx: SessionContext, chatId: ChatId): Promise<Outcome<Recipient>> {
  const address = addressOf(jidOfChat(chatId));
  if (address === null) return fail("number_not_on_network");
  if (!isPerson(address)) {
    const subject = address.kind === "group" || address.kind === "channel" ? address.kind : "status";
    return { ok: true, value: { jid: address.id, lidJid: null, chatId, subject, toResolved: null } };
  }
  const requestedPhone = address.kind === "phone" ? address.user : lidMappingOf(ctx.session).phoneOf(address.user);
  // A LID without a known phone number came from the network, so the account exists and needs no look-up.
  if (requestedPhone === null) {
    return { ok: true, value: { jid: `${address.user}@lid`, lidJid: null, chatId, subject: "person", toResolved: null } };
  }
  const found = await registeredNumbersOf(ctx.session).lookUp(ctx, requestedPhone);
  if (!found.ok) return found;
  const phone = found.value;
  if (phone === null) return fail("number_not_on_network", await suggestionFor(ctx, requestedPhone));
  const jid = `${phone}@s.whatsapp.net`;
  try {
    const lidJid = await lidJidOf(ctx, jid);
    const toResolved = phone === requestedPhone ? null : phone;
    return { ok: true, value: { jid, lidJid, chatId: `${phone}@c.us`, subject: "person", toResolved } };
  } catch (error) {
    return fail(failureOfError(error, "person"));
  }
}
