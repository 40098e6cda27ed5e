// The number's own profile.
import { z } from "zod";
import { MediaRef } from "../content.ts";
import { StoredMedia } from "../message.ts";
import { BusinessProfile, PrivacyChange, PrivacySettings } from "../people.ts";
import { nothing, ofSessions, type OperationRow } from "./row.ts";

export const PROFILE_OPERATIONS = ofSessions({
  "profile.get": {
    role: "viewer",
    asksNetwork: true,
    input: nothing,
    output: z.object({
      phone: z.string().nullable(),
      name: z.string().nullable(),
      about: z.string().nullable(),
      picture: StoredMedia.nullable(),
      is_business: z.boolean(),
      business: BusinessProfile.nullable(),
    }),
  },
  "profile.name": { role: "operator", input: z.object({ name: z.string() }), output: nothing },
  "profile.about": { role: "operator", input: z.object({ about: z.string() }), output: nothing },
  /** null removes it. */
  "profile.picture": { role: "operator", input: z.object({ picture: MediaRef.nullable() }), output: nothing },
  "profile.privacy": { role: "viewer", asksNetwork: true, input: nothing, output: PrivacySettings },
  /** The changes made before a failure stay. Answers all settings. */
  "profile.set_privacy": { role: "operator", input: PrivacyChange, output: PrivacySettings },
} as const satisfies Record<string, OperationRow>);
