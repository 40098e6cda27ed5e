// How people name a channel: its id, the code of its link, or the link itself.

const ID = /^\d{5,40}@newsletter$/;
const CODE = /^[A-Za-z0-9_-]{8,64}$/;
const LINK = /^(?:https?:\/\/)?[a-z0-9.-]+\/channel\/([A-Za-z0-9_-]{8,64})\/?(?:[?#].*)?$/i;

/** The channel's id (it ends in `@newsletter`), or the code of its link; null when the text is neither. */
export function readChannelKey(text: string): string | null {
  const trimmed = text.trim();
  return ID.test(trimmed) || CODE.test(trimmed) ? trimmed : (LINK.exec(trimmed)?.[1] ?? null);
}

export function isChannelId(key: string): boolean {
  return ID.test(key);
}
