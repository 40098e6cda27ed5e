// What each `status_reason` means: a short name, what happened, what to do next.
import type { StatusReason } from "@gateway/domain/instance/state.ts";
import type { ReasonText } from "./reasons.pt.ts";

const en: Record<StatusReason, ReasonText> = {
  created: {
    short: "new",
    happened: "This connection has no number yet.",
    next: "Pair a phone: scan the QR code or type the code.",
  },
  manual: {
    short: "switched off by someone",
    happened: "The connection was switched off here or by the API. The phone is still paired.",
    next: "Reconnect whenever you like: no new pairing is needed.",
  },
  logged_out: {
    short: "logged out on the phone",
    happened: "The device was removed on the phone, under Linked devices, or the session was ended here.",
    next: "Pair again with the QR code or the code.",
  },
  qr_timeout: {
    short: "QR was not scanned",
    happened: "Every QR code ran out before a phone scanned one.",
    next: "Keep the phone at hand, with WhatsApp open, and make a new QR code.",
  },
  passkey_timeout: {
    short: "passkey was not used",
    happened: "The account's passkey was not confirmed in time, so nothing was linked.",
    next: "Have whoever holds the passkey at hand, and pair again. Turning the passkey off on the phone, where the account allows it, is the simpler way.",
  },
  replaced: {
    short: "open elsewhere",
    happened: "The same session was opened elsewhere, and the network kept that one.",
    next: "Switch the other one off and reconnect here. Both at once do not work.",
  },
  account_suspended: {
    short: "account suspended",
    happened: "The owner's account is suspended or has no active subscription: its sessions were ended.",
    next: "The owner has to put the account in order. After that the connection comes back by itself.",
  },
  starting: {
    short: "starting",
    happened: "The session is being opened.",
    next: "Wait a few seconds.",
  },
  resuming: {
    short: "resuming",
    happened: "The session that was paired before is being resumed.",
    next: "Wait a few seconds: no new pairing is needed.",
  },
  pairing: {
    short: "pairing",
    happened: "The phone has read the code and is finishing the pairing.",
    next: "Keep the phone open and online until it is done.",
  },
  reconnecting: {
    short: "reconnecting",
    happened: "The link to the network dropped, and the gateway is trying again by itself.",
    next: "Wait. If it takes long, check that the phone is online.",
  },
  moving: {
    short: "moving to another server",
    happened: "The session is moving to another server of the gateway.",
    next: "Wait a few seconds: nothing is lost.",
  },
  passkey_wanted: {
    short: "asks for a passkey",
    happened: "The phone has read the code, and the account now wants to be confirmed with its passkey.",
    next: "Whoever holds the passkey confirms it on web.whatsapp.com within five minutes, and the result is handed in by the API: no other page may ask for it. The administrator can help.",
  },
  waiting_scan: {
    short: "show it to the phone",
    happened: "A QR code is waiting to be scanned.",
    next: "On the phone: Linked devices, Link a device, and point the camera at it.",
  },
  pairing_code_issued: {
    short: "code issued",
    happened: "A pairing code is waiting to be typed.",
    next: "On the phone, tap the notification or Link with phone number, and type the code.",
  },
  ok: {
    short: "",
    happened: "The number is on the network and can send and receive.",
    next: "Nothing to do.",
  },
  syncing: {
    short: "syncing",
    happened: "The number is on the network; the phone's history is still arriving.",
    next: "You can send already. Keep the phone online until it is done.",
  },
  restricted: {
    short: "restricted",
    happened: "The network has restricted this number for a while, for example from starting new chats.",
    next: "Do not insist: answer only those who write, and wait for the restriction to end.",
  },
  banned: {
    short: "number banned",
    happened: "The network has banned this number. The gateway no longer tries.",
    next: "Ask for a review in WhatsApp on the phone. If it is granted, pair again.",
  },
  locked: {
    short: "number locked",
    happened: "The network has locked this number, or its phone was signed off.",
    next: "Open WhatsApp on the phone and do what it asks for. Then reconnect here; if that is refused, pair again.",
  },
  temporarily_banned: {
    short: "banned for a while",
    happened: "The network has banned this number for a while.",
    next: "Stop what the ban is for. If its end is known, the number connects by itself then; else see on the phone how long it lasts, and reconnect after that.",
  },
  bad_session: {
    short: "invalid session",
    happened: "The network refused the stored session.",
    next: "End the session and pair again.",
  },
  reconnect_exhausted: {
    short: "gave up reconnecting",
    happened: "The gateway tried to reconnect many times, without success.",
    next: "Check that the phone is online and up to date, and reconnect.",
  },
  proxy_error: {
    short: "proxy fails",
    happened: "This connection's proxy refused or did not answer.",
    next: "Ask the administrator to check or replace the proxy. Then reconnect.",
  },
  waiting_for_update: {
    short: "waiting for an update",
    happened: "The network no longer takes the version of the gateway. Nothing is wrong with this number.",
    next: "Nothing to do: the number comes back by itself when the administrator has set the new version.",
  },
  client_outdated: {
    short: "old version",
    happened: "The network no longer takes the client version that the gateway uses.",
    next: "The administrator has to update the gateway. Then reconnect.",
  },
  multidevice_mismatch: {
    short: "devices do not match",
    happened: "The network answered that this number's devices do not match.",
    next: "On the phone, update WhatsApp, remove this device, and pair again.",
  },
  cloud_token_invalid: {
    short: "credential refused",
    happened: "The cloud API refused this connection's credential.",
    next: "Make a new credential at the provider and give it here.",
  },
  passkey_unsupported: {
    short: "asks for a passkey",
    happened: "The phone's account demands a passkey for new devices, which this gateway is not set up to offer.",
    next: "If the account still allows it, turn the passkey off in its settings and pair again. Otherwise ask the administrator to switch confirmation by passkey on.",
  },
  internal: {
    short: "internal error",
    happened: "The gateway stopped this session because of an error of its own.",
    next: "Reconnect. If it happens again, give support the connection's id.",
  },
};
export default en;
