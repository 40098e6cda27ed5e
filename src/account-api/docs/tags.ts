// The families of the Account API, in the order in which the documentation shows them.
import type { DocumentedSurface } from "../../http/openapi/surface.ts";

export const TAGS: DocumentedSurface["tags"] = [
  { name: "instances", title: "Instances", description: "Connected numbers: making, pairing, connecting, watching, deleting them." },
  { name: "chats", title: "Chats", description: "Chats of an instance and their history." },
  { name: "groups", title: "Groups", description: "Groups that an instance is in." },
  { name: "webhooks", title: "Webhooks", description: "Endpoints that events are delivered to, and what became of the deliveries." },
  { name: "account", title: "Account", description: "The account itself and its keys." },
  { name: "service", title: "Service", description: "Whether the service is up, and this description. Open to whoever asks." },
];
