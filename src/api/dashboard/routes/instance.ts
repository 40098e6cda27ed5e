import { formatPairingCode } from "@gateway/domain/instance/owner-commands.ts";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import { renderHealth, renderLimits } from "#root/src/http/number-health.ts";
import { isoOfSeconds } from "#root/src/http/times.ts";
import { message, operation } from "../route.ts";

export const instanceRoutes = [
  operation("GET /connections/{id}/health", {
    operation: "instance.health",
    input: () => ({}),
    render: (record) => {
      const { proxy: _ofTheAccountApi, ...health } = renderHealth(record);
      return { data: health };
    },
  }),
  operation("GET /connections/{id}/capabilities", {
    operation: "instance.capabilities",
    input: () => ({}),
    render: (number) => ({ data: { ...number, limits: renderLimits(number.kind) } }),
  }),
  operation("GET /connections/{id}/history", { operation: "instance.history", input: () => ({}), render: (data) => ({ data }) }),
  operation("POST /connections/{id}/connect", {
    operation: "instance.connect",
    input: ({ body }) => ({ force_new_pairing: body.force_new_pairing }),
    render: message("The connection is being opened."),
  }),
  operation("POST /connections/{id}/disconnect", {
    operation: "instance.disconnect",
    input: () => ({}),
    render: message("Disconnected. The session data is kept."),
  }),
  operation("POST /connections/{id}/restart", {
    operation: "instance.restart",
    input: () => ({}),
    render: message("The session is being restarted."),
  }),
  operation("POST /connections/{id}/logout", {
    operation: "instance.logout",
    input: () => ({}),
    render: message("Logged out. The number has to be paired again."),
  }),
  operation("GET /connections/{id}/qr", {
    operation: "instance.qr",
    input: () => ({}),
    render: ({ raw, expires_at }) => ({ data: { qr: qrImage(raw), raw, expires_at: isoOfSeconds(expires_at) } }),
  }),
  operation("POST /connections/{id}/pairing-code", {
    operation: "instance.pairing_code",
    input: ({ body }) => ({ phone: body.phone_number, code: body.code ?? null }),
    render: ({ code, phone, expires_at }) => ({
      data: { code: formatPairingCode(code), phone_number: phone, expires_at: isoOfSeconds(expires_at) },
    }),
  }),
];
