// What the control API shows of a phone. Types alone, without imports: the page of the phones reads them too.

/** Behaviour of the phone, set by PATCH /phones/{phone}. */
export interface PhoneOptions {
  receipts: "none" | "delivered" | "read" | "played";
  online: boolean;
  reply: "echo" | null;
  /** What it hands over to its devices, after linking and when asked; default all. */
  history?: "all" | "none";
  /** The account wants it before it links a device; absent from phones of earlier versions. */
  passkey?: { form: "sent" | "asked"; credential_id: string; public_key: string } | null;
  /** The only way in which linked devices get the salt of the account; both when absent. */
  salt?: "app_state" | "history" | "none";
}

/** Since the process started. */
export interface PhoneCounters {
  sent: number;
  received: number;
  duplicates: number;
  undecryptable: number;
  retriesAsked: number;
  retriesAnswered: number;
}

/** A device linked to the phone. */
export interface LinkedDeviceView {
  device: number;
  platform: string;
  online: boolean;
}

/** A number of the network, as a list of all shows it. */
export interface PhoneLine {
  phone: string;
  name: string;
  /** Another one for every profile picture; null: there is none. */
  picture: string | null;
  devices: Array<Omit<LinkedDeviceView, "online">>;
}

/** One phone, as GET /phones/{phone} shows it. */
export interface PhoneView {
  phone: string;
  name: string;
  about: string | null;
  /** Hex sha256 of its profile picture. */
  picture_sha256: string | null;
  devices: LinkedDeviceView[];
  options: PhoneOptions;
  counters: PhoneCounters;
  /** Errors inside the phone. */
  troubles: readonly string[];
  /** A device waits for the eight characters that it shows to be typed here. */
  code_requested: boolean;
  /** What is wrong with the line of its linked devices. */
  faults: Array<{ kind: string; times?: number }>;
}

/** How a chat looks on the phone. Times are Unix seconds, null when the thing is off. */
export interface ChatDocument {
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
}

export interface ChatView extends ChatDocument {
  /** As saved on the phone. */
  name: string | null;
  /** What stands above the chat: the saved name, else what the person or group is called, else the number. */
  title: string;
  /** Another one for every picture of the person or group; null: there is none. */
  picture: string | null;
  last_message: { message_id: string; from_me: boolean; type: string; text: string | null; timestamp: number } | null;
}

interface LocationView {
  latitude: number;
  longitude: number;
  name: string | null;
  address: string | null;
}
export interface ContactCardView {
  full_name: string;
  phone: string | null;
  vcard: string;
}
export interface PollView {
  question: string;
  options: string[];
  selectable_count: number;
}
interface SelectedView {
  row_id?: string;
  button_id?: string;
  title: string;
}
export interface EventView {
  name: string;
  description: string | null;
  starts_at: number;
  ends_at: number | null;
  cancelled: boolean;
  location: string | null;
}
interface InviteView {
  group_id: string;
  invite_code: string;
  subject: string;
}
/** How a status post looks: colour as #AARRGGBB. */
export interface StyleView {
  background: string | null;
  font: number | null;
}

export interface MessageView {
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
  /** Of a list, of buttons and of a template: what its reader can pick. */
  choices: Array<{ id: string; title: string }> | null;
}

export interface MediaRecord {
  /** Hex sha256 of the decrypted file; null when it could not be fetched or opened. */
  sha256: string | null;
  mimetype: string;
  size: number;
  filename: string | null;
  seconds: number | null;
}

/** One message of a chat. `from` is digits (the LID when no phone is known). */
export interface ShownMessage extends MessageView {
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
  /** How many more copies came under the same id. A phone shows one; a test may ask whether a second was sent. */
  duplicates: number;
  /** Own messages: the furthest receipt seen. */
  status: "pending" | "sent" | "delivered" | "read" | "played" | "failed" | null;
  error: string | null;
  labels: string[];
}

export interface CallDocument {
  call_id: string;
  peer: string;
  direction: "in" | "out";
  video: boolean;
  status: "ringing" | "accepted" | "rejected" | "ended";
  started_at: number;
}

export interface PresenceDocument {
  chat_id: string;
  online: boolean | null;
  last_seen: number | null;
  /** Who is typing or recording there now (in a group), newest state per person. */
  doing: Record<string, "typing" | "recording" | "paused">;
  history: Array<{ from: string; presence: string; at: number }>;
}

export interface GroupView {
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
  /** Hex sha256 of the group's picture. */
  picture_sha256: string | null;
  requests: string[];
  /** Only shown to members. */
  invite_code: string | null;
}

export interface ContactView {
  phone: string;
  full_name: string | null;
  push_name: string | null;
  about: string | null;
  /** Hex sha256 of the profile picture. */
  picture_sha256: string | null;
  business: boolean;
}
