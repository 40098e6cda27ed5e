import type { StatusReason } from "@gateway/domain/instance/state.ts";
import type { ReasonText } from "../pt/reasons.ts";

const en: Record<StatusReason, ReasonText> = {
  created: {
    short: "new",
    happened: "This connection has no number yet.",
    next: "Pair a phone by scanning a QR code or typing a code.",
  },
  manual: {
    short: "turned off by someone",
    happened: "Someone turned the connection off, here or from one of your systems. The phone is still paired.",
    next: "Reconnect whenever you like. You won't need to pair again.",
  },
  logged_out: {
    short: "logged out",
    happened: "The device was removed on the phone, under Linked devices, or someone logged it out here.",
    next: "Pair again with a QR code or a pairing code.",
  },
  qr_timeout: {
    short: "QR code not scanned",
    happened: "The QR codes expired before a phone scanned one.",
    next: "Have the phone ready with WhatsApp open, then get a new QR code.",
  },
  passkey_timeout: {
    short: "passkey not confirmed",
    happened: "The account's passkey wasn't confirmed in time, so nothing was linked.",
    next: "Make sure the person with the passkey is available, then pair again. If the account allows it, it's easier to turn the passkey off on the phone.",
  },
  replaced: {
    short: "open elsewhere",
    happened: "This session was opened somewhere else, so WhatsApp ended it here.",
    next: "Close the other session and reconnect here. Only one can be open at a time.",
  },
  account_suspended: {
    short: "account suspended",
    happened: "The owner's account is suspended or has no active subscription, so we ended its sessions.",
    next: "The owner needs to sort this out. After that, the connection comes back on its own.",
  },
  starting: {
    short: "starting",
    happened: "The session is starting.",
    next: "Wait a few seconds.",
  },
  resuming: {
    short: "resuming",
    happened: "We are resuming the paired session.",
    next: "Wait a few seconds. You won't need to pair again.",
  },
  pairing: {
    short: "pairing",
    happened: "The phone scanned the code and is finishing the pairing.",
    next: "Keep WhatsApp open and the phone online until it's done.",
  },
  reconnecting: {
    short: "reconnecting",
    happened: "The connection to WhatsApp dropped. We are trying to reconnect.",
    next: "Wait a moment. If it takes too long, check that the phone is online.",
  },
  moving: {
    short: "moving to another server",
    happened: "We are moving your session to another server.",
    next: "Wait a few seconds. Nothing is lost.",
  },
  passkey_wanted: {
    short: "needs a passkey",
    happened: "The phone scanned the code, and WhatsApp now asks for the account's passkey.",
    next: "Whoever has the passkey must confirm it within five minutes on web.whatsapp.com. It doesn't work on any other page. The system you connected to this number then sends us the result. If you need help, ask your administrator.",
  },
  waiting_scan: {
    short: "QR code ready",
    happened: "A QR code is ready to scan.",
    next: "On the phone, open Linked devices, tap Link a device, and point the camera at the code.",
  },
  pairing_code_issued: {
    short: "code ready",
    happened: "Your pairing code is ready. Enter it on the phone.",
    next: "On the phone, tap the notification or Link with phone number, and enter the code.",
  },
  ok: {
    short: "",
    happened: "The number is connected and can send and receive messages.",
    next: "You don't need to do anything.",
  },
  syncing: {
    short: "syncing",
    happened: "The number is connected. The phone's history is still coming in.",
    next: "You can already send messages. Keep the phone online until it's done.",
  },
  restricted: {
    short: "restricted",
    happened: "WhatsApp has restricted this number for a while. For example, it can't start new chats.",
    next: "Don't keep trying: only answer people who write to you, and wait for the restriction to end.",
  },
  banned: {
    short: "number banned",
    happened: "WhatsApp banned this number. We've stopped trying to reconnect.",
    next: "Request a review in WhatsApp on the phone. If it's accepted, pair again.",
  },
  locked: {
    short: "number locked",
    happened: "WhatsApp locked this number, or logged the phone out.",
    next: "Open WhatsApp on the phone and follow its instructions. Then reconnect here. If that doesn't work, pair again.",
  },
  temporarily_banned: {
    short: "temporarily banned",
    happened: "WhatsApp banned this number temporarily.",
    next: "Stop doing what caused the ban. If you see an end date here, the number reconnects on its own after that. Otherwise, check on the phone how long the ban lasts, and reconnect afterwards.",
  },
  bad_session: {
    short: "invalid session",
    happened: "WhatsApp no longer accepts this number's session.",
    next: "Log out and pair again.",
  },
  reconnect_exhausted: {
    short: "gave up reconnecting",
    happened: "We tried to reconnect many times without success.",
    next: "Check that the phone is online and WhatsApp is up to date, then reconnect.",
  },
  proxy_error: {
    short: "proxy error",
    happened: "This connection's proxy refused to connect or didn't answer.",
    next: "Ask your administrator to check or replace the proxy, then reconnect.",
  },
  waiting_for_update: {
    short: "waiting for an update",
    happened: "WhatsApp no longer accepts the version we use. Nothing is wrong with this number.",
    next: "You don't need to do anything. The number comes back on its own once the administrator sets the new version.",
  },
  client_outdated: {
    short: "old version",
    happened: "WhatsApp no longer accepts the version we use.",
    next: "Your administrator needs to update the system. Then reconnect.",
  },
  multidevice_mismatch: {
    short: "phone not compatible",
    happened: "WhatsApp on this phone isn't compatible with this connection.",
    next: "On the phone, update WhatsApp, remove this device and pair again.",
  },
  cloud_token_invalid: {
    short: "token rejected",
    happened: "The Cloud API rejected this connection's token.",
    next: "Create a new token in Meta's dashboard and enter it here.",
  },
  passkey_unsupported: {
    short: "needs a passkey",
    happened: "The phone's account requires a passkey for new devices, and this system isn't set up for that.",
    next: "If the account allows it, turn the passkey off in its settings and pair again. Otherwise, ask your administrator to turn on passkey confirmation.",
  },
  internal: {
    short: "internal error",
    happened: "This session stopped because of an error on our side.",
    next: "Reconnect. If it happens again, contact support and give them the connection ID.",
  },
};
export default en;
