// Channels and groups as people share them: an id, an invite code, or a link that ends in the code.

const CHANNEL_ID = /^\d{5,40}@newsletter$/;
const CHANNEL_CODE = /^[A-Za-z0-9_-]{8,64}$/;
const CHANNEL_LINK = /^(?:https?:\/\/)?[a-z0-9.-]+\/channel\/([A-Za-z0-9_-]{8,64})\/?(?:[?#].*)?$/i;

export function readChannelKey(text: string): string | null {
  const trimmed = text.trim();
  return CHANNEL_ID.test(trimmed) || CHANNEL_CODE.test(trimmed) ? trimmed : (CHANNEL_LINK.exec(trimmed)?.[1] ?? null);
}

export function isChannelId(key: string): boolean {
  return CHANNEL_ID.test(key);
}

const INVITE_CODE = /^[A-Za-z0-9_-]{6,64}$/;
const INVITE_LINK = /^(?:https?:\/\/)?[a-z0-9.-]+\/(?:invite\/)?([A-Za-z0-9_-]{6,64})\/?(?:[?#].*)?$/i;

export function readInviteCode(text: string): string | null {
  const trimmed = text.trim();
  return INVITE_CODE.test(trimmed) ? trimmed : (INVITE_LINK.exec(trimmed)?.[1] ?? null);
}
