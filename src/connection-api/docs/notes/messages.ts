import { SAMPLE } from "../sample-ids.ts";
import { note, type Notes, SENDING } from "./note.ts";
import { PNG } from "./tiny-files.ts";

const { contact, group, message, chat, file } = SAMPLE;
const TO = { to: contact } as const;
const SEND = [...SENDING, "invalid_number", "number_not_on_network", "quoted_message_not_found", "limit_of_kind"] as const;
const MEDIA = [...SEND, "media_too_large", "media_unreachable", "media_invalid"] as const;
const NOT_ON_SESSIONS = { answers: "not_supported" } as const;

export const messageNotes: Notes = {
  "POST /messages/text": {
    ...note(SEND, { ...TO, text: "Olá!" }),
    description:
      "Answers after the network has confirmed. `424 resultado_incerto`: the message may have been sent; ask `GET /messages/{messageId}` with the `message_id` from `detalhes` before you repeat it.",
  },
  "POST /messages/image": note(MEDIA, { ...TO, media: { base64: PNG, mimetype: "image/png" }, caption: "Um ponto" }),
  "POST /messages/video": note(MEDIA, { ...TO, media: { url: file("video.mp4") }, caption: "Assista" }),
  "POST /messages/audio": note(MEDIA, { ...TO, media: { url: file("audio.mp3") } }),
  "POST /messages/voice": note(MEDIA, { ...TO, media: { url: file("voz.ogg") } }),
  "POST /messages/document": note(MEDIA, { ...TO, media: { base64: "T2zDoSE=", mimetype: "text/plain", filename: "ola.txt" } }),
  "POST /messages/sticker": note(MEDIA, { ...TO, media: { url: file("figurinha.webp") } }),
  "POST /messages/location": note(SEND, { ...TO, latitude: -23.5614, longitude: -46.6559, name: "MASP", address: "Av. Paulista, 1578" }),
  "POST /messages/contact": note(SEND, { ...TO, contacts: [{ full_name: "Ana Souza", phone: SAMPLE.other }] }),
  "POST /messages/poll": note(SEND, { ...TO, question: "Qual dia?", options: ["Terça", "Quinta"], selectable_count: 1 }),
  "POST /messages/list": note(
    SEND,
    { ...TO, body: "Escolha", button: "Ver", sections: [{ title: "Dias", rows: [{ row_id: "ter", title: "Terça" }] }] },
    NOT_ON_SESSIONS,
  ),
  "POST /messages/buttons": note(SEND, { ...TO, body: "Confirma?", buttons: [{ button_id: "sim", title: "Sim" }] }, NOT_ON_SESSIONS),
  "POST /messages/template": note([...SEND, "template_invalid"], { ...TO, name: "boas_vindas", language: "pt_BR" }, NOT_ON_SESSIONS),
  "POST /messages/forward": note([...SEND, "source_message_not_found"], { ...TO, from_chat_id: chat, message_id: message }),
  "POST /messages/event": note(SEND, { ...TO, name: "Reunião", starts_at: "2030-01-15T14:00:00Z" }),
  "POST /messages/group-invite": note([...SEND, "group_not_found", "forbidden"], { ...TO, group_id: group, text: "Entre no grupo" }),
  "GET /messages": {
    ...note([], undefined, { query: { reference: "pedido-1" } }),
    description: "Only what this number sent: answers whether an uncertain send went out.",
  },
  "GET /messages/{messageId}": {
    ...note(["message_not_found"]),
    description:
      "Does not count towards the limit of repeated reads and never comes from the cache: it can be polled until the status changes.",
  },
};
