import { SAMPLE } from "../sample-ids.ts";
import { NETWORK, note, type Notes } from "./note.ts";

export const contactNotes: Notes = {
  "GET /contacts": note([], undefined, { query: { limit: 20 } }),
  "GET /contacts/check": note([...NETWORK, "invalid_number"], undefined, { query: { phone: SAMPLE.contact } }),
  "POST /contacts/check": note([...NETWORK, "invalid_number"], { phones: [SAMPLE.contact, SAMPLE.other] }),
  "GET /contacts/blocked": note(NETWORK),
  "GET /contacts/{contactId}": note(["contact_not_found"]),
  "PUT /contacts/{contactId}": note(NETWORK, { full_name: "Ana Souza", first_name: "Ana" }),
  "DELETE /contacts/{contactId}": note([...NETWORK, "contact_not_found"]),
  "GET /contacts/{contactId}/picture": note([...NETWORK, "picture_not_found"], undefined, { query: { size: "preview" } }),
  "GET /contacts/{contactId}/about": note([...NETWORK, "contact_not_found"]),
  "GET /contacts/{contactId}/business-profile": note([...NETWORK, "contact_not_found"]),
  "POST /contacts/{contactId}/block": note([...NETWORK, "contact_not_found"]),
  "POST /contacts/{contactId}/unblock": note([...NETWORK, "contact_not_found"]),
};
