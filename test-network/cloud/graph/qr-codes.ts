import { randomInt } from "node:crypto";
import * as z from "zod";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import type { CloudNetwork } from "../cloud-network.ts";
import type { QrCode } from "../model.ts";
import { graphError, type GraphReply } from "./errors.ts";
import { json, NOTHING, on, SUCCESS, type Edge, type GraphCall, type Nodes } from "./route.ts";

const CODE_LENGTH = 14;
const SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const MAX_CODES = 2_000;

const prefilled_message = z.string().min(1).max(140);
const Created = z.object({
  prefilled_message,
  generate_qr_image: z
    .string()
    .transform((format) => format.toLowerCase())
    .pipe(z.enum(["png", "svg"]))
    .optional(),
});
const Changed = z.object({ prefilled_message });

export const qrCodeEdges: readonly Edge[] = [
  on("number", "GET", "message_qrdls", NOTHING, ({ number }, { cloud }) => json({ data: codesOf(cloud, number).map(shown) })),
  on("number", "POST", "message_qrdls", Created, ({ number }, { cloud, body, origin }) => {
    if (codesOf(cloud, number).length >= MAX_CODES) return graphError(100, { details: `A number has at most ${MAX_CODES} QR codes.` });
    const code = Array.from({ length: CODE_LENGTH }, () => SIGNS[randomInt(SIGNS.length)]).join("");
    const made = { code, phone_number_id: number.phone_number_id, prefilled_message: body.prefilled_message };
    cloud.documents.put("qr_code", code, made);
    const { generate_qr_image: format } = body;
    return json({ ...shown(made), ...(format !== undefined && { qr_image_url: `${origin}${IMAGES}${code}.${format}` }) });
  }),
  on(
    "number",
    "GET",
    "message_qrdls/:key",
    NOTHING,
    withCode((code) => json({ data: [shown(code)] })),
  ),
  on(
    "number",
    "POST",
    "message_qrdls/:key",
    Changed,
    withCode((code, { cloud, body }: GraphCall<z.output<typeof Changed>>) => {
      const changed = { ...code, ...body };
      cloud.documents.put("qr_code", code.code, changed);
      return json(shown(changed));
    }),
  ),
  on(
    "number",
    "DELETE",
    "message_qrdls/:key",
    NOTHING,
    withCode(({ code }, { cloud }) => {
      cloud.documents.remove("qr_code", code);
      return json(SUCCESS);
    }),
  ),
];

const IMAGES = "/qr_codes/";
const IMAGE = /^\/qr_codes\/([A-Z2-7]+)\.(png|svg)$/;

export function qrImageAt(cloud: CloudNetwork, path: string): { number: string | null; reply: GraphReply } | null {
  const [, name = "", format] = IMAGE.exec(path) ?? [];
  if (format === undefined) return null;
  const code = cloud.documents.get("qr_code", name);
  if (!code) return { number: null, reply: { status: 404, json: {} } };
  const png = qrImage(linkOf(code));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><image href="${png}" width="1" height="1"/></svg>`;
  const image = format === "png" ? Buffer.from(png.slice(png.indexOf(",") + 1), "base64") : Buffer.from(svg);
  const type = format === "png" ? "image/png" : "image/svg+xml";
  return { number: code.phone_number_id, reply: { status: 200, bytes: image, type } };
}

function withCode<B>(run: (code: QrCode, call: GraphCall<B>) => GraphReply) {
  return ({ number }: Nodes["number"], call: GraphCall<B>): GraphReply => {
    const code = call.cloud.documents.get("qr_code", call.key ?? "");
    return code?.phone_number_id === number.phone_number_id
      ? run(code, call)
      : graphError(100, { subcode: 33, details: "There is no such QR code." });
  };
}

function codesOf(cloud: CloudNetwork, { phone_number_id: id }: Nodes["number"]["number"]): QrCode[] {
  return cloud.documents.list("qr_code").filter(({ phone_number_id }) => phone_number_id === id);
}

function shown(code: QrCode): object {
  return { code: code.code, prefilled_message: code.prefilled_message, deep_link_url: linkOf(code) };
}

function linkOf({ code }: QrCode): string {
  return `https://wa.me/message/${code}`;
}
