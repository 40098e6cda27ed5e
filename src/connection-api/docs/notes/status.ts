import { SAMPLE } from "../sample-ids.ts";
import { note, type Notes, SENDING } from "./note.ts";
import { PNG } from "./tiny-files.ts";

const MEDIA = [...SENDING, "media_too_large", "media_unreachable", "media_invalid"] as const;
const recipients = [SAMPLE.contact];

export const statusNotes: Notes = {
  "POST /status/text": {
    ...note(SENDING, { text: "Abrimos às 9h", background_color: "#1F7A5C", recipients }),
    description: "Without `recipients`: all saved contacts.",
  },
  "POST /status/image": note(MEDIA, { media: { base64: PNG, mimetype: "image/png" }, caption: "Hoje", recipients }),
  "POST /status/video": note(MEDIA, { media: { url: SAMPLE.file("video.mp4") }, recipients }),
  "POST /status/voice": note(MEDIA, { media: { url: SAMPLE.file("voz.ogg") }, recipients }),
  "GET /status/received": note([]),
  "DELETE /status/{messageId}": note([...SENDING, "message_not_found"]),
};
