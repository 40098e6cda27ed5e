// What the server knows: who has an account, which devices it has, and what was published about it. Never a message key.
import type { BinaryNode } from "baileys";
import type { DeviceLink } from "./delivery/device-link.ts";
import type { DeviceQueue } from "./delivery/device-queue.ts";

export interface SignedPreKey {
  id: number;
  value: Uint8Array;
  signature: Uint8Array;
}
interface PreKey {
  id: number;
  value: Uint8Array;
}

/** The public keys with which anyone starts a session with a device; `key` is one-time and gone from the server's stock. */
export interface KeyBundle {
  registrationId: number;
  identityKey: Uint8Array;
  skey: SignedPreKey;
  key: PreKey | undefined;
}

export interface PublishedKeys {
  registrationId: number;
  identityKey: Uint8Array;
  skey: SignedPreKey;
}

export interface Device {
  readonly account: Account;
  /** 0 is the phone itself; linked devices count from 1. */
  readonly id: number;
  readonly pnJid: string;
  readonly lidJid: string;
  /** The Noise static key a linked device logs in with; undefined for a phone in this process. */
  noiseKey: Uint8Array | undefined;
  platform: string;
  /** Undefined until the device has published its keys. */
  keys: PublishedKeys | undefined;
  readonly preKeys: Map<number, Uint8Array>;
  readonly queue: DeviceQueue;
  online: DeviceLink | undefined;
  presence: Presence;
}

export type Presence = "available" | "unavailable";

export interface Picture {
  id: string;
  path: string;
}

export interface BusinessProfile {
  address?: string;
  description?: string;
  email?: string;
  websites: string[];
  hours?: { timezone: string; days: Array<Record<string, string>> };
}

/** How many new chats the network allows; `endsAt` in Unix seconds. */
export interface NewChatQuota {
  total: number;
  used: number;
  status: "NONE" | "FIRST_WARNING" | "SECOND_WARNING" | "CAPPED";
  endsAt: number;
}

export interface Account {
  readonly pn: string;
  readonly lid: string;
  /** `<pn>@s.whatsapp.net` and `<lid>@lid`. */
  readonly pnJid: string;
  readonly lidJid: string;
  readonly business: boolean;
  readonly devices: Map<number, Device>;
  /** Devices that asked to see when this account is online, and by which of its two jids they asked. */
  readonly subscribers: Map<Device, string>;
  /** Phone numbers that are notified of changes of this account's devices and picture. */
  readonly acquaintances: Set<string>;
  /** Append-only patches of each app-state collection; the version is the length. */
  readonly collections: Map<string, Uint8Array[]>;
  name: string;
  nextDevice: number;
  presence: Presence;
  /** Unix seconds as text; undefined when never seen online. */
  lastSeen: string | undefined;
  /** LID users. */
  blocklist: Set<string>;
  picture: Picture | undefined;
  about: { text: string; at: string };
  privacy: Record<string, string>;
  disappearing: { seconds: string; at: string };
  businessProfile: BusinessProfile;
  /** Unix seconds until which the account may not write to strangers; undefined when there is no restriction. */
  restrictedUntil: number | undefined;
  newChatQuota: NewChatQuota | undefined;
  /** Messages of linked devices reach it by its LID alone: one to its phone address is refused (463). */
  lidOnly: boolean;
  /** Clients are told no LID of it: it has not moved to one yet. */
  phoneOnly: boolean;
  /** Clients are told no number of it: it shows a username. */
  hidesNumber: boolean;
  /** It was known by phone alone before; who still writes there is told to look its LID up. */
  moved: boolean;
  /** Its linked devices write to nobody without a privacy token (`strict/privacy-tokens.ts`). */
  needsToken: boolean;
  /** Base64; shared by the network, the phone and its linked devices. Undefined for an account of an older version. */
  nctSalt: string | undefined;
}

export type Addressing = "pn" | "lid";
export type GroupRole = "superadmin" | "admin" | "member";

export interface Group {
  /** `…@g.us` */
  readonly id: string;
  readonly creator: string;
  /** Unix seconds as text. */
  readonly createdAt: string;
  readonly addressing: Addressing;
  /** By phone number. */
  readonly members: Map<string, GroupRole>;
  subject: string;
  subjectBy: string;
  subjectAt: string;
  description: { id: string; text: string; by: string; at: string } | undefined;
  /** Only admins write. */
  announce: boolean;
  /** Only admins edit the group's data. */
  locked: boolean;
  memberAddMode: "admin_add" | "all_member_add";
  joinApproval: boolean;
  ephemeralSeconds: number;
  inviteCode: string;
  revokedCodes: string[];
  picture: Picture | undefined;
  /** Who asked to join and waits for an admin, by phone number. */
  readonly requests: Map<string, { at: string; method: "invite_link" | "non_admin_add"; by: string }>;
  /** Who left by themselves, by phone number: Unix seconds. Such a person cannot simply be added again. */
  readonly left: Map<string, number>;
  /** Of a group that belongs to a community; absent: it does not. */
  community?: Community | undefined;
}

export interface Community {
  /** `…@g.us` of the community itself. */
  readonly parent: string;
  /** The group of its announcements. */
  readonly announcements: boolean;
  /** Members are shown to admins only. */
  readonly hides_members: boolean;
}

type NewsletterRole = "OWNER" | "ADMIN" | "SUBSCRIBER";

export interface NewsletterMessage {
  readonly id: string;
  readonly serverId: string;
  readonly at: string;
  readonly type: string;
  readonly content: BinaryNode[];
  /** Phone numbers. */
  readonly viewers: Set<string>;
  /** Phone number to emoji. */
  readonly reactions: Map<string, string>;
}

export interface Newsletter {
  /** `…@newsletter` */
  readonly id: string;
  readonly createdAt: string;
  readonly inviteCode: string;
  readonly followers: Map<string, { role: NewsletterRole; muted: boolean }>;
  /** By server id, oldest first. */
  readonly messages: Map<string, NewsletterMessage>;
  name: string;
  description: string;
  picture: Picture | undefined;
  updatedAt: string;
  lastServerId: number;
}
