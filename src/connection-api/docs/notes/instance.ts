import { note, type Notes } from "./note.ts";

export const instanceNotes: Notes = {
  "GET /instance": note([]),
  "GET /instance/qr": {
    ...note(["qr_not_available", "not_supported"]),
    description: "Exists only while `status` is `scan_qr`. Never comes from the cache: each code is valid for a few seconds.",
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
    description: "What this kind of connection offers, before you try: what it does not offer answers 501 `nao_suportado`.",
  },
};
