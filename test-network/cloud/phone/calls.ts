import type { CallDocument } from "../../phone/views.ts";
import { nowSeconds, type PhoneDependencies } from "../../phone/dependencies.ts";
import type { CloudNetwork } from "../cloud-network.ts";
import { callIdOf } from "../ids.ts";
import type { CloudNumber } from "../model.ts";

/** The minimal description of a call; there is no sound. */
const SDP = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=rtpmap:111 opus/48000/2\r\n";

export function reportCall(cloud: CloudNetwork, number: CloudNumber, phone: PhoneDependencies, call: CallDocument): void {
  if (call.direction === "out" || call.status === "accepted") return;
  const { wa_id, user_id } = cloud.person(number, call.peer);
  const id = callIdOf(number.phone, call.call_id);
  const now = nowSeconds();
  const base = {
    id,
    ...(wa_id !== undefined && { from: wa_id }),
    from_user_id: user_id,
    to: number.phone,
    direction: "USER_INITIATED",
    timestamp: String(now),
  };
  if (call.status === "ringing") {
    cloud.openWindow(number, call.peer);
    const name = phone.link.account(call.peer)?.name ?? call.peer;
    const contacts = [{ profile: { name }, ...(wa_id !== undefined && { wa_id }), user_id }];
    const session = { sdp_type: "offer", sdp: SDP };
    return cloud.report(number, `call:${id}:connect`, "calls", { contacts, calls: [{ ...base, event: "connect", session }] });
  }
  const times = { start_time: String(call.started_at), end_time: String(now), duration: 0 };
  cloud.report(number, `call:${id}:terminate`, "calls", { calls: [{ ...base, event: "terminate", status: "FAILED", ...times }] });
}
