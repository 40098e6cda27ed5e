// The number's own profile, and the limits that the network puts on its account.
import { z } from "zod";
import { MediaRef } from "../content.ts";
import { NewChatQuota } from "../health.ts";
import { BusinessProfile, PrivacyChange, PrivacySettings, StoredPicture } from "../people.ts";
import { type CommandRow, nothing } from "./row.ts";

export const PROFILE_COMMANDS = {
  /** Reads the profile as others see it, regardless of privacy settings. */
  "profile.get": {
    effect: "read",
    input: nothing,
    output: z.object({ about: z.string().nullable(), picture: StoredPicture.nullable(), business: BusinessProfile.nullable() }),
  },
  /** Changes the profile's name. */
  "profile.name": { effect: "change", input: z.object({ name: z.string() }), output: nothing },
  /** Changes the "about" text. */
  "profile.about": { effect: "change", input: z.object({ about: z.string() }), output: nothing },
  /** Changes the picture; null removes it. Also fails `media_invalid`, `media_expired`. */
  "profile.picture": { effect: "change", input: z.object({ picture: MediaRef.nullable() }), output: nothing },
  /** Reads the privacy settings. */
  "profile.privacy": { effect: "read", input: nothing, output: PrivacySettings },
  /** Changes privacy settings one by one (changes made before a failure stay), and reads them all. */
  "profile.set_privacy": { effect: "change", input: PrivacyChange, output: PrivacySettings },
} as const satisfies Record<string, CommandRow>;

export const ACCOUNT_COMMANDS = {
  /**
   * Reads the limits from the network. The restriction is reported as `session.restriction` before this is answered; `new_chat_quota` null:
   * the network gave none.
   */
  "account.limits": { effect: "read", input: nothing, output: z.object({ new_chat_quota: NewChatQuota.nullable() }) },
} as const satisfies Record<string, CommandRow>;
