import type { BinaryNode } from "baileys";
import type { DeviceLink, DeviceQueue } from "./delivery/device-queue.ts";

export type SignedPreKey = {
  id: number;
  value: Uint8Array;
  signature: Uint8Array;
};
type PreKey = {
  id: number;
  value: Uint8Array;
};

/** Public keys that start a session with a device. `key` is used once and then removed from the server's stock. */
export type KeyBundle = {
  registrationId: number;
  identityKey: Uint8Array;
  skey: SignedPreKey;
  key: PreKey | undefined;
};

export type PublishedKeys = {
  registrationId: number;
  identityKey: Uint8Array;
  skey: SignedPreKey;
};

export type Device = {
  readonly account: Account;
  readonly id: number;
  readonly pnJid: string;
  readonly lidJid: string;
  /** A linked device's Noise static key, or undefined for phones in this process. */
  noiseKey: Uint8Array | undefined;
  platform: string;
  keys: PublishedKeys | undefined;
  readonly preKeys: Map<number, Uint8Array>;
  readonly queue: DeviceQueue;
  online: DeviceLink | undefined;
  presence: Presence;
};

export type Presence = "available" | "unavailable";

export type Picture = {
  id: string;
  path: string;
};

export type BusinessProfile = {
  address?: string;
  description?: string;
  email?: string;
  websites: string[];
  hours?: { timezone: string; days: Array<Record<string, string>> };
};

/** The network's limit on new chats. `endsAt` is in Unix seconds. */
export type NewChatQuota = {
  total: number;
  used: number;
  status: "NONE" | "FIRST_WARNING" | "SECOND_WARNING" | "CAPPED";
  endsAt: number;
};

export type Account = {
  readonly pn: string;
  readonly lid: string;
  readonly pnJid: string;
  readonly lidJid: string;
  readonly business: boolean;
  readonly devices: Map<number, Device>;
  /** Devices subscribed to this account's presence, with the JID they used. */
  readonly subscribers: Map<Device, string>;
  /** Phone numbers of accounts notified of changes to this account's devices and picture. */
  readonly acquaintances: Set<string>;
  /** Phone numbers of accounts with which this account has exchanged direct messages. */
  readonly chats: Set<string>;
  /** The patches of each app-state collection, in order. A collection's version is the number of its patches. */
  readonly collections: Map<string, Uint8Array[]>;
  name: string;
  nextDevice: number;
  presence: Presence;
  /** Unix seconds as a string, or undefined if never online. */
  lastSeen: string | undefined;
  blocklist: Set<string>;
  picture: Picture | undefined;
  about: { text: string; at: string };
  privacy: Record<string, string>;
  disappearing: { seconds: string; at: string };
  businessProfile: BusinessProfile;
  restrictedUntil: number | undefined;
  newChatQuota: NewChatQuota | undefined;
  /** Linked devices must address this account by LID. Messages to its phone address are refused (463). */
  lidOnly: boolean;
  /** Clients do not learn the account's LID, because the account has not moved to it yet. */
  phoneOnly: boolean;
  /** The account shows a username, so clients do not learn its number. */
  hidesNumber: boolean;
  /** The account used to be known only by phone. Clients that still use its phone address are told to look up its LID. */
  moved: boolean;
  /** The account's linked devices need a privacy token for first messages (`strict/stanzas.ts`). */
  needsToken: boolean;
  /** In base64. The network, the phone and its linked devices share this salt. */
  nctSalt: string;
};

export type Addressing = "pn" | "lid";
export type GroupRole = "superadmin" | "admin" | "member";

export type Group = {
  readonly id: string;
  readonly creator: string;
  readonly createdAt: string;
  readonly addressing: Addressing;
  readonly members: Map<string, GroupRole>;
  subject: string;
  subjectBy: string;
  subjectAt: string;
  description: { id: string; text: string; by: string; at: string } | undefined;
  announce: boolean;
  /** Only admins may edit the group's subject, description and other data. */
  locked: boolean;
  memberAddMode: "admin_add" | "all_member_add";
  joinApproval: boolean;
  ephemeralSeconds: number;
  inviteCode: string;
  revokedCodes: string[];
  picture: Picture | undefined;
  readonly requests: Map<string, { at: string; method: "invite_link" | "non_admin_add"; by: string }>;
  /** People who left, by phone number, with the time in Unix seconds. They cannot simply be added again. */
  readonly left: Map<string, number>;
  community?: Community | undefined;
};

export type Community = {
  readonly parent: string;
  /** True if this is the community's announcement group. */
  readonly announcements: boolean;
  readonly hides_members: boolean;
};

type NewsletterRole = "OWNER" | "ADMIN" | "SUBSCRIBER";

export type NewsletterMessage = {
  readonly id: string;
  readonly serverId: string;
  readonly at: string;
  readonly type: string;
  readonly content: BinaryNode[];
  readonly viewers: Set<string>;
  readonly reactions: Map<string, string>;
};

export type Newsletter = {
  readonly id: string;
  readonly createdAt: string;
  readonly inviteCode: string;
  readonly followers: Map<string, { role: NewsletterRole; muted: boolean }>;
  readonly messages: Map<string, NewsletterMessage>;
  name: string;
  description: string;
  picture: Picture | undefined;
  updatedAt: string;
  lastServerId: number;
};
