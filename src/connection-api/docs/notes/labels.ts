import { SAMPLE } from "../sample-ids.ts";
import { NETWORK, note, type Notes } from "./note.ts";

const LABELS = [...NETWORK, "business_account_required"] as const;
const ONE = [...LABELS, "label_not_found"] as const;

export const labelNotes: Notes = {
  "GET /labels": note(["business_account_required"]),
  "POST /labels": note([...LABELS, "label_limit"], { name: "Novo cliente", color: 3 }),
  "PATCH /labels/{labelId}": note(ONE, { name: "Cliente" }),
  "DELETE /labels/{labelId}": note(ONE),
  "GET /labels/{labelId}/chats": note(["business_account_required", "label_not_found"]),
  "GET /chats/{chatId}/labels": note(["business_account_required"]),
  "PUT /chats/{chatId}/labels": note(ONE, { label_ids: [SAMPLE.label] }),
  "POST /chats/{chatId}/labels/{labelId}": note(ONE),
  "DELETE /chats/{chatId}/labels/{labelId}": note(ONE),
};
