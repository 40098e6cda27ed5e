import { note, type Notes } from "./note.ts";

export const instanceNotes: Notes = {
  "GET /instance": note([]),
  "GET /instance/qr": {
    ...note(["qr_not_available", "not_supported"]),
    description: "Existe só enquanto `status` é `scan_qr`. Nunca vem do cache: cada código vale poucos segundos.",
  },
  "POST /instance/pairing-code": note(["already_connected", "instance_not_connected", "instance_reconnecting", "not_supported"], {
    phone_number: "5511900000001",
  }),
  "POST /instance/connect": note([]),
  "POST /instance/disconnect": note([]),
  "POST /instance/restart": note([]),
  "GET /instance/health": note([]),
  "GET /instance/capabilities": {
    ...note([]),
    description: "O que este tipo de conexão oferece, antes de tentar: o que não oferece responde 501 `nao_suportado`.",
  },
};
