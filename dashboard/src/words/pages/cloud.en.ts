import type { Words } from "../words.ts";
import type pt from "./cloud.pt.ts";

const en: Words<typeof pt> = {
  fields: {
    phone_number_id: "Phone number ID",
    waba_id: "WhatsApp Business account ID (WABA ID)",
    access_token: "Access token",
    app_secret: "App secret",
    pin: "Two-step verification PIN",
  },
  hints: {
    phone_number_id: "In Meta's dashboard: WhatsApp, API setup. It is not the phone number.",
    waba_id: "On the same page, below the phone number ID.",
    access_token: "Of a system user, without an expiry. The temporary one lasts 24 hours.",
    app_secret: "In Meta's dashboard: App settings, Basic.",
    pin: "Only if the number is not registered with the Cloud API yet. 6 digits.",
  },
  digits: "Digits only.",
  sixDigits: "It has 6 digits.",
  steps: {
    number: "Meta gave no access to the number. Check the phone number ID, the token and the app secret.",
    in_use: "Another connection has this number already.",
    register: "Meta did not register the number. Check the PIN; after many attempts one has to wait.",
    subscribe: "Meta did not subscribe the app to the business account. Check the account's ID and the token's permissions.",
    fields:
      "The app does not subscribe to the webhook field messages. Subscribe to it in Meta's dashboard: WhatsApp, Configuration, Webhooks.",
    callback: "Meta did not accept the address of this gateway. It has to be reachable by HTTPS from the internet.",
  },
  code: (code) => `Meta's code: ${code}.`,
  title: "Cloud API number",
  number: "Phone number ID",
  waba: "Business account ID",
  token: "Access token",
  tokenEnd: (last4) => `ends in ${last4}`,
  copyNumber: "Copy the phone number ID",
  copyWaba: "Copy the business account ID",
  change: "Change the token",
  changeTitle: (name) => `New token of ${name}`,
  changeText:
    "Meta checks everything before anything is stored. Messages signed with the earlier app secret are accepted for 24 more hours.",
  save: "Check and store",
  changed: "New credentials stored. The number is connected.",
  reasons: {
    created: {
      happened: "The credentials were checked, and the number is not connected yet.",
      next: "Connect it: from then on Meta delivers its messages here.",
    },
    manual: {
      happened: "The connection was turned off here or by the API. What comes in is kept, and delivered when it is turned on again.",
      next: "Reconnect whenever you want.",
    },
    cloud_token_invalid: {
      happened:
        "Meta refused the token of this connection: it has expired, was revoked, or lost permissions. What comes in is still delivered.",
      next: "Make a new token in Meta's dashboard and change it below.",
    },
  },
};

export default en;
