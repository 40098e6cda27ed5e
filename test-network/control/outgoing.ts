import type { z } from "zod";
import type { OutgoingContent, OutgoingFile } from "../phone/messages/outgoing-content.ts";
import { done, refused, type Outcome } from "../phone/refusal.ts";
import type { SEND_TYPES, SendBody } from "./bodies.ts";

type Body = z.output<typeof SendBody>;
type SendType = (typeof SEND_TYPES)[number];

export function outgoingContent(body: Body): Outcome<OutgoingContent> {
  const type = body.type ?? guess(body);
  const content = BUILDERS[type](body);
  return content ? done(content) : refused(400, "bad_body", `a ${type} message lacks ${NEEDS[type]}`);
}

const BUILDERS: { readonly [T in SendType]: (body: Body) => OutgoingContent | null } = {
  text: ({ text, style }) => (text === undefined ? null : { type: "text", text, ...(style && { style }) }),
  image: (body) => withFile(body, (file, caption) => ({ type: "image", file, caption, view_once: body.view_once })),
  video: (body) => withFile(body, (file, caption) => ({ type: "video", file, caption, view_once: body.view_once })),
  audio: (body) => withFile(body, (file) => ({ type: "audio", file, view_once: body.view_once })),
  voice: (body) => withFile(body, (file) => ({ type: "voice", file, view_once: body.view_once })),
  document: (body) => withFile(body, (file, caption) => ({ type: "document", file, caption })),
  sticker: (body) => withFile(body, (file) => ({ type: "sticker", file })),
  location: ({ location: at }) =>
    at ? { type: "location", latitude: at.latitude, longitude: at.longitude, name: at.name ?? null, address: at.address ?? null } : null,
  contact: ({ contact }) => (contact ? { type: "contact", contacts: [contact].flat() } : null),
  poll: ({ poll }) => (poll ? { type: "poll", ...poll } : null),
  list: ({ list }) => (list ? { type: "list", ...list } : null),
  list_response: ({ selected }) => (selected ? { type: "list_response", row_id: selected.id, title: selected.title } : null),
  button_response: ({ selected }) => (selected ? { type: "button_response", button_id: selected.id, title: selected.title } : null),
};

const NEEDS: { readonly [T in SendType]: string } = {
  text: "text",
  image: "media",
  video: "media",
  audio: "media",
  voice: "media",
  document: "media",
  sticker: "media",
  location: "location",
  contact: "contact",
  poll: "poll",
  list: "list",
  list_response: "selected",
  button_response: "selected",
};

function guess({ media, location, contact, poll, list }: Body): SendType {
  if (location) return "location";
  if (contact) return "contact";
  if (poll) return "poll";
  if (list) return "list";
  if (!media) return "text";
  if (media.mimetype === "image/webp") return "sticker";
  const family = media.mimetype.replace(/\/.*$/, "");
  return family === "image" || family === "video" || family === "audio" ? family : "document";
}

function withFile(
  { media, caption, text }: Body,
  build: (file: OutgoingFile, caption: string | null) => OutgoingContent,
): OutgoingContent | null {
  if (!media) return null;
  const { base64, mimetype, filename = null, seconds, url, direct_path: directPath, plain, unhashed } = media;
  const file = { bytes: Buffer.from(base64, "base64"), mimetype, filename, seconds, claims: { url, directPath, plain, unhashed } };
  return build(file, caption ?? text ?? null);
}
