// The families of the Connection API, in the order in which the documentation shows them.

import type { DocumentedSurface } from "../../http/openapi/surface.ts";

export const TAGS: DocumentedSurface["tags"] = [
  { name: "instance", title: "Connection", description: "The connection of this key: state, pairing, health." },
  { name: "messages", title: "Messages", description: "Sending every kind of message, and looking one up." },
  { name: "chats", title: "Chats", description: "Chats and their history: read, archive, pin, mute, react, edit, delete." },
  { name: "groups", title: "Groups", description: "Groups: create, administer, invite." },
  { name: "contacts", title: "Contacts", description: "Contacts: look up, save, block." },
  { name: "labels", title: "Labels", description: "Labels of business accounts." },
  { name: "channels", title: "Channels", description: "Channels: create, follow, publish." },
  { name: "status", title: "Status", description: "Status posts, which disappear after 24 hours." },
  { name: "presence", title: "Presence", description: "The presence of the number itself." },
  { name: "profile", title: "Profile", description: "The profile of the number itself." },
  { name: "calls", title: "Calls", description: "Incoming calls." },
];
