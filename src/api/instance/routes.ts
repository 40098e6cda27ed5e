// The connection of the key. Only its owner may create, delete, log out or share it, or manage keys and webhook.
import { z } from "@hono/zod-openapi";
import { formatPairingCode } from "@gateway/domain/instance/pairing-code.ts";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import { isoOfSeconds } from "../../http/times.ts";
import { digits } from "../fields.ts";
import { done } from "../answers.ts";
import { PASSKEY_TEXTS, passkeyBody, passkeyExample, wantedPasskey } from "../instances/passkey.ts";
import { type Family, route } from "../route.ts";
import { healthRoutes } from "./health.ts";
import { renderInstance } from "./view.ts";
import { Instance, PairingCode, Qr } from "./schemas.ts";

const instanceRoutes = [
  route({
    method: "get",
    path: "/instance",
    name: "getInstance",
    effect: "read",
    operation: "instance.get",
    counted: true,
    cached: true,
    summary: { en: "The connection of this key", pt: "A conexão desta chave" },
    failures: [],
    input: () => ({}),
    response: z.object({ data: Instance }),
    render: (record) => ({ data: renderInstance(record) }),
  }),
  route({
    method: "get",
    path: "/instance/qr",
    name: "getQrCode",
    effect: "read",
    operation: "instance.qr",
    counted: true,
    noStore: true,
    summary: { en: "The QR code to pair with, while the status is scan_qr", pt: "O QR code para parear, enquanto o status é scan_qr" },
    description: {
      en: "Exists only while `status` is `scan_qr`. Never comes from the cache: each code is valid for a few seconds.",
      pt: "Existe só enquanto `status` é `scan_qr`. Nunca vem do cache: cada código vale poucos segundos.",
    },
    failures: ["qr_not_available", "not_supported"],
    input: () => ({}),
    response: z.object({ data: Qr }),
    render: ({ raw, expires_at }) => ({ data: { qr: qrImage(raw), raw, expires_at: isoOfSeconds(expires_at) } }),
  }),
  route({
    method: "post",
    path: "/instance/pairing-code",
    name: "requestPairingCode",
    effect: "change",
    operation: "instance.pairing_code",
    noStore: true,
    summary: { en: "A code to pair with instead of a QR code", pt: "Um código para parear sem QR" },
    failures: ["invalid_number", "already_connected", "instance_not_connected", "instance_reconnecting", "not_supported"],
    example: {
      body: {
        phone_number: "5511900000001",
      },
    },
    body: z.strictObject({ phone_number: digits }),
    input: ({ body }) => ({ phone: body.phone_number, code: null }),
    response: z.object({ data: PairingCode }),
    render: ({ code, phone, expires_at }) => ({
      data: { code: formatPairingCode(code), phone_number: phone, expires_at: isoOfSeconds(expires_at) },
    }),
  }),
  route({
    method: "get",
    path: "/instance/passkey",
    name: "getPasskeyRequest",
    effect: "read",
    operation: "instance.passkey",
    counted: true,
    noStore: true,
    ...PASSKEY_TEXTS.read,
    failures: ["passkey_not_wanted", "not_supported"],
    input: () => ({}),
    ...wantedPasskey,
  }),
  route({
    method: "post",
    path: "/instance/passkey",
    name: "answerPasskeyRequest",
    effect: "change",
    operation: "instance.passkey_assertion",
    ...PASSKEY_TEXTS.answer,
    failures: ["passkey_not_wanted", "passkey_refused", "instance_reconnecting", "not_supported"],
    example: passkeyExample,
    body: passkeyBody,
    input: ({ body }) => body,
    ...done,
  }),
  route({
    method: "post",
    path: "/instance/connect",
    name: "connectInstance",
    effect: "change",
    operation: "instance.connect",
    summary: { en: "Connects the number", pt: "Conecta o número" },
    failures: ["cloud_credentials_invalid"],
    input: () => ({ force_new_pairing: false }),
    ...done,
  }),
  route({
    method: "post",
    path: "/instance/disconnect",
    name: "disconnectInstance",
    effect: "change",
    operation: "instance.disconnect",
    summary: { en: "Disconnects the number and keeps the session data", pt: "Desconecta o número e guarda os dados da sessão" },
    failures: [],
    input: () => ({}),
    ...done,
  }),
  route({
    method: "post",
    path: "/instance/restart",
    name: "restartInstance",
    effect: "change",
    operation: "instance.restart",
    summary: { en: "Restarts the session", pt: "Reinicia a sessão" },
    failures: ["cloud_credentials_invalid"],
    input: () => ({}),
    ...done,
  }),
];

export const instance: Family = {
  name: "instance",
  title: { en: "Connection", pt: "Conexão" },
  description: { en: "The connection of this key: state, pairing, health.", pt: "A conexão desta chave: estado, pareamento, saúde." },
  routes: [...instanceRoutes, ...healthRoutes],
};
