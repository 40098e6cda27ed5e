import { z } from "zod";
import { MediaRef } from "../content.ts";
import { StoredMedia } from "../message.ts";
import { BusinessProfile, PrivacyChange, PrivacySettings } from "../people.ts";
import { BOTH_KINDS, SESSION_ONLY } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

export const PROFILE_OPERATIONS = {
  "profile.get": {
    role: "viewer",
    kinds: BOTH_KINDS,
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
  "profile.name": { role: "operator", kinds: SESSION_ONLY, input: z.object({ name: z.string() }), output: nothing },
  "profile.about": { role: "operator", kinds: BOTH_KINDS, input: z.object({ about: z.string() }), output: nothing },
  "profile.picture": { role: "operator", kinds: BOTH_KINDS, input: z.object({ picture: MediaRef }), output: nothing },
  "profile.remove_picture": { role: "operator", kinds: SESSION_ONLY, input: nothing, output: nothing },
  "profile.privacy": { role: "viewer", kinds: SESSION_ONLY, asksNetwork: true, input: nothing, output: PrivacySettings },
  "profile.set_privacy": { role: "operator", kinds: SESSION_ONLY, input: PrivacyChange, output: PrivacySettings },
} as const satisfies Record<string, OperationRow>;
