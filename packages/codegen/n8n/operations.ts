// The operations that the n8n node offers by name. All others are available as "API call".

/** `name` appears in the list of operations, and `action` in n8n's search, written like "Send a text". */
export type Curated = { id: string; name: string; action: string };
export type Resource = { value: string; name: string; operations: readonly Curated[] };

const row = (id: string, name: string, action: string): Curated => ({ id, name, action });

export const RESOURCES: readonly Resource[] = [
  {
    value: "messages",
    name: "Message",
    operations: [
      row("sendText", "Send Text", "Send a text"),
      row("sendImage", "Send Image", "Send an image"),
      row("sendVideo", "Send Video", "Send a video"),
      row("sendAudio", "Send Audio", "Send an audio file"),
      row("sendVoice", "Send Voice", "Send a voice message"),
      row("sendDocument", "Send Document", "Send a document"),
      row("sendSticker", "Send Sticker", "Send a sticker"),
      row("sendLocation", "Send Location", "Send a location"),
      row("sendContact", "Send Contact", "Send contacts"),
      row("sendPoll", "Send Poll", "Send a poll"),
      row("sendTemplate", "Send Template", "Send a template"),
      row("reactToMessage", "React", "React to a message"),
      row("editMessage", "Edit", "Edit a message"),
      row("deleteMessage", "Delete", "Delete a message"),
      row("getMessage", "Get", "Get a sent message"),
      row("getChatMessage", "Get From Chat", "Get a message of a chat"),
      row("listSentMessages", "Get Many", "Get many sent messages"),
      row("cancelWaitingSend", "Cancel Waiting", "Cancel a waiting message"),
    ],
  },
  {
    value: "chats",
    name: "Chat",
    operations: [
      row("listChats", "Get Many", "Get many chats"),
      row("getChat", "Get", "Get a chat"),
      row("listChatMessages", "Get Messages", "Get messages of a chat"),
      row("markChatRead", "Mark Read", "Mark a chat as read"),
      row("markChatUnread", "Mark Unread", "Mark a chat as unread"),
      row("archiveChat", "Archive", "Archive a chat"),
      row("unarchiveChat", "Unarchive", "Unarchive a chat"),
      row("setTyping", "Show Typing", "Show typing in a chat"),
      row("addChatLabel", "Add Label", "Add a label to a chat"),
      row("removeChatLabel", "Remove Label", "Remove a label from a chat"),
    ],
  },
  {
    value: "contacts",
    name: "Contact",
    operations: [
      row("listContacts", "Get Many", "Get many contacts"),
      row("getContact", "Get", "Get a contact"),
      row("checkNumber", "Check Number", "Check a number"),
      row("saveContact", "Save", "Save a contact"),
      row("blockContact", "Block", "Block a contact"),
      row("unblockContact", "Unblock", "Unblock a contact"),
    ],
  },
  {
    value: "groups",
    name: "Group",
    operations: [
      row("listGroups", "Get Many", "Get many groups"),
      row("getGroup", "Get", "Get a group"),
      row("createGroup", "Create", "Create a group"),
      row("setGroupSubject", "Rename", "Rename a group"),
      row("addParticipants", "Add Participants", "Add participants to a group"),
      row("removeParticipants", "Remove Participants", "Remove participants from a group"),
      row("getInviteCode", "Get Invite Code", "Get the invite code of a group"),
    ],
  },
  {
    value: "instances",
    name: "Instance",
    operations: [
      row("listInstances", "Get Many", "Get many instances"),
      row("getInstance", "Get", "Get an instance"),
      row("getInstanceStatus", "Get Status", "Get the status of an instance"),
      row("getNumberHealth", "Get Health", "Get the health of an instance"),
    ],
  },
  { value: "labels", name: "Label", operations: [row("listLabels", "Get Many", "Get many labels")] },
];

/** Descriptions that n8n's rules require to be worded differently. For example, a boolean's description begins with "Whether". */
export const TEXTS: Readonly<Record<string, string>> = {
  link_preview: "Whether to show a preview of the first link",
  mention_all: "Whether to mention everyone in a group",
  view_once: "Whether the recipient can view it only once",
  as_gif: "Whether it plays automatically, without sound",
  as_note: "Whether to send it as a round video note",
  convert: "Whether to convert other formats instead of refusing them",
  for_everyone: "Whether to delete it for everyone, and not only for this number",
  archived: "Whether to return only archived chats, or only others",
  unread: "Whether to return only chats with unread messages, or only others",
  saved: "Whether to return only saved contacts, or only others",
  from_me: "Whether to return only your own messages, or only others",
  downloadMedia: "Whether to fetch files that the gateway no longer stores",
  refresh: "Whether to ask WhatsApp instead of using the stored list",
  join_approval: "Whether admins approve who joins",
};
