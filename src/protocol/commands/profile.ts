import { z } from "zod";
import { MediaRef } from "../content.ts";
import { NewChatQuota } from "../health.ts";
import { BusinessProfile, PrivacyChange, PrivacySettings, StoredPicture } from "../people.ts";
import { type CommandRow, nothing } from "./row.ts";

export const PROFILE_COMMANDS = {
  /** As other people see it, regardless of the privacy settings. */
  "profile.get": {
    effect: "read",
    input: nothing,
    output: z.object({ about: z.string().nullable(), picture: StoredPicture.nullable(), business: BusinessProfile.nullable() }),
  },
  "profile.name": { effect: "change", input: z.object({ name: z.string() }), output: nothing },
  "profile.about": { effect: "change", input: z.object({ about: z.string() }), output: nothing },
  "profile.picture": { effect: "change", input: z.object({ picture: MediaRef.nullable() }), output: nothing },
  "profile.privacy": { effect: "read", input: nothing, output: PrivacySettings },
  /** Settings change one by one: those changed before a failure stay changed. Answers all settings. */
  "profile.set_privacy": { effect: "change", input: PrivacyChange, output: PrivacySettings },
} as const satisfies Record<string, CommandRow>;

export const ACCOUNT_COMMANDS = {
  /** Emits the restriction as `session.restriction` before the answer. `new_chat_quota` is null when the network gives none. */
  "account.limits": { effect: "read", input: nothing, output: z.object({ new_chat_quota: NewChatQuota.nullable() }) },
} as const satisfies Record<string, CommandRow>;
