import { SAMPLE } from "../sample-ids.ts";
import { NETWORK, note, type Notes } from "./note.ts";

export const callNotes: Notes = {
  "POST /calls/reject": {
    ...note([...NETWORK, "call_not_found", "call_ended"], { call_id: SAMPLE.call, from: SAMPLE.contact }),
    description: "Only for a call whose latest `call` event has the status `received`. Does not produce a `rejected` event.",
  },
  "GET /calls": note([]),
};
