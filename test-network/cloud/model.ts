// Records of the cloud network: apps, tokens, business accounts (WABAs), numbers, templates and media. Times are in Unix seconds.

export type App = {
  app_id: string;
  name: string;
  app_secret: string;
  fields: string[];
  callback: Callback | null;
};

export type Callback = {
  url: string;
  verify_token: string;
};

export type Token = {
  token: string;
  app_id: string;
  waba_id: string;
  created_at: number;
  expires_at: number | null;
};

export type Waba = {
  waba_id: string;
  name: string;
  /** Subscribed apps, with an optional override of their callback URL. */
  subscribed: Array<{ app_id: string; override: Callback | null }>;
};

export type Quality = "GREEN" | "YELLOW" | "RED" | "UNKNOWN";
export type Health = "AVAILABLE" | "LIMITED" | "BLOCKED";

export type CloudNumber = {
  phone_number_id: string;
  waba_id: string;
  app_id: string;
  phone: string;
  name: string;
  quality: Quality;
  health: Health;
  registered: boolean;
  /** The PIN that `register` requires. Null accepts any PIN. */
  pin: string | null;
  callback: Callback | null;
  /** True if a business app also uses the number. Its messages are then echoed, and its edits and deletions reported. */
  coexistence: boolean;
  groups: boolean;
  username_only: string[];
  /** Maps requested numbers to their form on the network. */
  spelling: Record<string, string>;
  profile: BusinessProfile;
};

export type BusinessProfile = {
  address?: string;
  description?: string;
  email?: string;
  websites?: string[];
  vertical?: string;
};

export type Template = {
  waba_id: string;
  template_id: string;
  name: string;
  language: string;
  body: string;
  status: "APPROVED" | "PENDING" | "REJECTED" | "PAUSED" | "DISABLED";
  category: "UTILITY" | "MARKETING" | "AUTHENTICATION";
  buttons: string[];
};

export type Media = {
  media_id: string;
  phone_number_id: string;
  mime_type: string;
  sha256: string;
  size: number;
  filename: string | null;
  created_at: number;
  /** The message that contained the file, or null for uploads. */
  message_id: string | null;
  deleted: boolean;
};

export type MediaUrl = {
  media_id: string;
  until: number;
};

export type Upload = {
  upload_id: string;
  app_id: string;
  length: number;
  type: string;
  handle: string | null;
};

export type QrCode = {
  code: string;
  phone_number_id: string;
  prefilled_message: string;
};

export type SentMessage = {
  wamid: string;
  message_id: string;
  phone_number_id: string;
  chat_id: string;
  opaque: string | null;
  category: "service" | "utility" | "marketing" | "authentication";
  at: number;
  /** True once the phone has the message. If false, Graph accepted it, but a status reports the failure. */
  left: boolean;
};

export type Window = {
  opened_at: number;
};

export type UserName = {
  user_id: string;
};

/** A change requested through Graph that the network has not announced yet. */
export type GroupRequest = {
  request_id: string | null;
};

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

export type CloudFault = {
  phone_number_id: string;
  kind: CloudFaultKind;
  times?: number | undefined;
  code?: number | undefined;
  subcode?: number | undefined;
  http?: number | undefined;
  /** For `delay_answer`, this is the delay, and for `error` the `Retry-After`. */
  ms?: number | undefined;
  /** Substring of `METHOD /path?query` to match. The default is `/messages`. */
  match?: string | undefined;
  copies?: number | undefined;
};

export type StoredFault = CloudFault & {
  fault_id: string;
  left: number;
};

export type DocumentKinds = {
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
};
