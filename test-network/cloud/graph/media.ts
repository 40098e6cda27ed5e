import * as z from "zod";
import type { CloudNetwork } from "../cloud-network.ts";
import { addressOf, bytesOf, isAlive, keepUpload, uploadProblem } from "../media.ts";
import { pictureOf } from "../../phone/profile.ts";
import { accessOf } from "./access.ts";
import { graphError, unknownObject, type GraphReply } from "./errors.ts";
import { json, NOTHING, on, SUCCESS, WHATSAPP, type Edge, type GraphDependencies } from "./route.ts";

export const mediaEdges: readonly Edge[] = [
  on("number", "POST", "media", z.object({ ...WHATSAPP, type: z.string().optional() }), ({ number }, { cloud, file, body }) => {
    if (!file) return graphError(100, { message: "(#100) The parameter file is required." });
    const type = file.type || (body.type ?? "");
    const problem = uploadProblem(type, file.bytes.length);
    if (problem !== null) return graphError(100, { message: `(#100) ${problem}`, details: problem });
    return json({ id: keepUpload(cloud, number, { ...file, type }) });
  }),
  on("media", "GET", "", NOTHING, ({ media, number }, { cloud, query, origin }) => {
    if (!isAlive(cloud, media) || isAnothers(query, media.phone_number_id)) return unknownObject("GET", media.media_id);
    const expired = cloud.faults.strike(number.phone_number_id, "expire_media") !== null;
    return json({
      url: `${origin}${addressOf(cloud, media, expired)}`,
      mime_type: media.mime_type,
      sha256: media.sha256,
      file_size: String(media.size),
      id: media.media_id,
      messaging_product: "whatsapp",
    });
  }),
  on("media", "DELETE", "", NOTHING, ({ media }, { cloud, query }) => {
    if (!isAlive(cloud, media) || isAnothers(query, media.phone_number_id)) return unknownObject("DELETE", media.media_id);
    cloud.documents.put("media", media.media_id, { ...media, deleted: true });
    cloud.documents.removeFile(media.media_id);
    return json(SUCCESS);
  }),
];

function isAnothers(query: URLSearchParams, number: string): boolean {
  const asked = query.get("phone_number_id");
  return asked !== null && asked !== number;
}

const FILES = "/whatsapp_business/attachments/";
const PICTURES = /^\/profile_pictures\/(\d+)$/;

export function fileRequest(cloud: CloudNetwork, path: string, query: URLSearchParams): { number: string | null } | null {
  const [, picture] = PICTURES.exec(path) ?? [];
  if (picture !== undefined) return { number: cloud.number(picture)?.phone_number_id ?? null };
  if (path !== FILES) return null;
  return { number: cloud.documents.get("media", query.get("mid") ?? "")?.phone_number_id ?? null };
}

export function answerFile(deps: GraphDependencies, path: string, query: URLSearchParams, headers: Headers): GraphReply {
  const { cloud, phones } = deps;
  const [, picture] = PICTURES.exec(path) ?? [];
  if (picture !== undefined) {
    const phone = phones.get(cloud.number(picture)?.phone ?? "");
    const bytes = phone && pictureOf(phone.deps, phone.pn);
    return bytes ? { status: 200, bytes, type: "image/jpeg" } : { status: 404, json: {} };
  }
  const access = accessOf(cloud, headers, new URLSearchParams());
  if (!access.ok) return access.reply;
  if (!headers.has("user-agent")) return { status: 400, json: {} };
  const address = cloud.documents.get("media_url", query.get("hash") ?? "");
  const media = cloud.documents.get("media", query.get("mid") ?? "");
  const number = media && cloud.number(media.phone_number_id);
  if (!media || !number || (access.token !== null && access.token.waba_id !== number.waba_id)) return { status: 404, json: {} };
  if (address?.media_id !== media.media_id || address.until <= cloud.now() || !isAlive(cloud, media)) return { status: 404, json: {} };
  const bytes = bytesOf(cloud, media, phones.get(number.phone));
  return bytes ? { status: 200, bytes, type: media.mime_type } : { status: 404, json: {} };
}
