import * as z from "zod";
import { setAbout, setPicture, listBlocked, setBlocked } from "../../phone/profile.ts";
import { digits, phoneCallIdOf, spelled } from "../ids.ts";
import type { CloudNumber, Upload } from "../model.ts";
import { graphError, webhookError } from "./errors.ts";
import { json, NOTHING, on, SUCCESS, WHATSAPP, type Edge, type GraphCall, type Nodes } from "./route.ts";
import { rejectCall } from "../../phone/calls.ts";

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

const Users = z.object({
  ...WHATSAPP,
  block_users: z
    .array(
      z
        .object({ user: z.string().min(1).optional(), user_id: z.string().min(1).optional() })
        .transform(({ user, user_id }) => user ?? user_id ?? "")
        .pipe(z.string().min(1)),
    )
    .min(1)
    .max(1_000),
});
const Call = z.discriminatedUnion("action", [
  z.object({ ...WHATSAPP, call_id: z.string().min(1), action: z.enum(["reject", "terminate", "accept", "pre_accept"]) }),
  z.object({ ...WHATSAPP, action: z.literal("connect"), to: z.string().optional(), recipient: z.string().optional() }),
]);

const NO_SUCH_CALL = 138_007;

export const peopleEdges: readonly Edge[] = [
  on("number", "GET", "block_users", NOTHING, ({ phone }, { query }) => {
    const all = listBlocked(phone.deps);
    const after = Number(Buffer.from(query.get("after") ?? "", "base64url").toString() || 0);
    const limit = Math.min(Number(query.get("limit") ?? 25) || 25, 1_000);
    const page = all.slice(after, after + limit);
    const cursor = (at: number) => Buffer.from(String(at)).toString("base64url");
    const more = after + page.length < all.length;
    const cursors = { before: cursor(after), ...(more && { after: cursor(after + page.length) }) };
    return json({ data: page.map((wa_id) => ({ messaging_product: "whatsapp", wa_id })), ...(page.length > 0 && { paging: { cursors } }) });
  }),
  on("number", "POST", "block_users", Users, (node, call) => block(node, call, true)),
  on("number", "DELETE", "block_users", Users, (node, call) => block(node, call, false)),
  on("number", "POST", "calls", Call, async ({ phone }, { body }) => {
    if (body.action !== "reject" && body.action !== "terminate")
      return graphError(138_000, { details: "No sound flows on this network: calls are neither made nor accepted." });
    const id = phoneCallIdOf(body.call_id);
    const isOver = id === null || !(await phone.act((deps) => rejectCall(deps, id)));
    return isOver ? graphError(NO_SUCH_CALL, { details: "The call is over." }) : json(SUCCESS);
  }),
];

/** Only people who have written in the last 24 hours can be blocked. */
async function block({ number, phone }: Nodes["number"], { cloud, network, body }: GraphCall<z.output<typeof Users>>, on: boolean) {
  const done: object[] = [];
  const failed: object[] = [];
  for (const input of body.block_users) {
    const wa_id =
      personOf(input) ?? spelled(input.replace(/\D/g, ""), number.spelling, (digits) => network.directory.account(digits) !== undefined);
    const code = network.directory.account(wa_id) === undefined ? 131_021 : on && !cloud.hasWindow(number, wa_id) ? 131_047 : null;
    if (code === null) {
      await phone.act((deps) => setBlocked(deps, wa_id, on));
      done.push({ input, wa_id });
    } else failed.push({ input, wa_id, errors: [webhookError(code)] });
  }
  const users = { [on ? "added_users" : "removed_users"]: done, ...(failed.length > 0 && { failed_users: failed }) };
  return json({ messaging_product: "whatsapp", block_users: users });

  function personOf(user: string): string | null {
    if (!/^[A-Z]{2}\./.test(user)) return null;
    return [...network.directory.accounts.keys()].find((pn) => cloud.userId(number, pn) === user) ?? null;
  }
}
