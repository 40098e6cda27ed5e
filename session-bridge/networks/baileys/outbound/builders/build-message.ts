import { generateWAMessage, type AnyMessageContent, type MessageGenerationOptions, type WAMessage, proto } from "baileys";
import { errorFacts } from "#bridge/log.ts";
import type { SendContent, SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { hasFile } from "@gateway/protocol/instance-settings.ts";
import { disappearingTimersOf } from "../../memory/disappearing-timers.ts";
import { identityOf } from "../../addressing/own-identity.ts";
import { UPLOAD_IDLE_TIMEOUT_MS, outgoingFilesOf } from "../../media/outgoing-file.ts";
import type { WireMessage } from "../pending-send.ts";
import {
  deletion,
  disappearing,
  edit,
  pin,
  reaction,
  contact,
  event,
  forward,
  groupInvite,
  location,
  poll,
  text,
  type BuildContext,
  type BuiltContent,
  type Built,
} from "./content.ts";
import { audio, document, image, sticker, video, voice } from "./files.ts";
import { jidOfPerson, addressOf, isPerson } from "#bridge/networks/baileys/addressing/jids.ts";
import { lidMappingOf } from "#bridge/networks/baileys/addressing/lid-mapping.ts";
import { readRaw, unwrap } from "#bridge/networks/baileys/content/unwrap.ts";

type MessageBuilders = { [K in SendContent["kind"]]: (content: Extract<SendContent, { kind: K }>, context: BuildContext) => Built };

/** Many recipients would not see such a message from a linked device, so the object never asks a session to send one. */
const notOfSessions = (): Outcome<BuiltContent> => fail("not_supported", { details: { kind: "session" } });

const BUILDERS: MessageBuilders = {
  text,
  image,
  video,
  audio,
  voice,
  document,
  sticker,
  location,
  contact,
  poll,
  event,
  forward,
  reaction,
  edit,
  pin,
  disappearing,
  group_invite: groupInvite,
  delete: deletion,
  list: notOfSessions,
  buttons: notOfSessions,
  template: notOfSessions,
};

export function buildMessage(context: BuildContext): Promise<Outcome<WireMessage>> {
  if (!hasFile(context.request.content)) return build(context);
  return outgoingFilesOf(context.ctx.session).run(() => build(context), context.isWanted);
}

async function build(context: BuildContext): Promise<Outcome<WireMessage>> {
  const { request } = context;
  const quoted = request.quoted && quotedMessage(request.quoted, context);
  if (request.quoted && !quoted) return fail("quoted_message_not_found");
  const built = await (BUILDERS[request.content.kind] as (content: SendContent, context: BuildContext) => Built)(request.content, context);
  if (!built.ok) return built;
  const { content, options, attributes = {}, tags = {}, media = null, discard } = built.value;
  try {
    const message = await generate(withMentions(content, mentionJids(context), request.mention_all), context, quoted, options);
    return message ? { ok: true, value: { message, attributes, tags, media } } : fail("internal_error");
  } catch (error) {
    context.ctx.logger.warn({ ...errorFacts(error), kind: request.content.kind }, "send.not_generated");
    return fail(media ? "unavailable" : "internal_error");
  } finally {
    await discard?.();
  }
}

async function generate(
  content: AnyMessageContent,
  { ctx, request, recipient, byLid, groupTimer }: BuildContext,
  quoted: WAMessage | null,
  options: BuiltContent["options"],
): Promise<WireMessage["message"] | null> {
  const { own } = identityOf(ctx.session);
  const timer =
    recipient.subject === "group" ? groupTimer : (disappearingTimersOf(ctx.session).get(recipient.chatId) ?? request.disappearing_seconds);
  const generated = await generateWAMessage(recipient.jid, content, {
    userJid: byLid && own.lid !== null ? `${own.lid}@lid` : `${own.phone ?? ""}@s.whatsapp.net`,
    upload: ctx.sock.waUploadToServer,
    mediaUploadTimeoutMs: UPLOAD_IDLE_TIMEOUT_MS,
    messageId: request.message_id,
    ...(quoted && { quoted }),
    ...(timer && { ephemeralExpiration: timer }),
    ...statusStyle(request),
    ...options,
  });
  return generated.message ?? null;
}

/** The library accepts ARGB colours only as hexadecimal text. */
function statusStyle({ status }: SendRequest): Partial<MessageGenerationOptions> {
  if (!status) return {};
  return {
    ...(status.background !== null && { backgroundColor: `#${(status.background >>> 0).toString(16).padStart(8, "0")}` }),
    ...(status.font !== null && { font: status.font }),
  };
}

type Mention = { jid: string; written: string; network: string };

/** Groups addressed by LID need mentions by LID, and phones look for that LID after the `@` in the text. */
function mentionJids({ ctx, request, byLid }: BuildContext): Mention[] {
  const lids = lidMappingOf(ctx.session);
  return request.mentions.flatMap((person) => {
    const phone = person.phone ?? (person.lid === null ? null : lids.phoneOf(person.lid));
    const lid = person.lid ?? (person.phone === null ? null : lids.lidOf(person.phone));
    const jid = jidOfPerson({ phone, lid }, byLid ? "lid" : "pn");
    if (jid === null) return [];
    return [{ jid, written: phone ?? lid ?? "", network: jid.slice(0, jid.indexOf("@")) }];
  });
}

function withMentions(content: AnyMessageContent, mentions: readonly Mention[], all: boolean): AnyMessageContent {
  if (mentions.length === 0 && !all) return content;
  const mentioned = { ...content } as AnyMessageContent & { text?: string; caption?: string };
  const networkOf = new Map(mentions.map(({ written, network }) => [written, network]));
  for (const field of ["text", "caption"] as const) {
    const text = mentioned[field];
    // Compares whole numbers, because one number can be the beginning of another.
    if (typeof text === "string")
      mentioned[field] = text.replaceAll(/@(\d+)/g, (_mention, written: string) => `@${networkOf.get(written) ?? written}`);
  }
  return { ...mentioned, ...(mentions.length > 0 && { mentions: mentions.map(({ jid }) => jid) }), ...(all && { mentionAll: true }) };
}

/** Returns null when the stored form is not a message or has no content. */
function quotedMessage({ raw, ref }: NonNullable<SendRequest["quoted"]>, { request, recipient }: BuildContext): WAMessage | null {
  const source = readRaw(raw);
  const { field, content } = unwrap(source?.message);
  if (!source || field === null) return null;
  // Uses the recipient's current address. Phones display a quote from another chat as a private reply.
  const here = ref.chat_id === request.chat_id;
  const key = { ...source.key, id: ref.message_id, fromMe: ref.from_me, ...(here && { remoteJid: recipient.jid }) };
  const direct = isPerson(addressOf(key.remoteJid));
  // The library quotes the first field it finds, so accompanying fields are omitted.
  return { key: direct ? { ...key, participant: null } : key, message: proto.Message.fromObject({ [field]: content[field] }) };
}
