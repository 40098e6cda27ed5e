import type { BaileysEventMap } from "baileys";
import type { NetworkEvent } from "../../../../src/protocol/events.ts";
import { asChatId } from "../jids.ts";
import { bookOf } from "../lids.ts";
import type { SessionContext } from "../session-context.ts";

type Role = NonNullable<Extract<NetworkEvent, { type: "channel.updated" }>["role"]>;

const ROLES: Record<string, Role> = { OWNER: "owner", ADMIN: "admin", SUBSCRIBER: "subscriber", GUEST: "guest" };

export function channelSettings(ctx: SessionContext, { id, update }: BaileysEventMap["newsletter-settings.update"]): void {
  const channel = asChatId(id);
  if (channel === null) return;
  const { name, description } = (update ?? {}) as { name?: unknown; description?: unknown };
  const changed = {
    ...(wording(name) !== null && { name: wording(name) as string }),
    ...(wording(description) !== null && { description: wording(description) }),
  };
  if (Object.keys(changed).length > 0) ctx.emit([{ key: null, event: { type: "channel.updated", channel_id: channel, ...changed } }]);
}

/** Only our own role concerns us. */
export function channelParticipants(ctx: SessionContext, { id, user, new_role }: BaileysEventMap["newsletter-participants.update"]): void {
  const channel = asChatId(id);
  const role = ROLES[new_role?.toUpperCase()];
  if (channel === null || role === undefined || !bookOf(ctx.link).isOwn(user)) return;
  ctx.emit([{ key: null, event: { type: "channel.updated", channel_id: channel, role } }]);
}

// Newer notifications give `{ text }` where older ones give the text.
function wording(value: unknown): string | null {
  if (typeof value === "string") return value;
  const text = value !== null && typeof value === "object" ? (value as { text?: unknown }).text : null;
  return typeof text === "string" ? text : null;
}
