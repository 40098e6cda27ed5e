import { SAMPLE } from "../sample-ids.ts";
import { NETWORK, note, type Notes } from "./note.ts";

export const callNotes: Notes = {
  "POST /calls/reject": {
    ...note([...NETWORK, "call_not_found", "call_ended"], { call_id: SAMPLE.call, from: SAMPLE.contact }),
    description: "Só para uma chamada cujo último evento `call` tem status `received`. Não produz um evento `rejected`.",
  },
  "GET /calls": note([]),
};
