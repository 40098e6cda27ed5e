import { WAMessageAddressingMode, type BinaryNode } from "baileys";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Failure, type Outcome } from "@gateway/protocol/failures.ts";
import { groupsOf } from "../memory/group-cache.ts";
import { asAttempted, failureOfError, networkCode } from "../session/network-failures.ts";
import { pollsOf } from "../memory/polls.ts";
import { putSent } from "../durability/sent-messages.ts";
import { sendChatState } from "../queries/network-query.ts";
import { newChatQuota, reportQuota } from "../queries/new-chat-quota.ts";
import type { SessionContext } from "../session/session-context.ts";
import { buildMessage } from "./builders/build-message.ts";
import type { WireMessage, PendingSend } from "./pending-send.ts";
import { resolveRecipient, type Recipient } from "../addressing/recipient.ts";
import { createHmac } from "node:crypto";
import { isTcTokenExpired } from "baileys/lib/Utils/tc-token-utils.js";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import { knownSalt, waitForSalt } from "../memory/nct-salt.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type NetworkMessage, type StoredMedia, NO_EXTRAS } from "@gateway/protocol/message.ts";
import { errorFacts } from "#root/log.ts";
import { identityOf } from "../addressing/own-identity.ts";
import { jidOfPerson } from "../addressing/jids.ts";
import { lidJidOf } from "../addressing/lid-look-up.ts";
import { registeredNumbersOf } from "../addressing/registered-numbers.ts";
import { networkMessage } from "../content/network-message.ts";
import { rawOf } from "../content/unwrap.ts";
import { viewOf } from "../content/view.ts";

export type Prepared = { recipient: Recipient; wire: WireMessage };

/** Performs all checks possible before sending. `done`: an IQ query did the work (a group's timer), so no message follows. */
export async function prepare(ctx: SessionContext, send: PendingSend): Promise<Outcome<Prepared | "done">> {
  const { request } = send;
  const found = await resolveRecipient(ctx, request.chat_id);
  if (!found.ok) return found;
  const audience = found.value.subject === "status" ? await statusAudienceOf(ctx, request) : null;
  if (audience && !audience.ok) return audience;
  const recipient = { ...found.value, ...(audience && { audience: audience.value }) };
  const group = recipient.subject === "group" ? await groupsOf(ctx.session).load(ctx, recipient.jid) : null;
  if (group && !group.ok) return group;
  if (group && request.content.kind === "disappearing") return toggleDisappearing(ctx, recipient.jid, request.content.seconds);
  await awaitSalt(ctx, recipient);
  const isWanted = (): boolean => send.stage === "preparing";
  const members = group?.value.participants.map(({ id }) => id) ?? recipient.audience ?? [];
  await prepareSessions(ctx, { members, group: group === null ? null : recipient.jid, isWanted });
  await showTyping(ctx, send, recipient);
  const byLid = group?.value.addressingMode === WAMessageAddressingMode.LID;
  const wire = await buildMessage({ ctx, request, recipient, byLid, isWanted });
  return wire.ok ? { ok: true, value: { recipient, wire: wire.value } } : wire;
}

/**
 * Returns null if the library accepted the message, which may be on the wire. After a failure, it certainly was not sent.
 * `beforeWrite` runs before the message can leave; if it throws, the message does not leave.
 */
export async function relay(
  ctx: SessionContext,
  request: SendRequest,
  { recipient, wire }: Prepared,
  beforeWrite: () => void,
): Promise<Failure | null> {
  const { message, attributes, tags } = wire;
  const { message_id: id } = request;
  const peer = recipient.lidJid !== null && { peer_recipient_pn: recipient.jid };
  // The library reads `id` when it builds the stanza, after looking up devices.
  const additionalAttributes = {
    ...attributes,
    ...peer,
    get id() {
      beforeWrite();
      putSent(ctx.rows, id, { jid: recipient.jid, message });
      return id;
    },
  };
  if (request.content.kind === "poll") pollsOf(ctx.session).store(ctx.rows, id, null, message);
  try {
    const token = await firstContactToken(ctx, recipient);
    await ctx.sock.relayMessage(recipient.lidJid ?? recipient.jid, message, {
      messageId: id,
      additionalAttributes,
      additionalNodes: [...Object.entries(tags).map(([tag, attrs]): BinaryNode => ({ tag, attrs })), ...token],
      ...(recipient.audience && { statusJidList: recipient.audience }),
    });
    return null;
  } catch (error) {
    // Nothing was sent, because writing is the library's last step and the output gate accepts every write.
    return failureOfError(error, recipient.subject);
  }
}

async function toggleDisappearing(ctx: SessionContext, jid: string, seconds: number): Promise<Outcome<"done">> {
  try {
    await ctx.sock.groupToggleEphemeral(jid, seconds);
    return { ok: true, value: "done" };
  } catch (error) {
    const failure = failureOfError(error, "group");
    return fail(networkCode(error) === null ? failure : asAttempted(failure));
  }
}

async function showTyping(ctx: SessionContext, send: PendingSend, { jid, lidJid, subject }: Recipient): Promise<void> {
  const { typing_ms, content } = send.request;
  if (typing_ms === 0 || subject === "channel" || subject === "status") return;
  await sendChatState(ctx, lidJid ?? jid, content.kind === "voice" ? "recording" : "typing").catch(() => undefined);
  const { promise: elapsed, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => resolve(), typing_ms);
  await Promise.race([elapsed, send.settled]);
  clearTimeout(timer);
}

// Tokens that permit messages to a person. A first message without the person's own token needs one created here; otherwise it counts as
// an attempt to reach a stranger (463; docs/internals/sends.md, "Tokens for first messages").

/** After a pairing, the salt needed for our tokens arrives within seconds, so the send waits for it. */
async function awaitSalt(ctx: SessionContext, recipient: Recipient): Promise<void> {
  if ((await lidOfStranger(ctx, recipient)) !== null) await waitForSalt(ctx);
}

/** The token node for a first message. Empty if the library attaches the recipient's token itself or no token can be created. */
async function firstContactToken(ctx: SessionContext, recipient: Recipient): Promise<BinaryNode[]> {
  const lidJid = await lidOfStranger(ctx, recipient);
  const salt = knownSalt(ctx);
  if (lidJid === null || salt === null) return [];
  return [{ tag: "cstoken", attrs: {}, content: createHmac("sha256", salt).update(lidJid).digest() }];
}

/** The LID of a recipient who has given us no token, otherwise null. Creating a token requires both sides' LIDs. */
async function lidOfStranger(ctx: SessionContext, { jid, lidJid, subject }: Recipient): Promise<string | null> {
  const to = lidJid ?? jid;
  if (subject !== "person" || !to.endsWith("@lid")) return null;
  const lids = lidMappingOf(ctx.session);
  return lids.own().lid === null || lids.isOwn(to) || (await hasTheirToken(ctx, to)) ? null : to;
}

async function hasTheirToken({ auth, sock }: SessionContext, lidJid: string): Promise<boolean> {
  const { [lidJid]: kept } = await auth.keys.get("tctoken", [lidJid]);
  return sock.serverProps.privacyTokenOn1to1 && kept !== undefined && kept.token.length > 0 && !isTcTokenExpired(kept.timestamp);
}

// Creates a large group's Signal sessions before its first message. Otherwise the library's only lock would block other sends for 10 s.

/** Number of members queried at once. The library handles groups of up to this size itself. */
const BATCH_SIZE = 256;

/** `group` is null for other recipients. A group that already has our sender key is skipped. */
async function prepareSessions(
  ctx: SessionContext,
  { members, group, isWanted }: { members: readonly string[]; group: string | null; isWanted: () => boolean },
): Promise<void> {
  if (members.length <= BATCH_SIZE || (group !== null && (await hasSent(ctx, group)))) return;
  try {
    for (let at = 0; at < members.length && isWanted(); at += BATCH_SIZE) {
      const devices = await ctx.sock.getUSyncDevices(members.slice(at, at + BATCH_SIZE), true, false);
      await ctx.sock.assertSessions(
        devices.map(({ jid }) => jid),
        false,
      );
      await nextTurn();
    }
  } catch (error) {
    ctx.logger.info(errorFacts(error), "send.sessions_missing");
  }
}

async function hasSent({ auth }: SessionContext, group: string): Promise<boolean> {
  const { [group]: holders } = await auth.keys.get("sender-key-memory", [group]);
  return holders !== undefined;
}

// JIDs of a status post's viewers. They are LIDs, because the network no longer accepts phone numbers here.

/** Omits numbers without an account. Fails with `number_not_on_network` if none of the requested numbers has one. */
async function statusAudienceOf(ctx: SessionContext, { status }: SendRequest): Promise<Outcome<string[]>> {
  const recipients = status?.recipients ?? [];
  const numbers = await registeredNumbersOf(ctx.session).lookUpAll(
    ctx,
    recipients.flatMap(({ phone }) => phone ?? []),
  );
  if (!numbers.ok) return numbers;
  const found = recipients.flatMap(({ phone, lid }) => {
    const number = phone === null ? null : (numbers.value.get(phone) ?? null);
    return phone !== null && number === null ? [] : (jidOfPerson({ phone: number, lid }) ?? []);
  });
  if (recipients.length > 0 && found.length === 0) return fail("number_not_on_network");
  // Includes our own phone, which otherwise would not show the post as its own.
  const own = jidOfPerson(identityOf(ctx.session).own);
  const audience = await Promise.all([...(own === null ? [] : [own]), ...found].map((jid) => lidOrPhone(ctx, jid)));
  return { ok: true, value: [...new Set(audience)] };
}

async function lidOrPhone(ctx: SessionContext, jid: string): Promise<string> {
  return jid.endsWith("@lid") ? jid : ((await lidJidOf(ctx, jid)) ?? jid);
}

/** `timestamp`: the network's, in Unix seconds. `sent` is null when an IQ query replaced the message. */
export function messageAsSent(ctx: SessionContext, request: SendRequest, sent: PendingSend["sent"], timestamp: number): NetworkMessage {
  const { message_id: id, content } = request;
  const chatId = sent?.recipient.chatId ?? request.chat_id;
  const key = { remoteJid: sent?.recipient.jid ?? chatId, fromMe: true, id };
  const wire = { key, message: sent?.wire.message ?? null, messageTimestamp: timestamp };
  const view = viewOf(sent?.wire.message);
  if (view) {
    const message = networkMessage(wire, view, { chatId, fromMe: true, sender: null }, lidMappingOf(ctx.session));
    return { ...message, media: withToken(message.media, sent?.wire.media ?? null) };
  }
  return {
    message_id: id,
    chat_id: chatId,
    from_me: true,
    sender: null,
    push_name: null,
    timestamp,
    type: content.kind,
    text: textOf(content),
    media: null,
    ...NO_EXTRAS,
    raw: sent ? rawOf(wire) : null,
  };
}

function textOf(content: SendRequest["content"]): string | null {
  if (content.kind === "edit") return content.text;
  return content.kind === "reaction" ? content.reaction : null;
}

function withToken(described: StoredMedia | null, stored: StoredMedia | null): StoredMedia | null {
  if (!described || !stored) return described;
  const { token, mimetype, filename, size } = stored;
  return { ...described, token, mimetype, filename: filename ?? described.filename, size };
}

// Ack 463: the account may not start chats, or this recipient cannot be messaged yet. Retries count against the account, so there are none.
type ReachoutTimelock = { isActive?: boolean; timeEnforcementEnds?: Date | undefined };

export async function restriction463(ctx: SessionContext, messageId: string): Promise<Failure> {
  return restriction(messageId, await ctx.sock.fetchAccountReachoutTimelock().catch(() => null), ctx.now());
}

/** Ack 475: the quota of new chats is used up. */
export async function newChatsCapped(ctx: SessionContext, messageId: string): Promise<Failure> {
  const quota = { total: null, used: null, cycle_ends_at: null, ...(await newChatQuota(ctx)), status: "capped" as const };
  reportQuota(ctx, quota);
  const { cycle_ends_at: ends } = quota;
  return restriction(messageId, { isActive: true, timeEnforcementEnds: ends === null ? undefined : new Date(ends * 1000) }, ctx.now());
}

/** `lock` is null when the network has not reported which case applies. `now` in Unix milliseconds. */
export function restriction(messageId: string, lock: ReachoutTimelock | null, now: number): Failure {
  const ends = lock?.isActive ? (lock.timeEnforcementEnds ?? null) : null;
  const seconds = ends === null ? 0 : Math.ceil((ends.getTime() - now) / 1000);
  return {
    code: "temporarily_blocked",
    ...(seconds > 0 && { retryAfter: seconds }),
    details: {
      message_id: messageId,
      ...(lock !== null && { scope: lock.isActive ? "account" : "recipient", ends_at: ends?.toISOString() ?? null }),
    },
  };
}
