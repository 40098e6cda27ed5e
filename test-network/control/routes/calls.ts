import { acceptCall, endCall, placeCall, rejectCall } from "../../phone/calls.ts";
import type { PhoneDependencies } from "../../phone/dependencies.ts";
import { refused } from "../../phone/refusal.ts";
import { CallBody } from "../bodies.ts";
import { list, NOTHING, ok, phoneRoute, type Route } from "../route.ts";

const ENDINGS: ReadonlyArray<[name: string, work: (deps: PhoneDependencies, callId: string) => boolean]> = [
  ["end", (deps, callId) => endCall(deps, callId)],
  ["timeout", (deps, callId) => endCall(deps, callId, "timeout")],
  ["accept", acceptCall],
  ["reject", rejectCall],
];

export const callRoutes: readonly Route[] = [
  phoneRoute("POST", "/call", CallBody, async (phone, { body: { to, video } }) => {
    if (!phone.deps.link.account(to)) return refused(404, "unknown_number", "no account with this number is on the network");
    return ok({ call_id: await phone.act((deps) => placeCall(deps, to, video)) });
  }),
  phoneRoute("GET", "/calls", NOTHING, (phone) => list(phone.deps.documents.list("call"))),
  ...ENDINGS.map(([name, work]) =>
    phoneRoute("POST", `/calls/:call/${name}`, NOTHING, async (phone, { params }) => {
      const changed = await phone.act((deps) => work(deps, params["call"] ?? ""));
      return changed ? ok({ ok: true }) : refused(409, "no_such_call", `there is no call that could be dealt with by ${name}`);
    }),
  ),
];
