// What the cloud network knows: apps, tokens, business accounts (WABAs), numbers, templates, media. Times are Unix seconds.

export interface App {
  app_id: string;
  name: string;
  app_secret: string;
  /** Fields of `whatsapp_business_account` that the app gets webhooks of. */
  fields: string[];
  /** Where webhooks go that no number or account sends elsewhere. */
  callback: Callback | null;
}

export interface Callback {
  url: string;
  verify_token: string;
}

export interface Token {
  token: string;
  app_id: string;
  waba_id: string;
  created_at: number;
  /** null: never. */
  expires_at: number | null;
}

export interface Waba {
  waba_id: string;
  name: string;
  /** Apps that get its webhooks, and where instead of their own address. */
  subscribed: Array<{ app_id: string; override: Callback | null }>;
}

export type Quality = "GREEN" | "YELLOW" | "RED" | "UNKNOWN";
export type Health = "AVAILABLE" | "LIMITED" | "BLOCKED";

export interface CloudNumber {
  phone_number_id: string;
  waba_id: string;
  app_id: string;
  /** Digits: the simulated phone that it is. */
  phone: string;
  name: string;
  quality: Quality;
  health: Health;
  /** Registered with the Cloud API: else it sends nothing. */
  registered: boolean;
  /** What `register` has to name; null: any. */
  pin: string | null;
  callback: Callback | null;
  /** The number is on a business app too: its own messages are echoed, edits and deletions of others are told. */
  coexistence: boolean;
  /** May use the Groups API. */
  groups: boolean;
  /** Contacts who show this number their username and no phone. */
  username_only: string[];
  /** How a number that is asked for is spelled on the network. */
  spelling: Record<string, string>;
  profile: BusinessProfile;
}

export interface BusinessProfile {
  address?: string;
  description?: string;
  email?: string;
  websites?: string[];
  vertical?: string;
}

export interface Template {
  waba_id: string;
  template_id: string;
  name: string;
  language: string;
  /** With `{{1}}` or `{{name}}` where a parameter stands. */
  body: string;
  status: "APPROVED" | "PENDING" | "REJECTED" | "PAUSED" | "DISABLED";
  category: "UTILITY" | "MARKETING" | "AUTHENTICATION";
  /** Titles of its quick replies. */
  buttons: string[];
}

/** A file: uploaded by the business (its bytes are stored), or one that a contact has sent (they are the phone's). */
export interface Media {
  media_id: string;
  phone_number_id: string;
  mime_type: string;
  /** Hex. */
  sha256: string;
  size: number;
  filename: string | null;
  created_at: number;
  /** The message of the number's phone that it came with; null: uploaded. */
  message_id: string | null;
  deleted: boolean;
}

/** One address of a file: `until` it is answered. */
export interface MediaUrl {
  media_id: string;
  until: number;
}

/** A file that comes in parts, before it is a profile picture. */
export interface Upload {
  upload_id: string;
  app_id: string;
  length: number;
  type: string;
  handle: string | null;
}

/** Opens a chat with the number, with this text already written. */
export interface QrCode {
  code: string;
  phone_number_id: string;
  prefilled_message: string;
}

/** A message that the business has sent by Graph. */
export interface SentMessage {
  wamid: string;
  message_id: string;
  phone_number_id: string;
  /** Of the phone. */
  chat_id: string;
  opaque: string | null;
  /** What it is counted as. */
  category: "service" | "utility" | "marketing" | "authentication";
  at: number;
  /** The phone has it. False: the answer promised it, and a status takes the promise back. */
  left: boolean;
}

/** Since when somebody's last message or call keeps the window of 24 hours open. */
export interface Window {
  opened_at: number;
}

/** A person as one WABA knows them, where that is not what their phone says. */
export interface UserName {
  user_id: string;
}

/** What the Graph API of a group has been asked, until the group's notification says that it has happened. */
export interface GroupRequest {
  /** null: its notification is nobody's business. */
  request_id: string | null;
}

export const CLOUD_FAULT_KINDS = [
  "error",
  "status_error",
  "delay_answer",
  "drop_answer",
  "drop_request",
  "garbage_answer",
  "hold_webhooks",
  "release",
  "duplicate",
  "reverse",
  "bad_signature",
  "no_opaque",
  "expire_media",
  "bad_media_hash",
] as const;

export type CloudFaultKind = (typeof CLOUD_FAULT_KINDS)[number];

export interface CloudFault {
  phone_number_id: string;
  kind: CloudFaultKind;
  times?: number | undefined;
  /** Of `error` and `status_error`: Graph's. */
  code?: number | undefined;
  subcode?: number | undefined;
  /** The HTTP status of `error` and `garbage_answer`. */
  http?: number | undefined;
  /** Of `delay_answer`. Of `error`: what its `Retry-After` says. */
  ms?: number | undefined;
  /** A part of `METHOD /path?query` of the requests that it strikes; `/messages` when left out. */
  match?: string | undefined;
  /** Of `duplicate`: how many more of each. */
  copies?: number | undefined;
}

export interface StoredFault extends CloudFault {
  fault_id: string;
  left: number;
}

export interface DocumentKinds {
  app: App;
  token: Token;
  waba: Waba;
  number: CloudNumber;
  template: Template;
  media: Media;
  media_url: MediaUrl;
  upload: Upload;
  qr_code: QrCode;
  sent: SentMessage;
  window: Window;
  user: UserName;
  group_request: GroupRequest;
  fault: StoredFault;
  clock: { offset_s: number };
}
