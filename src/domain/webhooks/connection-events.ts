// The event types of a connection's webhook. In a separate file, because the dashboard uses it too.

export const CONNECTION_EVENTS = [
  "message.received",
  "message.sent",
  "message.status",
  "instance.status",
  "message.reaction",
  "message.edited",
  "message.deleted",
  "group.participants",
  "group.updated",
  "call",
  "poll.vote",
  "presence",
  "label.updated",
  "label.deleted",
  "label.chat.added",
  "label.chat.removed",
] as const;

export type ConnectionEvent = (typeof CONNECTION_EVENTS)[number];

/** The default events of a new webhook (docs/use/events.md, "Connection API events"). */
export const DEFAULT_CONNECTION_EVENTS: readonly ConnectionEvent[] = CONNECTION_EVENTS.filter((type) => type !== "presence");

export type ConnectionEventGroup = "messages" | "number" | "groups" | "labels";

export const CONNECTION_EVENT_GROUPS: Readonly<Record<ConnectionEvent, ConnectionEventGroup>> = {
  "message.received": "messages",
  "message.sent": "messages",
  "message.status": "messages",
  "instance.status": "number",
  "message.reaction": "messages",
  "message.edited": "messages",
  "message.deleted": "messages",
  "group.participants": "groups",
  "group.updated": "groups",
  call: "number",
  "poll.vote": "messages",
  presence: "number",
  "label.updated": "labels",
  "label.deleted": "labels",
  "label.chat.added": "labels",
  "label.chat.removed": "labels",
};
