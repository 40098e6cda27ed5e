// Invitations to groups, as people pass them on: the code alone, or a link that ends in it.

const CODE = /^[A-Za-z0-9_-]{6,64}$/;
const LINK = /^(?:https?:\/\/)?[a-z0-9.-]+\/(?:invite\/)?([A-Za-z0-9_-]{6,64})\/?(?:[?#].*)?$/i;

/** The code in `text`; null when there is none. */
export function readInviteCode(text: string): string | null {
  const trimmed = text.trim();
  return CODE.test(trimmed) ? trimmed : (LINK.exec(trimmed)?.[1] ?? null);
}
