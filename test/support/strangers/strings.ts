// Hostile texts that a third-party client could send, and the fields that carry them.

export const STRANGERS_STRINGS: Readonly<Record<string, string>> = {
  "control characters": "a\0b\u0007c\u001b[31md\u007fe\u0085f",
  "line breaks": "a\r\nX-Planted: 1\r\n\r\nb\u2028c\u2029d",
  "direction marks": "a\u202egpj.exe\u2066b\u200fc\u061c",
  "halves of surrogate pairs": "a\ud800b\udc00\ud83d",
  markup: `a"'><script>globalThis.planted = true</script><img src=x onerror="globalThis.planted = true">{{7*7}}\${7*7}%s%n`,
  "a million characters": "z".repeat(1_000_000),
};

const PHONE = "5511900000123";
const FILE = Buffer.from("<script>globalThis.planted = true</script>").toString("base64");

/** A simulated phone's send bodies with the string in each text field. */
export const STRANGERS_MESSAGES: Readonly<Record<string, (string: string) => Record<string, unknown>>> = {
  text: (text) => ({ text }),
  link: (text) => ({ text: `https://example.com/${text}?q=${text}#${text}` }),
  caption: (caption) => ({ type: "image", caption, media: { base64: FILE, mimetype: "image/png" } }),
  filename: (filename) => ({ type: "document", media: { base64: FILE, mimetype: "application/pdf", filename: `${filename}.pdf` } }),
  mimetype: (mimetype) => ({ type: "document", media: { base64: FILE, mimetype, filename: "a.pdf" } }),
  location: (text) => ({ location: { latitude: 1, longitude: 2, name: text, address: text } }),
  contact: (name) => ({ contact: { full_name: name, phone: PHONE } }),
  vcard: (text) => ({
    contact: {
      full_name: "Ana",
      phone: PHONE,
      vcard: `BEGIN:VCARD\nVERSION:3.0\nFN:${text}\nTEL;${text}:${text}\nEND:VCARD`,
    },
  }),
  poll: (text) => ({ poll: { question: text, options: [text, "b"], selectable_count: 1 } }),
  choice: (text) => ({ type: "button_response", selected: { id: text, title: text } }),
};
