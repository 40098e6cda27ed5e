import type { OutgoingContent, OutgoingFile } from "../../phone/messages/outgoing-content.ts";
import type { Sent } from "../../phone/messages/sending.ts";
import { type Outcome, refused as notSent } from "../../phone/refusal.ts";
import type { SimulatedPhone } from "../../phone/simulated-phone.ts";
import type { CloudNetwork } from "../cloud-network.ts";
import { messageIdOf } from "../ids.ts";
import { fileAt, fileOf, kindProblem, type FileKind } from "../media.ts";
import type { CloudNumber, SentMessage } from "../model.ts";
import { fillTemplate } from "../templates.ts";
import { vcardOf } from "../vcards.ts";
import { graphError, type GraphReply } from "./errors.ts";
import type { FileBody, InteractiveBody, SentBody } from "./message-bodies.ts";

export const MEDIA_NOT_UPLOADED = "media_not_uploaded";

interface From {
  cloud: CloudNetwork;
  number: CloudNumber;
  phone: SimulatedPhone;
}

type Category = SentMessage["category"];
type Refused = { ok: false; reply: GraphReply };
type Outgoing = { ok: true; category: Category; send(chatId: string, messageId: string): Promise<Outcome<Sent>> } | Refused;
/** `content` is null when the file could not be downloaded or has the wrong type. */
type Content = { ok: true; content: OutgoingContent | null; category?: Category } | Refused;

export async function outgoingOf(from: From, body: SentBody): Promise<Outgoing> {
  const { phone } = from;
  const category = "service";
  if (body.type === "reaction") {
    const target = messageIdOf(body.reaction.message_id) ?? "";
    if (!phone.deps.messages.findAnywhere(target)) return refused(131_009, "reaction.message_id names no message of this number.");
    return { ok: true, category, send: (chatId, id) => phone.react(chatId, target, body.reaction.emoji, id) };
  }
  const made = await contentOf(from, body);
  if (!made.ok) return made;
  const { content } = made;
  return {
    ok: true,
    category: made.category ?? category,
    async send(chatId, messageId) {
      if (content === null) return notSent(422, MEDIA_NOT_UPLOADED, "The file at the link cannot be sent.");
      const quoted = messageIdOf(body.context?.message_id ?? "");
      const isThere = quoted !== null && phone.deps.messages.find(phone.chatId(chatId), quoted) !== null;
      return phone.send(chatId, content, { messageId, ...(isThere && { quotedId: quoted }) });
    },
  };
}

function contentOf(from: From, body: Exclude<SentBody, { type: "reaction" }>): Content | Promise<Content> {
  switch (body.type) {
    case "text":
      return content({ type: "text", text: body.text.body });
    case "image":
    case "video":
      return withFile(from, body.type, media(body), (file) => ({
        type: body.type,
        file,
        caption: media(body)?.caption ?? null,
        view_once: false,
      }));
    case "document":
      return withFile(from, "document", body.document, (file) => ({
        type: "document",
        file: { ...file, filename: body.document.filename ?? file.filename },
        caption: body.document.caption ?? null,
      }));
    case "sticker":
      return withFile(from, "sticker", body.sticker, (file) => ({ type: "sticker", file }));
    case "audio": {
      const type = body.audio.voice === true ? "voice" : "audio";
      return withFile(from, "audio", body.audio, (file) => ({ type, file, view_once: false }));
    }
    case "location": {
      const { latitude, longitude, name = null, address = null } = body.location;
      return content({ type: "location", latitude, longitude, name, address });
    }
    case "contacts":
      return content({ type: "contact", contacts: body.contacts.map(vcardOf) });
    case "interactive":
      return interactive(from, body.interactive);
    case "template":
      return fillTemplate(from.cloud, from.number, body.template);
  }
}

function media(body: Extract<SentBody, { type: "image" | "video" }>) {
  return body.type === "image" ? body.image : body.video;
}

function interactive(from: From, body: InteractiveBody): Content | Promise<Content> {
  if (body.type === "location_request_message" || body.type === "request_contact_info")
    return content({ type: "text", text: body.body.text });
  const { header } = body;
  const title = header?.type === "text" ? header.text : "";
  const text = body.body.text;
  const footer = body.footer?.text ?? null;
  if (body.type === "cta_url") return content({ type: "text", text: `${text}\n${body.action.parameters.url}` });
  if (body.type === "list") {
    const rows = body.action.sections.flatMap((section) => section.rows);
    return content({ type: "list", title, text, button: body.action.button, rows, footer });
  }
  const buttons = body.action.buttons.map(({ reply }) => reply);
  if (!header || header.type === "text") return content({ type: "buttons", title, text, footer, buttons, header: null });
  const named = header.type === "image" ? header.image : header.type === "video" ? header.video : header.document;
  return withFile(from, header.type, named, (file) => ({
    type: "buttons",
    title,
    text,
    footer,
    buttons,
    header: { kind: header.type, file },
  }));
}

async function withFile(
  { cloud, number }: From,
  kind: FileKind,
  { id, link }: FileBody,
  build: (file: OutgoingFile) => OutgoingContent,
): Promise<Content> {
  if (id === undefined) {
    if (link === undefined) return refused(131_008, `Required parameter ${kind}['id'] is missing`);
    const file = await fileAt(link);
    if (!file || kindProblem(kind, file.mimetype, file.bytes.length) !== null) return { ok: true, content: null };
    return content(build({ ...file, filename: null }));
  }
  const found = fileOf(cloud, number, id);
  if (!found) return refused(131_009, `Media id ${id} does not exist or has expired.`);
  const problem = kindProblem(kind, found.media.mime_type, found.bytes.length);
  if (problem !== null) return refused(131_053, problem);
  return content(build({ bytes: found.bytes, mimetype: found.media.mime_type, filename: found.media.filename }));
}

function content(made: OutgoingContent): Content {
  return { ok: true, content: made };
}

function refused(code: number, details: string): Refused {
  return { ok: false, reply: graphError(code, { details }) };
}
