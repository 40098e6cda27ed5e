// One content of every kind that the Cloud API can send.
import type { MediaRef, SendContent } from "@gateway/protocol/content.ts";

export const FILE: MediaRef = { token: "t1", mimetype: "application/octet-stream", filename: "ponto.bin", size: 5 };

const VCARD = [
  "BEGIN:VCARD",
  "VERSION:3.0",
  "N:Reis;Bia;;;",
  "FN:Bia Reis",
  "ORG:Sol;Vendas",
  "TEL;type=CELL;type=VOICE;waid=5511988887777:+55 11 98888-7777",
  "item1.TEL:+55 (11) 3333-4444",
  "EMAIL:bia@example.com",
  "END:VCARD",
].join("\r\n");

const TARGET = { chat_id: "5511987654321@c.us", message_id: "3EB0OWN", from_me: true, participant: null };

export const CONTENTS = {
  text: { kind: "text", text: "Olá!", preview: null },
  image: { kind: "image", media: FILE, caption: "Um ponto", view_once: false },
  video: { kind: "video", media: FILE, caption: null, view_once: false, as_note: false, as_gif: false },
  audio: { kind: "audio", media: FILE },
  voice: { kind: "voice", media: FILE, convert: false },
  document: { kind: "document", media: FILE, caption: "Leia" },
  sticker: { kind: "sticker", media: FILE },
  location: { kind: "location", location: { latitude: -23.5614, longitude: -46.6559, name: "MASP", address: null } },
  contact: { kind: "contact", contacts: [{ full_name: "Bia Reis", phone: "5511988887777", vcard: VCARD }] },
  reaction: { kind: "reaction", target: TARGET, reaction: "👍" },
  list: {
    kind: "list",
    body: "Escolha",
    header: "Agenda",
    footer: null,
    button: "Ver",
    sections: [
      {
        title: "Dias",
        rows: [
          { row_id: "ter", title: "Terça", description: "à tarde" },
          { row_id: "qui", title: "Quinta", description: null },
        ],
      },
    ],
  },
  buttons: { kind: "buttons", body: "Confirma?", header: FILE, footer: "Sol", buttons: [{ button_id: "sim", title: "Sim" }] },
  template: {
    kind: "template",
    name: "boas_vindas",
    language: "pt_BR",
    components: JSON.stringify([{ type: "body", parameters: [{ type: "text", text: "Ana" }] }]),
  },
} satisfies Record<string, SendContent>;
