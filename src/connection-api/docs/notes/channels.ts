import { SAMPLE } from "../sample-ids.ts";
import { NETWORK, note, type Notes, SENDING } from "./note.ts";
import { PNG } from "./tiny-files.ts";

const ONE = [...NETWORK, "channel_not_found"] as const;
const OWN = [...ONE, "forbidden"] as const;
const SEND = [...SENDING, "channel_not_found", "forbidden"] as const;
const MEDIA = [...SEND, "media_too_large", "media_unreachable", "media_invalid"] as const;

export const channelNotes: Notes = {
  "GET /channels": { ...note([]), description: "The known channels: created or followed here, or seen in history and events." },
  "POST /channels": note(NETWORK, { name: "Novidades", description: "O que há de novo" }),
  "GET /channels/{channelId}": note(ONE),
  "PATCH /channels/{channelId}": note(OWN, { name: "Novidades da loja" }),
  "DELETE /channels/{channelId}": note(OWN),
  "POST /channels/{channelId}/follow": note(ONE),
  "POST /channels/{channelId}/unfollow": note(ONE),
  "POST /channels/{channelId}/mute": note(ONE),
  "POST /channels/{channelId}/unmute": note(ONE),
  "GET /channels/{channelId}/messages": note(ONE, undefined, { query: { limit: 20 } }),
  "POST /channels/{channelId}/messages/text": note(SEND, { text: "Chegou!" }),
  "POST /channels/{channelId}/messages/image": note(MEDIA, { media: { base64: PNG, mimetype: "image/png" }, caption: "Chegou!" }),
  "POST /channels/{channelId}/messages/video": note(MEDIA, { media: { url: SAMPLE.file("video.mp4") } }),
  "PUT /channels/{channelId}/messages/{serverId}/reaction": note(ONE, { reaction: "👍" }),
};
