// Texts of the page that a pairing link opens. Its reader has no account and may know nothing of this service.
import type { Texts } from "../catalog.ts";
import type pt from "../pt/pairing-link.ts";

const en: Texts<typeof pt> = {
  title: "Connect WhatsApp",
  other: "Português",
  opening: "Opening the link…",
  labelled: "To connect:",
  until: (time) => `This link works until ${time}.`,
  about: "Someone asked to link this phone's WhatsApp to a messaging system. Continue only if you know who sent you the link.",
  none: { title: "Open the link you received", text: "Tap the whole link, or copy it and paste it into your browser." },
  wrong: {
    title: "This link doesn't exist",
    text: "Check that you copied all of it. If it still doesn't work, ask the sender for a new one.",
  },
  ended: {
    used: { title: "This number is already connected", text: "There's nothing else to do. The link no longer works." },
    revoked: { title: "This link was cancelled", text: "The sender cancelled the link. Ask for a new one if you need it." },
    expired: { title: "This link has expired", text: "Ask the sender for a new one." },
  },
  done: {
    title: "Done, you're connected",
    text: "Keep the phone on and online for a few minutes. You can close this page.",
  },
  ways: "How to connect",
  qr: "QR code",
  code: "Pairing code",
  qrSteps: [
    "On the phone, open WhatsApp.",
    "Tap More options or Settings, then Linked devices.",
    "Tap Link a device and point the camera at the code.",
  ],
  codeSteps: [
    "On the phone, open WhatsApp.",
    "Tap More options or Settings, then Linked devices.",
    "Tap Link a device, then Link with phone number.",
    "Enter the code.",
  ],
  samePhone: "Viewing this page on the same phone? Use the pairing code instead.",
  showQr: "Show the QR code",
  newQr: "Get a new QR code",
  preparing: "Preparing the code…",
  qrSoon: "A new code will appear in a moment.",
  timeout: "The codes expired before a phone scanned one. Have the phone ready and get a new one.",
  phone: "Number of this WhatsApp",
  phoneHint: "With country and area code, digits only: 5511900000001",
  getCode: "Get a code",
  codeOver: "This code has expired. Get another one.",
  anotherCode: "Get another code",
  codeFor: (phone) => `Code for ${phone}`,
  copyCode: "Copy code",
  codeValid: (time) => `Enter it before ${time}.`,
  pairing: "The phone scanned the code. Finishing up…",
  keepOpen: "Keep WhatsApp open on the phone until it's done.",
  passkey: {
    wanted: "The phone scanned the code, and WhatsApp now asks for this account's passkey.",
    next: "This page can't ask for it. Tell the person who sent you the link: it has to be confirmed within five minutes.",
    timeout: "The account's passkey wasn't confirmed in time. Tell the person who sent you the link before you get a new code.",
  },
  failed: "Couldn't connect",
  askSender: "If this doesn't change, tell the person who sent you the link.",
  lost: "Reconnecting…",
  subscription: "The sender's service isn't active right now. Let them know.",
  tooMany: (minutes) => `Too many wrong links were opened from here. Try again in ${minutes} min.`,
};
export default en;
