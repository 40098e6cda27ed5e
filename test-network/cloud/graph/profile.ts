import * as z from "zod";
import { setAbout, setPicture } from "../../phone/profile.ts";
import { digits } from "../ids.ts";
import type { CloudNumber, Upload } from "../model.ts";
import { graphError } from "./errors.ts";
import { json, NOTHING, on, SUCCESS, WHATSAPP, type Edge, type GraphCall, type Nodes } from "./route.ts";

const Profile = z.object({
  ...WHATSAPP,
  about: z.string().min(1).max(139).optional(),
  address: z.string().max(256).optional(),
  description: z.string().max(512).optional(),
  email: z.string().max(128).optional(),
  websites: z.array(z.url().max(256)).max(2).optional(),
  vertical: z.string().max(64).optional(),
  profile_picture_handle: z.string().optional(),
});

const NewUpload = z.object({
  file_name: z.string().optional(),
  file_length: z.coerce.number().int().min(1),
  file_type: z.enum(["image/jpeg", "image/jpg", "image/png", "application/pdf", "video/mp4"]),
});

export const profileEdges: readonly Edge[] = [
  on("number", "GET", "whatsapp_business_profile", NOTHING, (node, { query, origin }) => {
    const all = profileOf(node, origin);
    const names = (query.get("fields") ?? "about,address,description,email,websites,vertical,profile_picture_url").split(",");
    const shown = names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]]));
    return json({ data: [{ ...Object.fromEntries(shown), messaging_product: "whatsapp" }] });
  }),
  on("number", "POST", "whatsapp_business_profile", Profile, async ({ number, phone }, { cloud, body }) => {
    const { messaging_product: _, about, profile_picture_handle: handle, ...profile } = body;
    if (handle !== undefined) {
      const upload = cloud.documents.list("upload").find((one) => one.handle === handle && one.app_id === number.app_id);
      const picture = upload && cloud.documents.file(upload.upload_id);
      if (!picture || !upload.type.startsWith("image/"))
        return graphError(131_009, { details: "profile_picture_handle is not a handle of an uploaded picture." });
      await phone.act((deps) => setPicture(deps, picture));
    }
    if (about !== undefined) await phone.act((deps) => setAbout(deps, about));
    const given = Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined));
    cloud.save({ ...number, profile: { ...number.profile, ...given } });
    return json(SUCCESS);
  }),
  on("app", "POST", "uploads", NewUpload, ({ app }, { cloud, body }) => {
    const id = `upload:${Buffer.from(digits(30)).toString("base64url")}`;
    cloud.documents.put("upload", id, { upload_id: id, app_id: app.app_id, length: body.file_length, type: body.file_type, handle: null });
    return json({ id });
  }),
  on("upload", "GET", "", NOTHING, ({ upload }, { cloud }) => {
    return json({ id: upload.upload_id, file_offset: cloud.documents.file(upload.upload_id)?.length ?? 0 });
  }),
  on("upload", "POST", "", NOTHING, ({ upload }, call) => append(upload, call)),
];

/** Appends a part of an upload, which must start where the previous one ended. The last part returns the handle. */
function append(upload: Upload, { cloud, headers, file }: GraphCall<unknown>) {
  const before = cloud.documents.file(upload.upload_id) ?? Buffer.alloc(0);
  const offset = Number(headers.get("file_offset") ?? Number.NaN);
  if (offset !== before.length) return graphError(100, { message: `(#100) file_offset must be ${before.length}` });
  const bytes = Buffer.concat([before, file?.bytes ?? Buffer.alloc(0)]);
  if (bytes.length > upload.length) return graphError(100, { message: "(#100) More bytes than file_length" });
  cloud.documents.putFile(upload.upload_id, bytes);
  if (bytes.length < upload.length) return json({ id: upload.upload_id, file_offset: bytes.length });
  const handle = `4::${Buffer.from(`${upload.type}:${digits(40)}`).toString("base64")}`;
  cloud.documents.put("upload", upload.upload_id, { ...upload, handle });
  return json({ h: handle });
}

function profileOf({ number, phone }: Nodes["number"], origin: string): Record<string, unknown> {
  const account = phone.deps.link.account(number.phone);
  const about = account?.about.text;
  return {
    ...number.profile,
    ...(about && { about }),
    ...(account?.picture && { profile_picture_url: pictureUrl(number, origin) }),
  };
}

function pictureUrl({ phone_number_id }: CloudNumber, origin: string): string {
  return `${origin}/profile_pictures/${phone_number_id}`;
}
