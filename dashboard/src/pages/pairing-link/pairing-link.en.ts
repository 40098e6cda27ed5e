// Words of the page that a pairing link opens. Its reader has no account and may know nothing of this service.
import type { Words } from "../../words/words.ts";
import type pt from "./pairing-link.pt.ts";

const en: Words<typeof pt> = {
  title: "Connect WhatsApp",
  other: "Português",
  opening: "Opening the link…",
  labelled: "To connect:",
  until: (time) => `This link works until ${time}.`,
  about: "Somebody asked to link this phone's WhatsApp to a messaging system. Only go on if you know who sent you the link.",
  none: { title: "Open the link that you were sent", text: "Tap the whole link, or copy all of it into the browser." },
  wrong: {
    title: "There is no such link",
    text: "Check that all of it was copied. If it still does not work, ask whoever sent it for a new one.",
  },
  ended: {
    used: { title: "This number is already connected", text: "There is nothing left to do. The link does not work any more." },
    revoked: { title: "This link was cancelled", text: "Whoever sent the link has cancelled it. Ask for a new one if you need it." },
    expired: { title: "This link has run out", text: "Its time is over. Ask whoever sent it for a new one." },
  },
  done: {
    title: "Done, connected",
    text: "Keep the phone on and online for some minutes. You can close this page.",
  },
  ways: "How to connect",
  qr: "QR code",
  code: "Code to type",
  qrSteps: [
    "On the phone, open WhatsApp.",
    "Tap More options or Settings, then Linked devices.",
    "Tap Link a device and point the camera at the code.",
  ],
  codeSteps: [
    "On the phone, open WhatsApp.",
    "Tap More options or Settings, then Linked devices.",
    "Tap Link a device, then Link with phone number.",
    "Type the code.",
  ],
  samePhone: "Is this page on the same phone? Use the code to type.",
  showQr: "Show the QR code",
  newQr: "Make a new QR code",
  preparing: "Preparing the code…",
  qrSoon: "A new code appears in a moment.",
  timeout: "The codes ran out before a phone read one. Keep the phone at hand and make a new one.",
  phone: "Number of this WhatsApp",
  phoneHint: "With country and area code, digits only: 5511900000001",
  getCode: "Make a code",
  codeOver: "This code has run out. Make another one.",
  anotherCode: "Make another code",
  codeFor: (phone) => `Code for ${phone}`,
  copyCode: "Copy the code",
  codeValid: (time) => `Type it before ${time}.`,
  pairing: "The phone has read the code. Finishing…",
  keepOpen: "Keep WhatsApp open on the phone until it is done.",
  passkey: {
    wanted: "The phone has read the code, and WhatsApp now wants this account's passkey.",
    next: "This page cannot ask for it. Tell whoever sent you the link: it has to be confirmed within five minutes.",
    timeout: "The account's passkey was not confirmed in time. Tell whoever sent you the link before you make a new code.",
  },
  failed: "It could not be connected",
  askSender: "If it stays like this, tell whoever sent you the link.",
  lost: "Reconnecting…",
  subscription: "The service of whoever sent you the link is not active now. Tell that person.",
  tooMany: (minutes) => `Many wrong links were opened from here. Try again in ${minutes} min.`,
};
export default en;
