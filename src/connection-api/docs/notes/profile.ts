import { NETWORK, note, type Notes } from "./note.ts";
import { PNG } from "./tiny-files.ts";

export const profileNotes: Notes = {
  "PUT /presence": note([...NETWORK, "profile_name_unknown"], { presence: "online" }),
  "GET /presence": note([]),
  "GET /profile": note(NETWORK),
  "PUT /profile/name": note(NETWORK, { name: "Loja da Ana" }),
  "PUT /profile/about": note(NETWORK, { about: "Atendimento das 9h às 18h" }),
  "PUT /profile/picture": note([...NETWORK, "media_too_large", "media_unreachable", "media_invalid"], {
    media: { base64: PNG, mimetype: "image/png" },
  }),
  "DELETE /profile/picture": note(NETWORK),
};
