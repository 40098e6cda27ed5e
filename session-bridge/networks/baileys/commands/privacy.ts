import { S_WHATSAPP_NET } from "baileys";
import { type PrivacyChange, PrivacySettings } from "@gateway/protocol/people.ts";
import { queryNetwork } from "../queries/network-query.ts";
import type { SessionContext } from "../session/session-context.ts";

const CATEGORIES = {
  last_seen: "last",
  online: "online",
  picture: "profile",
  about: "status",
  read_receipts: "readreceipts",
  groups_add: "groupadd",
  calls: "calladd",
  messages: "messages",
} as const satisfies Record<keyof PrivacySettings, string>;

const SETTINGS = Object.keys(CATEGORIES) as (keyof PrivacySettings)[];

/** Throws when the network does not answer. Also refreshes the library's cache, which decides whether it sends read receipts. */
export async function readPrivacy({ sock }: Pick<SessionContext, "sock">): Promise<PrivacySettings> {
  const told = await sock.fetchPrivacySettings(true);
  const known = SETTINGS.map((setting) => {
    const value = PrivacySettings.shape[setting].safeParse(told[CATEGORIES[setting]]);
    return [setting, value.success ? value.data : null];
  });
  return PrivacySettings.parse(Object.fromEntries(known));
}

/** The library's own functions treat a missing answer as success. */
export async function changePrivacy(ctx: SessionContext, change: PrivacyChange): Promise<PrivacySettings> {
  for (const setting of SETTINGS) {
    const value = change[setting];
    if (value === undefined) continue;
    const category = { tag: "category", attrs: { name: CATEGORIES[setting], value } };
    await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "set", xmlns: "privacy" }, [{ tag: "privacy", attrs: {}, content: [category] }]);
  }
  return readPrivacy(ctx);
}
