// Both phone numbers were taken from a sandbox.

export const EXAMPLE = {
  contact: "5511900000002",
  other: "5511900000003",
  chat: "5511900000002@c.us",
  message: "3EB0C431C26A1916E07A",
  group: "120363041234567890@g.us",
  invite: "AbCdEfGhIjKlMnOpQrStUv",
  label: "1",
  channel: "120363041234567891@newsletter",
  channelMessage: "100",
  call: "A1B2C3D4E5F60718293A4B5C6D7E8F90",
  /** The smallest valid file of each kind. */
  image: {
    base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==",
    mimetype: "image/png",
  },
  sticker: { base64: "UklGRi4AAABXRUJQVlA4TCIAAAAv/8F/AAdQjyLXo/8BgUCyv/cMRfQ/4z//+c9//vOf//wf", mimetype: "image/webp" },
  video: { base64: "AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDE=", mimetype: "video/mp4" },
  audio: { base64: "SUQzBAAAAAAAAA==", mimetype: "audio/mpeg" },
  voice: { base64: "T2dnUwACAAAAAAAAAAABAAAAAAAAAAAAAAABE09wdXNIZWFkAQE4AYC7AAAAAAA=", mimetype: "audio/ogg" },
} as const;
