// The event types of a connection's webhook. They are in a separate file, because the dashboard uses them too.

export type ConnectionEventGroup = "messages" | "number" | "groups" | "labels";

/** `when` completes "Sent when …" in the API documents, and is shown beside the event in the dashboard. */
type EventRow = { group: ConnectionEventGroup; when: Readonly<Record<"en" | "pt", string>> };

const ROWS = {
  "message.received": {
    group: "messages",
    when: { en: "a message arrives, also in groups", pt: "chega uma mensagem, inclusive em grupos" },
  },
  "message.sent": {
    group: "messages",
    when: {
      en: "a message leaves the number, through the dashboard, the API or the phone",
      pt: "o número envia uma mensagem: pelo painel, pela API ou pelo celular",
    },
  },
  "message.status": {
    group: "messages",
    when: { en: "a sent message is delivered, read or played, or fails", pt: "uma mensagem enviada é entregue, lida ou ouvida, ou falha" },
  },
  "instance.status": {
    group: "number",
    when: {
      en: "the connection connects, drops, fails or needs a QR scan",
      pt: "a conexão se conecta, cai, falha ou precisa de um QR code",
    },
  },
  "message.reaction": { group: "messages", when: { en: "someone adds or removes a reaction", pt: "alguém adiciona ou remove uma reação" } },
  "message.edited": { group: "messages", when: { en: "someone edits a message", pt: "alguém edita uma mensagem" } },
  "message.deleted": {
    group: "messages",
    when: { en: "someone deletes a message for everyone", pt: "alguém apaga uma mensagem para todos" },
  },
  "group.participants": {
    group: "groups",
    when: {
      en: "someone joins, leaves, or becomes or stops being an admin, including the number itself",
      pt: "alguém entra, sai, vira ou deixa de ser administrador, inclusive o próprio número",
    },
  },
  "group.updated": {
    group: "groups",
    when: {
      en: "the name, description, picture or settings of a group change",
      pt: "o nome, a descrição, a foto ou as configurações de um grupo mudam",
    },
  },
  call: {
    group: "number",
    when: {
      en: "a call comes in, or is answered or rejected on another device",
      pt: "chega uma ligação, ou alguém atende ou recusa em outro dispositivo",
    },
  },
  "poll.vote": { group: "messages", when: { en: "someone votes in a poll of this number", pt: "alguém vota em uma enquete deste número" } },
  presence: {
    group: "number",
    when: {
      en: "someone in a subscribed chat goes online or offline, or starts typing or recording. Off by default",
      pt: "em uma conversa acompanhada, alguém fica online ou offline, digita ou grava. Desligado por padrão",
    },
  },
  "label.updated": { group: "labels", when: { en: "someone creates or edits a label", pt: "alguém cria ou edita uma etiqueta" } },
  "label.deleted": { group: "labels", when: { en: "someone deletes a label", pt: "alguém apaga uma etiqueta" } },
  "label.chat.added": {
    group: "labels",
    when: { en: "someone adds a label to a chat", pt: "alguém adiciona uma etiqueta a uma conversa" },
  },
  "label.chat.removed": {
    group: "labels",
    when: { en: "someone removes a label from a chat", pt: "alguém remove uma etiqueta de uma conversa" },
  },
} as const satisfies Record<string, EventRow>;

export type ConnectionEvent = keyof typeof ROWS;

export const CONNECTION_EVENT_ROWS: Readonly<Record<ConnectionEvent, EventRow>> = ROWS;

export const CONNECTION_EVENTS = Object.keys(ROWS) as readonly ConnectionEvent[];

export const CONNECTION_EVENT_GROUPS = [...new Set(CONNECTION_EVENTS.map((type) => ROWS[type].group))];

export function connectionEventsOf(group: string): ConnectionEvent[] {
  return CONNECTION_EVENTS.filter((type) => ROWS[type].group === group);
}

/** The default events of a new webhook (docs/use/events.md, "Connection API events"). */
export const DEFAULT_CONNECTION_EVENTS: readonly ConnectionEvent[] = CONNECTION_EVENTS.filter((type) => type !== "presence");
