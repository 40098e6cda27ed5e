// Types of the control API's phone views. No imports, because the phones' page uses them too.

export type PhoneOptions = {
  receipts: "none" | "delivered" | "read" | "played";
  online: boolean;
  reply: "echo" | null;
  /** The history that the phone sends to its devices, after linking and on request. With `files`, only the first chunk is inline. */
  history?: "all" | "files" | "none";
  passkey?: { form: "sent" | "asked"; credential_id: string; public_key: string } | null;
  salt?: "app_state" | "history" | "none";
};

export type PhoneCounters = {
  sent: number;
  received: number;
  duplicates: number;
  undecryptable: number;
  retriesAsked: number;
  retriesAnswered: number;
};

export type LinkedDeviceView = {
  device: number;
  platform: string;
  online: boolean;
};

export type PhoneSummary = {
  phone: string;
  name: string;
  /** Changes with every new profile picture. Null without a picture. */
  picture: string | null;
  devices: Array<Omit<LinkedDeviceView, "online">>;
};

export type PhoneView = {
  phone: string;
  name: string;
  about: string | null;
  picture_sha256: string | null;
  devices: LinkedDeviceView[];
  options: PhoneOptions;
  counters: PhoneCounters;
  troubles: readonly string[];
  /** True if a device shows a code and waits for it to be typed on this phone. */
  code_requested: boolean;
  faults: Array<{ kind: string; times?: number }>;
};

export type ChatDocument = {
  chat_id: string;
  archived: boolean;
  pinned: boolean;
  muted_until: number | null;
  marked_unread: boolean;
  unread_count: number;
  labels: string[];
  cleared_at: number | null;
  deleted_at: number | null;
  disappearing_seconds: number;
};

export type ChatView = ChatDocument & {
  name: string | null;
  /** Heading of the chat: the saved name, or else the name of the person or group, or else the phone number. */
  title: string;
  picture: string | null;
  last_message: { message_id: string; from_me: boolean; type: string; text: string | null; timestamp: number } | null;
};

type LocationView = {
  latitude: number;
  longitude: number;
  name: string | null;
  address: string | null;
};
export type ContactCardView = {
  full_name: string;
  phone: string | null;
  vcard: string;
};
export type PollView = {
  question: string;
  options: string[];
  selectable_count: number;
};
type SelectedView = {
  row_id?: string;
  button_id?: string;
  title: string;
};
export type EventView = {
  name: string;
  description: string | null;
  starts_at: number;
  ends_at: number | null;
  cancelled: boolean;
  location: string | null;
};
type InviteView = {
  group_id: string;
  invite_code: string;
  subject: string;
};
export type StyleView = {
  background: string | null;
  font: number | null;
};

export type MessageView = {
  type: string;
  text: string | null;
  location: LocationView | null;
  contacts: ContactCardView[] | null;
  poll: PollView | null;
  selected: SelectedView | null;
  event: EventView | null;
  group_invite: InviteView | null;
  style: StyleView | null;
  /** A round video note, or a video that plays as a GIF. */
  form: "note" | "gif" | null;
  mention_all: boolean;
  quoted_id: string | null;
  mentions: string[];
  forwarded: boolean;
  view_once: boolean;
  link_preview: { title: string | null; url: string | null } | null;
  choices: Array<{ id: string; title: string }> | null;
};

export type MediaRecord = {
  /** Hash of the decrypted file, or null if it could not be fetched or decrypted. */
  sha256: string | null;
  mimetype: string;
  size: number;
  filename: string | null;
  seconds: number | null;
};

/** `from` contains digits: the phone number or, if that is unknown, the LID. */
export type ShownMessage = MessageView & {
  message_id: string;
  chat_id: string;
  from: string;
  from_me: boolean;
  timestamp: number;
  push_name: string | null;
  media: MediaRecord | null;
  reactions: Array<{ from: string; reaction: string }>;
  poll_votes: Array<{ from: string; options: string[] }>;
  edited: boolean;
  deleted: boolean;
  starred: boolean;
  pinned: boolean;
  read: boolean;
  played: boolean;
  /** Additional copies with the same id. A phone shows only one, and tests check that none was sent twice. */
  duplicates: number;
  status: "pending" | "sent" | "delivered" | "read" | "played" | "failed" | null;
  error: string | null;
  labels: string[];
};

export type CallDocument = {
  call_id: string;
  peer: string;
  direction: "in" | "out";
  video: boolean;
  status: "ringing" | "accepted" | "rejected" | "ended";
  started_at: number;
};

export type PresenceDocument = {
  chat_id: string;
  online: boolean | null;
  last_seen: number | null;
  doing: Record<string, "typing" | "recording" | "paused">;
  history: Array<{ from: string; presence: string; at: number }>;
};

export type GroupView = {
  group_id: string;
  subject: string;
  description: string | null;
  created_by: string;
  created_at: number;
  participants: Array<{ phone: string; role: string }>;
  announce: boolean;
  locked: boolean;
  join_approval: boolean;
  member_add_mode: string;
  disappearing_seconds: number;
  picture_sha256: string | null;
  requests: string[];
  invite_code: string | null;
};

export type ContactView = {
  phone: string;
  full_name: string | null;
  push_name: string | null;
  about: string | null;
  picture_sha256: string | null;
  business: boolean;
};
