// Sending from the dashboard, subject to the same limits as sends through the APIs (docs/use/apis.md, "Sending").
import { FILE_RULES, resolveMediaType } from "@gateway/domain/media/file-rules.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { makeMediaToken, mediaLink } from "@gateway/domain/media/media-link.ts";
import { sniffMediaType } from "@gateway/domain/media/sniff.ts";
import { formatCard } from "@gateway/domain/messages/vcard.ts";
import { settingsOf } from "#root/src/env.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import { RequestFiles } from "#root/src/http/request-files.ts";
import { isoOfMs, isoOfSeconds } from "@gateway/domain/iso-times.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import type { WaitingRecord } from "@gateway/protocol/operations/waiting.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { claimOfAccount } from "#root/src/services/accounts/guard.ts";
import { lookUpMedia } from "#root/src/services/media/open.ts";
import { storeUnmeasured } from "#root/src/services/media/store.ts";
import type { Send } from "../contract/messages.ts";
import { action, operation } from "../route.ts";
import { type ConnectionMember, readAs, callAs } from "../call-as.ts";

const UPLOAD_MS = 5 * MINUTE_MS;

export const messageRoutes = [
  action(
    "POST /connections/{id}/messages",
    "member",
    async (c, member, { body }) => {
      const files = new RequestFiles(() => undefined);
      const content = await contentOf(c, member, body, files);
      if (!content.ok) return content;
      const input = {
        to: body.to ?? null,
        chat_id: body.chat_id ?? null,
        content: content.value,
        quoted_message_id: body.quoted_message_id ?? null,
        mentions: (body.kind === "text" && body.mentions) || [],
        mention_all: false,
        reference: null,
        typing_ms: 0,
        // Meta chooses the ids of a Cloud API number.
        message_id: (member.connection.kind === "session" && body.kind === "text" && body.message_id) || null,
        source: "dashboard" as const,
        ...deliveryIn(body),
      };
      const sent = await callAs(c, member, "messages.send", input, { files, request: body });
      if (!sent.ok) return sent;
      const { message_id, chat_id, to, type, timestamp, delivery } = sent.value;
      return { ok: true, value: { data: { message_id, chat_id, to, type, at: isoOfSeconds(timestamp), waits: delivery !== undefined } } };
    },
    { created: () => true },
  ),
  /** The upload is counted against the call limits first, so that it can be refused before the file is read. */
  action(
    "POST /connections/{id}/media",
    "member",
    async (c, member, { query }) => {
      const { body } = c.req.raw;
      const announced = Number(c.req.header("content-length") ?? LIMITS.bodyBytes);
      if (announced > LIMITS.bodyBytes) return fail("media_too_large");
      if (body === null) return fail("media_invalid", { details: { reason: "empty" } });
      const declared = c.req.header("content-type") ?? null;
      const filename = query.filename ?? null;
      const expiresAt = Date.now() + LIMITS.uploads.lifeMs;
      const { uuid } = member.connection;
      const token = makeMediaToken(crypto.getRandomValues(new Uint8Array(16)), uuid, expiresAt);
      const claimed = await claimUpload(c, member, token, announced);
      if (!claimed.ok) return claimed;
      const media = {
        token,
        connection: uuid,
        filename,
        expiresAt,
        maxBytes: LIMITS.bodyBytes,
        tooLarge: { code: "media_too_large" } as const,
        typeOf: (head: Uint8Array) => resolveMediaType(FILE_RULES.document, sniffMediaType(head), declared),
      };
      const stored = await storeUnmeasured(c.env.MEDIA, media, body, AbortSignal.timeout(UPLOAD_MS));
      const bytes = stored.ok ? stored.value.sizeBytes : 0;
      if (bytes !== announced) await claimUpload(c, member, token, bytes);
      if (!stored.ok) return stored;
      const { mimetype, sizeBytes } = stored.value;
      return { ok: true, value: { data: { id: token, mimetype, filename, size: sizeBytes, expires_at: isoOfMs(expiresAt) } } };
    },
    { created: () => true },
  ),
  operation("GET /connections/{id}/waiting", {
    operation: "waiting.list",
    input: ({ query: { limit, cursor = null, chat_id = null } }) => ({ limit, cursor, chat_id }),
    render: ({ items, next_cursor }) => ({ data: items.map(renderWaiting), next_cursor }),
  }),
  operation("PATCH /connections/{id}/waiting/{message_id}", {
    operation: "waiting.change",
    input: ({ params: { message_id }, body: { at, until, text } }) => ({
      message_id,
      ...(at !== undefined && { at: Date.parse(at) }),
      ...(until !== undefined && { until: Date.parse(until) }),
      ...(text !== undefined && { text }),
    }),
    render: (send) => ({ data: renderWaiting(send) }),
  }),
  operation("DELETE /connections/{id}/waiting/{message_id}", {
    operation: "waiting.cancel",
    input: ({ params: { message_id } }) => ({ message_id, chat_id: null }),
    render: ({ count }) => ({ data: { count } }),
  }),
  operation("DELETE /connections/{id}/waiting", {
    operation: "waiting.cancel",
    input: ({ body: { chat_id } }) => ({ message_id: null, chat_id }),
    render: ({ count }) => ({ data: { count } }),
  }),
  operation("GET /connections/{id}/contacts/check", {
    operation: "contacts.check",
    input: ({ query }) => ({ phones: [query.phone] }),
    render: ({ items }) => ({ data: { phone: items[0]?.found ?? null } }),
  }),
];

function deliveryIn({ delivery }: Send): Pick<OperationInput<"messages.send">, "delivery"> {
  if (delivery == null) return {};
  return { delivery: { at: delivery.at === null ? null : Date.parse(delivery.at), until: null } };
}

function renderWaiting({ message_id, chat_id, type, text, source, at, until, waits_for }: WaitingRecord) {
  return { message_id, chat_id, type, text, source, at: isoOfMs(at), until: isoOfMs(until), waits_for };
}

/** Reserves space on the connection, which also counts the call toward its rate limit, and then on its owner's account. */
async function claimUpload(c: AppContext, member: ConnectionMember, token: string, bytes: number): Promise<Outcome<object>> {
  const ofConnection = await readAs(c, member, "uploads.claim", { token, bytes });
  if (!ofConnection.ok) return ofConnection;
  const ofAccount = await claimOfAccount(c.env, member.connection.ownerId, token, bytes);
  if (!ofAccount.ok) await readAs(c, member, "uploads.claim", { token, bytes: 0 });
  return ofAccount;
}

type Content = OperationInput<"messages.send">["content"];

async function contentOf(c: AppContext, member: ConnectionMember, body: Send, files: RequestFiles): Promise<Outcome<Content>> {
  switch (body.kind) {
    case "text":
      return { ok: true, value: { kind: "text", text: body.text, preview: null } };
    case "location": {
      const { latitude, longitude, name = null, address = null } = body;
      return { ok: true, value: { kind: "location", location: { latitude, longitude, name, address } } };
    }
    case "contact": {
      const contacts = body.contacts.map(({ full_name, phone }) =>
        formatCard({ fullName: full_name, phone, organization: null, email: null }),
      );
      return { ok: true, value: { kind: "contact", contacts } };
    }
    case "forward":
      return { ok: true, value: { kind: "forward_of", ...body.source } };
    case "poll": {
      const { question, options, selectable_count } = body;
      return { ok: true, value: { kind: "poll", poll: { question, options, selectable_count } } };
    }
    default:
      return fileContent(c, member, body, files);
  }
}

type FileSend = Extract<Send, { media: string }>;

/** Also accepts video and voice files that phones cannot play, because the bridge converts them. */
const RULES = {
  image: FILE_RULES.image,
  video: FILE_RULES.convertibleVideo,
  document: FILE_RULES.document,
  audio: FILE_RULES.audio,
  voice: FILE_RULES.convertibleVoice,
  sticker: FILE_RULES.sticker,
} as const;

async function fileContent(
  c: AppContext,
  { connection }: ConnectionMember,
  body: FileSend,
  files: RequestFiles,
): Promise<Outcome<Content>> {
  const upload = await lookUpMedia(c.env.MEDIA, body.media, Date.now());
  if (upload === null || upload.connection !== connection.uuid) return fail("media_expired");
  const { filename, mimetype } = upload;
  const url = mediaLink(settingsOf(c.env).APP_URL, body.media, mimetype);
  const media = files.add({
    source: { url },
    mimetype,
    filename: filename ?? (body.kind === "document" ? "file" : null),
    rule: RULES[body.kind],
  });
  const caption = "caption" in body ? (body.caption ?? null) : null;
  switch (body.kind) {
    case "image":
      return { ok: true, value: { kind: "image", media, caption, view_once: false } };
    case "video":
      return { ok: true, value: { kind: "video", media, caption, view_once: false, as_note: false, as_gif: false } };
    case "document":
      return { ok: true, value: { kind: "document", media, caption } };
    case "voice":
      return { ok: true, value: { kind: "voice", media, convert: true } };
    default:
      return { ok: true, value: { kind: body.kind, media } };
  }
}
