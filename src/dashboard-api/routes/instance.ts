import { z } from "zod";
import { formatPairingCode } from "../../domain/instance/pairing-code.ts";
import { qrImage } from "../../domain/instance/qr-image.ts";
import { isoOfSeconds } from "../../http/times.ts";
import { Phone } from "../../protocol/ids.ts";
import { message, route } from "../route.ts";

export const instanceRoutes = [
  route({
    method: "post",
    path: "/connect",
    operation: "instance.connect",
    body: z.strictObject({ force_new_pairing: z.boolean().default(false) }),
    input: ({ body }) => ({ force_new_pairing: body.force_new_pairing }),
    render: message("The connection is being opened."),
  }),
  route({
    method: "post",
    path: "/disconnect",
    operation: "instance.disconnect",
    input: () => ({}),
    render: message("Disconnected. The session data is kept."),
  }),
  route({
    method: "post",
    path: "/restart",
    operation: "instance.restart",
    input: () => ({}),
    render: message("The session is being restarted."),
  }),
  route({
    method: "post",
    path: "/logout",
    operation: "instance.logout",
    input: () => ({}),
    render: message("Logged out. The number has to be paired again."),
  }),
  route({
    method: "get",
    path: "/qr",
    operation: "instance.qr",
    input: () => ({}),
    render: ({ raw, expires_at }) => ({ body: { data: { qr: qrImage(raw), raw, expires_at: isoOfSeconds(expires_at) } } }),
  }),
  route({
    method: "post",
    path: "/pairing-code",
    operation: "instance.pairing_code",
    body: z.strictObject({
      phone_number: Phone,
      code: z
        .string()
        .regex(/^[A-Z1-9]{8}$/)
        .nullish(),
    }),
    input: ({ body }) => ({ phone: body.phone_number, code: body.code ?? null }),
    render: ({ code, phone, expires_at }) => ({
      body: { data: { code: formatPairingCode(code), phone_number: phone, expires_at: isoOfSeconds(expires_at) } },
    }),
  }),
];
