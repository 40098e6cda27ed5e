// JSON columns for records that change as a whole. Only this file writes them, so parsed records are trusted.
import type { BinaryNode } from "baileys";
import type { Account, Group, Newsletter, NewsletterMessage } from "../model.ts";

type StoredAccount = Pick<
  Account,
  | "business"
  | "name"
  | "nextDevice"
  | "lastSeen"
  | "picture"
  | "about"
  | "privacy"
  | "disappearing"
  | "businessProfile"
  | "restrictedUntil"
  | "newChatQuota"
  | "lidOnly"
  | "phoneOnly"
  | "hidesNumber"
  | "moved"
  | "needsToken"
  | "nctSalt"
> & { blocklist: string[] };

export function accountRecord(account: Account): string {
  const { business, name, nextDevice, lastSeen, picture, about, privacy, disappearing, businessProfile, restrictedUntil } = account;
  const { newChatQuota, lidOnly, phoneOnly, hidesNumber, moved, needsToken, nctSalt } = account;
  const record: StoredAccount = {
    business,
    name,
    nextDevice,
    lastSeen,
    picture,
    about,
    privacy,
    disappearing,
    businessProfile,
    restrictedUntil,
    newChatQuota,
    lidOnly,
    phoneOnly,
    hidesNumber,
    moved,
    needsToken,
    nctSalt,
    blocklist: [...account.blocklist],
  };
  return JSON.stringify(record);
}

export function parseAccount(text: string): Omit<StoredAccount, "blocklist"> & { blocklist: Set<string> } {
  const record = JSON.parse(text) as StoredAccount;
  return { ...record, blocklist: new Set(record.blocklist) };
}

type StoredGroup = Omit<Group, "members" | "requests" | "left"> & {
  members: Array<[string, "superadmin" | "admin" | "member"]>;
  requests: Array<[string, { at: string; method: "invite_link" | "non_admin_add"; by: string }]>;
  left: Array<[string, number]>;
};

export function groupRecord(group: Group): string {
  const record: StoredGroup = { ...group, members: [...group.members], requests: [...group.requests], left: [...group.left] };
  return JSON.stringify(record);
}

export function parseGroup(text: string): Group {
  const record = JSON.parse(text) as StoredGroup;
  return {
    ...record,
    members: new Map(record.members),
    requests: new Map(record.requests),
    left: new Map(record.left),
  };
}

type StoredNewsletter = Omit<Newsletter, "followers" | "messages"> & {
  followers: Array<[string, { role: "OWNER" | "ADMIN" | "SUBSCRIBER"; muted: boolean }]>;
};

export function newsletterRecord(newsletter: Newsletter): string {
  const { id, createdAt, updatedAt, inviteCode, name, description, picture, lastServerId } = newsletter;
  const followers = [...newsletter.followers];
  const record: StoredNewsletter = { id, createdAt, updatedAt, inviteCode, name, description, picture, lastServerId, followers };
  return JSON.stringify(record);
}

export function parseNewsletter(text: string): Newsletter {
  const record = JSON.parse(text) as StoredNewsletter;
  return { ...record, followers: new Map(record.followers), messages: new Map() };
}

type StoredNewsletterMessage = Pick<NewsletterMessage, "id" | "serverId" | "at" | "type"> & {
  viewers: string[];
  reactions: Array<[string, string]>;
};

export function newsletterMessageRecord({ id, serverId, at, type, viewers, reactions }: NewsletterMessage): string {
  const record: StoredNewsletterMessage = { id, serverId, at, type, viewers: [...viewers], reactions: [...reactions] };
  return JSON.stringify(record);
}

export function parseNewsletterMessage(text: string, content: BinaryNode[]): NewsletterMessage {
  const record = JSON.parse(text) as StoredNewsletterMessage;
  return { ...record, content, viewers: new Set(record.viewers), reactions: new Map(record.reactions) };
}
