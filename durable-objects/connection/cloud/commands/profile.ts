import * as z from "zod";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { BusinessProfile } from "@gateway/protocol/people.ts";
import { maybeText } from "./answers.ts";
import { askNumber, type CloudContext, DONE, type GraphCommands, PRODUCT, report, Success } from "./asking.ts";

const PATH = "/whatsapp_business_profile";
const FIELDS = "about,address,description,email,profile_picture_url,websites,vertical";

const fields = z.looseObject({
  about: maybeText,
  address: maybeText,
  description: maybeText,
  email: maybeText,
  profile_picture_url: maybeText,
  vertical: maybeText,
  websites: z.array(z.string()).nullish().catch([]),
});
/** Accepts both nestings: Meta's API specification nests the fields one level deeper than its guides. */
const ProfileAnswer = z.looseObject({
  data: z.array(z.union([z.looseObject({ business_profile: fields }).transform((one) => one.business_profile), fields])).min(1),
});
const NameAnswer = z.looseObject({ verified_name: maybeText });

export const profileCommands: GraphCommands<"profile.get" | "profile.about" | "profile.picture"> = {
  "profile.get": async (_, context) => {
    const use = { command: "profile.get" } as const;
    const [profile, name] = await Promise.all([
      askNumber(context, use, { method: "GET", path: PATH, query: { fields: FIELDS } }, ProfileAnswer),
      askNumber(context, use, { method: "GET", path: "", query: { fields: "verified_name" } }, NameAnswer),
    ]);
    if (!profile.ok) return profile;
    if (!name.ok) return name;
    const verified = name.value.verified_name;
    if (verified && verified !== context.instance.state.profileName) report(context, { type: "profile.updated", name: verified });
    const [read] = profile.value.data;
    const picture = read?.profile_picture_url ? await context.files.copyPicture(read.profile_picture_url) : null;
    if (picture?.ok === false) return picture;
    const business: BusinessProfile = {
      description: read?.description ?? null,
      email: read?.email ?? null,
      websites: read?.websites ?? [],
      address: read?.address ?? null,
      category: read?.vertical ?? null,
    };
    return succeed({ about: read?.about ?? null, picture: picture?.value ?? null, business });
  },

  "profile.about": async ({ about }, context) => {
    if (about === "") return fail("limit_of_kind", { details: { kind: "cloud_api", field: "about" } });
    return change(context, "profile.about", { about });
  },

  "profile.picture": async ({ picture }, context) => {
    if (picture === null) return fail("not_supported", { details: { kind: "cloud_api", field: "picture" } });
    const handle = await context.files.uploadHandle(picture);
    return handle.ok ? change(context, "profile.picture", { profile_picture_handle: handle.value }) : handle;
  },
};

async function change(
  context: CloudContext,
  command: "profile.about" | "profile.picture",
  changed: object,
): Promise<Outcome<Record<string, never>>> {
  const answer = await askNumber(context, { command }, { method: "POST", path: PATH, json: { ...PRODUCT, ...changed } }, Success);
  return answer.ok ? DONE : answer;
}
