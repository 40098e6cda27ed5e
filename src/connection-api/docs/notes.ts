// Notes on every route of the Connection API, family by family: an example that is executed, and the failures of its own.
import type { DocumentedRoute, RouteNotes } from "../../http/openapi/surface.ts";
import { callNotes } from "./notes/calls.ts";
import { channelNotes } from "./notes/channels.ts";
import { chatMessageNotes } from "./notes/chat-messages.ts";
import { chatNotes } from "./notes/chats.ts";
import { contactNotes } from "./notes/contacts.ts";
import { groupNotes } from "./notes/groups.ts";
import { instanceNotes } from "./notes/instance.ts";
import { labelNotes } from "./notes/labels.ts";
import { messageNotes } from "./notes/messages.ts";
import type { Notes } from "./notes/note.ts";
import { profileNotes } from "./notes/profile.ts";
import { statusNotes } from "./notes/status.ts";
import { PARAMS } from "./sample-ids.ts";

/** By method and path, as in the route table. */
export const NOTES: Readonly<Notes> = {
  ...instanceNotes,
  ...messageNotes,
  ...chatNotes,
  ...chatMessageNotes,
  ...groupNotes,
  ...contactNotes,
  ...labelNotes,
  ...channelNotes,
  ...statusNotes,
  ...profileNotes,
  ...callNotes,
};

export function notesOf({ method, path }: DocumentedRoute): RouteNotes {
  const { example, ...notes } = NOTES[`${method.toUpperCase()} ${path}`] ?? {};
  return { ...notes, example: { ...example, params: { ...PARAMS, ...example?.params } } };
}
