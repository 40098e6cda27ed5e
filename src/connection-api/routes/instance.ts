// The connection of the key. Creating, deleting, logging out, sharing, keys and the webhook stay with its owner.
import { z } from "@hono/zod-openapi";
import { shownCode } from "../../domain/instance/pairing-code.ts";
import { qrImage } from "../../domain/instance/qr-image.ts";
import { isoOfSeconds } from "../../http/times.ts";
import { renderInstance } from "../render/instance.ts";
import { route } from "../route.ts";
import { digits, done, ok } from "../schemas/fields.ts";
import { Instance, PairingCode, Qr } from "../schemas/instance.ts";

export const instanceRoutes = [
  route({
    method: "get",
    path: "/instance",
    operation: "instance.get",
    tag: "instance",
    counted: true,
    cached: true,
    summary: "The connection of this key",
    input: () => ({}),
    response: z.object({ data: Instance }),
    render: (record) => ({ data: renderInstance(record) }),
  }),
  route({
    method: "get",
    path: "/instance/qr",
    operation: "instance.qr",
    tag: "instance",
    counted: true,
    noStore: true,
    summary: "The QR code to pair with, while the status is scan_qr",
    input: () => ({}),
    response: z.object({ data: Qr }),
    render: ({ raw, expires_at }) => ({ data: { qr: qrImage(raw), raw, expires_at: isoOfSeconds(expires_at) } }),
  }),
  route({
    method: "post",
    path: "/instance/pairing-code",
    operation: "instance.pairing_code",
    tag: "instance",
    noStore: true,
    summary: "A code to pair with instead of a QR code",
    body: z.strictObject({ phone_number: digits }),
    input: ({ body }) => ({ phone: body.phone_number, code: null }),
    response: z.object({ data: PairingCode }),
    render: ({ code, phone, expires_at }) => ({
      data: { code: shownCode(code), phone_number: phone, expires_at: isoOfSeconds(expires_at) },
    }),
  }),
  route({
    method: "post",
    path: "/instance/connect",
    operation: "instance.connect",
    tag: "instance",
    summary: "Connects the number",
    input: () => ({ force_new_pairing: false }),
    response: ok,
    render: done,
  }),
  route({
    method: "post",
    path: "/instance/disconnect",
    operation: "instance.disconnect",
    tag: "instance",
    summary: "Disconnects the number and keeps the session data",
    input: () => ({}),
    response: ok,
    render: done,
  }),
  route({
    method: "post",
    path: "/instance/restart",
    operation: "instance.restart",
    tag: "instance",
    summary: "Restarts the session",
    input: () => ({}),
    response: ok,
    render: done,
  }),
];
