import type { Texts } from "../catalog.ts";
import type pt from "../pt/cloud.ts";

const en: Texts<typeof pt> = {
  fields: {
    phone_number_id: "Phone number ID",
    waba_id: "WhatsApp Business account ID (WABA ID)",
    access_token: "Access token",
    app_secret: "App secret",
    pin: "Two-step verification PIN",
  },
  hints: {
    phone_number_id: "In Meta's dashboard, under WhatsApp > API setup. This isn't the phone number.",
    waba_id: "On the same page, below the phone number ID.",
    access_token: "Use a system user's token that never expires. The temporary token lasts only 24 hours.",
    app_secret: "In Meta's dashboard, under App settings > Basic.",
    pin: "6 digits. Only needed if the number isn't registered with the Cloud API yet.",
  },
  digits: "Digits only.",
  sixDigits: "Enter the 6 digits.",
  steps: {
    number: "Meta didn't give access to the number. Check the phone number ID, the token and the app secret.",
    in_use: "Another connection already has this number.",
    register: "Meta didn't register the number. Check the PIN. After too many attempts, you have to wait.",
    subscribe: "Meta didn't subscribe the app to the business account. Check the account ID and the token's permissions.",
    fields:
      "The app isn't subscribed to the messages webhook field. Subscribe in Meta's dashboard, under WhatsApp > Configuration > Webhooks.",
    callback: "Meta didn't accept this gateway's address. It has to be reachable over HTTPS from the internet.",
  },
  code: (code) => `Meta's code: ${code}.`,
  title: "Cloud API number",
  number: "Phone number ID",
  waba: "Business account ID",
  token: "Access token",
  tokenEnd: (last4) => `ends in ${last4}`,
  copyNumber: "Copy phone number ID",
  copyWaba: "Copy business account ID",
  change: "Change token",
  changeTitle: (name) => `New token for ${name}`,
  changeText:
    "Meta checks everything before we save it. For another 24 hours, we also accept messages signed with the previous app secret.",
  save: "Check and save",
  changed: "New credentials saved. The number is connected.",
  reasons: {
    created: {
      happened: "Meta has checked the credentials, but the number isn't connected yet.",
      next: "Connect the number so that Meta starts delivering its messages here.",
    },
    manual: {
      happened:
        "Someone turned the connection off, here or from one of your systems. Incoming messages are kept and delivered when it's turned on again.",
      next: "Reconnect whenever you like.",
    },
    cloud_token_invalid: {
      happened:
        "Meta rejected this connection's token: it expired, was revoked or lost permissions. Incoming messages are still delivered.",
      next: "Create a new token in Meta's dashboard and change it below.",
    },
  },
};

export default en;
