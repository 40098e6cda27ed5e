import * as z from "#root/src/http/openapi/zod.ts";
import { formatPairingCode } from "@gateway/domain/instance/owner-commands.ts";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import { PasskeyAssertion, type PasskeyOptions } from "@gateway/protocol/passkey.ts";
import { renderHealth } from "#root/src/http/number-health.ts";
import { isoOfSeconds } from "@gateway/domain/iso-times.ts";
import { healthOfProxy } from "#root/src/services/proxies/find.ts";
import { renderCapabilities } from "./capabilities.ts";
import { digits, iso } from "../fields.ts";
import { renderStatus } from "./view.ts";
import { route } from "../route.ts";
import { instanceId, messageResult } from "../account/fields.ts";
import { type AccountContext, connectionRowOf } from "../context.ts";
import { Capabilities, InstanceStatus, NumberHealth, PairingCode, pairingCode, Qr } from "./schemas.ts";
import { documented, says } from "#root/src/http/openapi/documentation.ts";

// Requests for the passkey that some accounts require to link a device (docs/operate/operations.md, "Accounts that require a passkey").
type Wanted = { options: PasskeyOptions; expires_at: number };

const Options = z
  .looseObject({
    challenge: z.string().openapi(says({ en: "The data to sign, base64url", pt: "Os dados a assinar, em base64url" })),
    rpId: z
      .string()
      .openapi(says({ en: "The passkey's domain, one of WhatsApp's", pt: "O domínio da chave de acesso, que é do WhatsApp" })),
  })
  .openapi(says({ en: "The options for the browser", pt: "As opções para o navegador" }));

export const wantedPasskey = {
  response: z.object({ data: z.object({ options: Options, expires_at: iso }).openapi("PasskeyRequest") }),
  render: ({ options, expires_at }: Wanted) => ({ data: { options, expires_at: isoOfSeconds(expires_at) } }),
};

export const passkeyBody = z.strictObject({
  assertion: PasskeyAssertion,
});

export const PASSKEY_TEXTS = {
  read: {
    summary: documented({
      en: "The passkey options for the browser, when the account requires a passkey",
      pt: "As opções da chave de acesso para o navegador, quando a conta exige uma",
    }),
    description: documented({
      en: "Exists only while `status_reason` is `passkey_wanted`, for five minutes. `options` is the `publicKey` for `navigator.credentials.get()`. Browsers run it only on WhatsApp's own page.",
      pt: "Só existe enquanto `status_reason` é `passkey_wanted`, por cinco minutos. `options` é o `publicKey` de `navigator.credentials.get()`. O navegador só o executa na página do próprio WhatsApp.",
    }),
  },
  answer: {
    summary: documented({ en: "Submits the browser's passkey response", pt: "Envia a resposta da chave de acesso dada pelo navegador" }),
    description: documented({
      en: "`assertion` is `PublicKeyCredential.toJSON()`. WhatsApp checks it and then links the number.",
      pt: "`assertion` é `PublicKeyCredential.toJSON()`. O WhatsApp confere e depois vincula o número.",
    }),
  },
} as const;

const SAMPLE = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

export const passkeyExample = {
  body: {
    assertion: {
      id: SAMPLE,
      rawId: SAMPLE,
      type: "public-key",
      response: { clientDataJSON: SAMPLE, authenticatorData: SAMPLE, signature: SAMPLE },
    },
  },
};

async function renderProxy(context: AccountContext): Promise<z.input<typeof NumberHealth>["proxy"]> {
  const { proxyId } = await connectionRowOf(context);
  if (proxyId === null) return null;
  const { status, latencyMs } = await healthOfProxy(context.c.env.DB, proxyId);
  return { id: proxyId, status, latency_ms: latencyMs };
}

const params = z.object({ instanceId });

const NAMING = {
  prefix: "/api",
  base: "/instances/{instanceId}/",
  reasons: { not_supported: "not_supported", business_account_required: "business_account_required" },
} as const;

export const sessionRoutes = [
  route({
    name: "connectInstance",
    effect: "change",
    method: "post",
    path: "/instances/{instanceId}/connect",
    scope: "manage",
    operation: "instance.connect",
    summary: documented({
      en: "Connects the number: resumes its session, or shows a QR code if it has none",
      pt: "Conecta o número: retoma a sessão, ou mostra um QR code se não há sessão",
    }),
    description: documented({
      en: "A Cloud API number is connected when the call returns. If Meta rejects a step, you get 400 and the step.",
      pt: "Um número da Cloud API já está conectado quando a resposta chega. Se a Meta recusar um passo, a resposta é 400, com o passo.",
    }),
    failures: ["cloud_credentials_invalid"],
    example: { body: {} },
    params,
    body: z.strictObject({ force_new_pairing: z.boolean().default(false) }),
    input: ({ body }) => ({ force_new_pairing: body.force_new_pairing }),
    ...messageResult("The instance is being connected."),
  }),
  route({
    name: "disconnectInstance",
    effect: "change",
    method: "post",
    path: "/instances/{instanceId}/disconnect",
    scope: "manage",
    operation: "instance.disconnect",
    summary: documented({ en: "Disconnects the number and keeps the session", pt: "Desconecta o número e mantém a sessão" }),
    params,
    input: () => ({}),
    ...messageResult("The instance is disconnected. The session data is kept."),
  }),
  route({
    name: "restartInstance",
    effect: "change",
    method: "post",
    path: "/instances/{instanceId}/restart",
    scope: "manage",
    operation: "instance.restart",
    summary: documented({
      en: "Restarts the session of an instance that is stuck or has failed",
      pt: "Reinicia a sessão de uma instância que travou ou falhou",
    }),
    failures: ["cloud_credentials_invalid"],
    params,
    input: () => ({}),
    ...messageResult("The session is being restarted."),
  }),
  route({
    name: "logoutInstance",
    effect: "destructive",
    method: "post",
    path: "/instances/{instanceId}/logout",
    scope: "manage",
    operation: "instance.logout",
    summary: documented({ en: "Unlinks the number and deletes the session", pt: "Desvincula o número e apaga a sessão" }),
    params,
    input: () => ({}),
    ...messageResult("The instance is logged out. The number has to be paired again."),
  }),
  route({
    name: "getQrCode",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}/qr",
    scope: "manage",
    operation: "instance.qr",
    counted: true,
    noStore: true,
    summary: documented({
      en: "The QR code for pairing, only while the status is scan_qr",
      pt: "O QR code para parear, só enquanto o status é scan_qr",
    }),
    description: documented({
      en: "Each code is valid for 20 to 60 seconds. The event `instance.qr` announces every new one.",
      pt: "Cada código vale de 20 a 60 segundos. O evento `instance.qr` avisa de cada código novo.",
    }),
    failures: ["qr_not_available"],
    params,
    input: () => ({}),
    response: Qr,
    render: ({ raw }) => ({ qr: qrImage(raw), raw }),
  }),
  route({
    name: "requestPairingCode",
    effect: "change",
    method: "post",
    path: "/instances/{instanceId}/pairing-code",
    scope: "manage",
    operation: "instance.pairing_code",
    noStore: true,
    summary: documented({ en: "A pairing code, instead of a QR code", pt: "Um código de pareamento, no lugar do QR code" }),
    failures: ["already_connected", "instance_not_connected", "instance_reconnecting", "rate_limited"],
    example: { body: { phone_number: "5511900000001" } },
    params,
    body: z.strictObject({ phone_number: digits, code: pairingCode.nullish() }),
    input: ({ body }) => ({ phone: body.phone_number, code: body.code ?? null }),
    response: z.object({ data: PairingCode }),
    render: ({ code, phone, expires_at }) => ({
      data: { code: formatPairingCode(code), phone_number: phone, expires_at: isoOfSeconds(expires_at) },
    }),
  }),
  route({
    name: "getPasskeyRequest",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}/passkey",
    scope: "manage",
    operation: "instance.passkey",
    counted: true,
    noStore: true,
    ...PASSKEY_TEXTS.read,
    failures: ["passkey_not_wanted"],
    params,
    input: () => ({}),
    ...wantedPasskey,
  }),
  route({
    name: "answerPasskeyRequest",
    effect: "change",
    method: "post",
    path: "/instances/{instanceId}/passkey",
    scope: "manage",
    operation: "instance.passkey_assertion",
    ...PASSKEY_TEXTS.answer,
    failures: ["passkey_not_wanted", "passkey_refused", "instance_reconnecting"],
    example: passkeyExample,
    params,
    body: passkeyBody,
    input: ({ body }) => body,
    ...messageResult("The network has taken the passkey's answer. The number is being linked."),
  }),
  route({
    name: "getInstanceStatus",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}/status",
    scope: "read",
    operation: "instance.get",
    counted: true,
    summary: documented({ en: "The connection state of the instance", pt: "O status da conexão da instância" }),
    params,
    input: () => ({}),
    response: z.object({ data: InstanceStatus }),
    render: (record) => ({ data: renderStatus(record) }),
  }),
  route({
    name: "getCapabilities",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}/capabilities",
    scope: "read",
    operation: "instance.capabilities",
    summary: documented({
      en: "The supported features of this instance, and all limits",
      pt: "O que funciona nesta instância, e todos os limites",
    }),
    params,
    input: () => ({}),
    response: z.object({ data: Capabilities }),
    render: (instance, context) => ({ data: renderCapabilities(instance, context.routes, NAMING) }),
  }),
  route({
    name: "getNumberHealth",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}/health",
    scope: "read",
    operation: "instance.health",
    summary: documented({
      en: "The health of the number: restrictions, quota of new chats, the last 24 hours",
      pt: "A saúde do número: restrições, cota de conversas novas, as últimas 24 horas",
    }),
    params,
    input: () => ({}),
    response: z.object({ data: NumberHealth }),
    render: async (health, context) => ({ data: { ...renderHealth(health), proxy: await renderProxy(context) } }),
  }),
];
