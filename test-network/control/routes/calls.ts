import { acceptCall, endCall, placeCall, rejectCall } from "../../phone/calls.ts";
import type { PhoneParts } from "../../phone/phone-parts.ts";
import { refused } from "../../phone/refusal.ts";
import { CallBody } from "../bodies.ts";
import { list, NOTHING, ok, phoneRoute, type Route } from "../route.ts";

const ENDINGS: ReadonlyArray<[name: string, work: (parts: PhoneParts, callId: string) => boolean]> = [
  ["end", (parts, callId) => endCall(parts, callId)],
  // Nobody answered for so long that the network gave up.
  ["timeout", (parts, callId) => endCall(parts, callId, "timeout")],
  ["accept", acceptCall],
  ["reject", rejectCall],
];

export const callRoutes: readonly Route[] = [
  phoneRoute("POST", "/call", CallBody, async (phone, { body: { to, video } }) => {
    if (!phone.parts.link.account(to)) return refused(404, "unknown_number", "no account with this number is on the network");
    return ok({ call_id: await phone.act((parts) => placeCall(parts, to, video)) });
  }),
  phoneRoute("GET", "/calls", NOTHING, (phone) => list(phone.parts.documents.list("call"))),
  ...ENDINGS.map(([name, work]) =>
    phoneRoute("POST", `/calls/:call/${name}`, NOTHING, async (phone, { params }) => {
      const changed = await phone.act((parts) => work(parts, params["call"] ?? ""));
      return changed ? ok({ ok: true }) : refused(409, "no_such_call", `there is no call that could be dealt with by ${name}`);
    }),
  ),
];
