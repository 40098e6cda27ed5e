// Every transition between statuses (docs/internals/statuses.md, "Statuses of an instance").
import { describe, expect, it } from "vitest";
import { advance, type Trigger } from "@gateway/domain/instance/advance.ts";
import type { Effect, InstanceState } from "@gateway/domain/instance/state.ts";
import {
  AN,
  closed,
  connect,
  NOW,
  open,
  paired,
  passkey,
  qr,
  reconnecting,
  restricted,
  run,
  session,
  status,
  suspension,
  unrestricted,
} from "./instances.ts";

type Row = [from: InstanceState, what: string, Trigger, to: string, effects: string[]];

const ANY = [AN.untouched, AN.starting, AN.scanning, AN.pairing, AN.connected, AN.reconnecting, AN.manual, AN.banned];
const RUNNING = [AN.starting, AN.scanning, AN.pairing, AN.connected, AN.reconnecting];
const codeRefused: Trigger = {
  type: "session",
  event: { type: "session.qr", raw: "qr", expires_at: 1, attempt: 1, code: "refused", timestamp: 0 },
};
const fromEach = (states: InstanceState[], what: string, trigger: Trigger, to: string, effects: string[]): Row[] =>
  states.map((state) => [state, what, trigger, to, effects]);

const rows: Row[] = [
  [AN.untouched, "connect", connect, "connecting/starting", ["place"]],
  [AN.manual, "connect", connect, "connecting/resuming", ["place"]],
  [AN.banned, "connect", connect, "connecting/resuming", ["place"]],
  ...fromEach(RUNNING, "connect again", connect, "", []),
  [
    AN.connected,
    "connect with a new pairing",
    { type: "connect", forceNewPairing: true },
    "connecting/starting",
    ["stop logout", "wipe", "place"],
  ],
  [
    AN.manual,
    "connect with a new pairing",
    { type: "connect", forceNewPairing: true },
    "connecting/starting",
    ["stop logout", "wipe", "place"],
  ],
  [AN.starting, "a QR", qr(), "scan_qr/waiting_scan", []],
  [AN.scanning, "a passkey is wanted that may be given", passkey, "connecting/passkey_wanted", []],
  [run(AN.scanning, [passkey]), "the passkey is taken", { type: "passkey_taken" }, "connecting/pairing", []],
  [run(AN.scanning, [passkey]), "nobody gives it", closed("passkey_timeout", 408), "disconnected/passkey_timeout", ["stop"]],
  [AN.scanning, "the next QR", qr(2), "scan_qr/waiting_scan", []],
  [AN.scanning, "a pairing code", { type: "pairing_code_issued" }, "scan_qr/pairing_code_issued", []],
  [run(AN.scanning, [{ type: "pairing_code_issued" }]), "the next QR", qr(2), "scan_qr/pairing_code_issued", []],
  [
    run(AN.scanning, [{ type: "pairing_code_issued" }]),
    "the QR again, as the code is worth nothing any more",
    codeRefused,
    "scan_qr/waiting_scan",
    [],
  ],
  [AN.scanning, "408, the QR refs ended", closed("qr_timeout", 408), "disconnected/qr_timeout", ["stop"]],
  [AN.scanning, "pair-success", paired, "connecting/pairing", []],
  [AN.pairing, "515", closed("restart_required", 515), "connecting/pairing", []],
  [AN.pairing, "open", open, "connected/ok", []],
  [AN.starting, "open", open, "connected/ok", []],
  [AN.reconnecting, "open", open, "connected/ok", []],
  [AN.untouched, "the cloud token is good", { type: "cloud.verified", phone: "5511900000001", profileName: null }, "connected/ok", []],
  [AN.connected, "the cloud token is refused", { type: "cloud.refused" }, "failed/cloud_token_invalid", ["stop"]],
  ...[408, 428, 503].map((code): Row => [AN.connected, `${code}, the link was lost`, closed("lost", code), "connecting/reconnecting", []]),
  [AN.connected, "a scheduled retry", reconnecting(), "connecting/reconnecting", []],
  [AN.scanning, "the link was lost", closed("lost", 428), "connecting/reconnecting", []],
  ...fromEach(RUNNING, "401", closed("logged_out", 401), "disconnected/logged_out", ["stop", "wipe"]),
  ...fromEach(RUNNING, "440", closed("replaced", 440), "disconnected/replaced", ["stop"]),
  ...fromEach(RUNNING, "403", closed("banned", 403), "failed/locked", ["stop"]),
  ...fromEach(RUNNING, "406", closed("banned", 406), "failed/banned", ["stop"]),
  ...fromEach(RUNNING, "402", closed("temporarily_banned", 402), "failed/temporarily_banned", ["stop"]),
  ...fromEach(RUNNING, "405, of an earlier bridge", closed("client_outdated", 405), "failed/client_outdated", ["stop"]),
  ...[405, 409].flatMap((code) =>
    fromEach(RUNNING, `${code}`, closed("client_outdated", code, { waits: true }), "connecting/waiting_for_update", []),
  ),
  [run(AN.connected, [closed("client_outdated", 405, { waits: true })]), "open", open, "connected/ok", []],
  [run(AN.starting, [closed("client_outdated", 405, { waits: true })]), "a QR", qr(), "scan_qr/waiting_scan", []],
  ...[415, 418].flatMap((code) => fromEach(RUNNING, `${code}`, closed("bad_session", code), "failed/bad_session", ["stop"])),
  ...fromEach(RUNNING, "411", closed("multidevice_mismatch", 411), "failed/multidevice_mismatch", ["stop"]),
  ...fromEach(RUNNING, "a passkey is wanted", closed("passkey_unsupported"), "failed/passkey_unsupported", ["stop"]),
  [AN.connected, "500 for the first time", closed("bad_session", 500), "connecting/reconnecting", []],
  [run(AN.connected, [closed("bad_session", 500)]), "500 for the second time", closed("bad_session", 500), "failed/bad_session", ["stop"]],
  [AN.starting, "the proxy refuses", closed("proxy_error"), "connecting/reconnecting", []],
  [
    run(AN.starting, [closed("proxy_error"), closed("proxy_error")]),
    "the proxy refuses again",
    closed("proxy_error"),
    "failed/proxy_error",
    ["stop"],
  ],
  [
    AN.connected,
    "the bridge gives up",
    session({ type: "session.gave_up", reason: "internal", timestamp: 1 }),
    "failed/internal",
    ["stop"],
  ],
  [AN.connected, "reach-out timelock set", restricted(), "connected/restricted", []],
  [run(AN.connected, [restricted()]), "reach-out timelock lifted", unrestricted, "connected/ok", []],
  [AN.reconnecting, "reach-out timelock set", restricted(), "connecting/reconnecting", []],
  [run(AN.reconnecting, [restricted()]), "open", open, "connected/restricted", []],
  [
    AN.connected,
    "history arrives",
    session({ type: "session.history", state: "running", progress: 1, timestamp: 1 }),
    "connected/syncing",
    [],
  ],
  ...fromEach([...RUNNING, AN.banned], "disconnect", { type: "disconnect" }, "disconnected/manual", ["stop"]).map((row): Row =>
    row[0] === AN.banned ? [row[0], row[1], row[2], row[3], []] : row,
  ),
  [AN.untouched, "disconnect", { type: "disconnect" }, "disconnected/created", []],
  [AN.manual, "disconnect again", { type: "disconnect" }, "disconnected/manual", []],
  ...ANY.map((state): Row => [
    state,
    "restart",
    { type: "restart" },
    "connecting/resuming",
    RUNNING.includes(state) ? ["stop", "place"] : ["place"],
  ]),
  ...ANY.map((state): Row => [
    state,
    "logout",
    { type: "logout" },
    "disconnected/logged_out",
    // An older session may still be ending.
    ["stop logout", "wipe"],
  ]),
  ...RUNNING.map((state): Row => [
    state,
    "its bridge died",
    { type: "bridge_lost", generation: state.generation },
    "connecting/moving",
    ["stop", "place"],
  ]),
  ...RUNNING.map((state): Row => [
    state,
    "it goes to another bridge",
    { type: "hand_over", generation: state.generation },
    "connecting/moving",
    ["stop finish", "place"],
  ]),
  ...fromEach(RUNNING, "suspended", suspension(true), "disconnected/account_suspended", ["stop"]),
  ...fromEach([AN.untouched, AN.manual, AN.banned], "suspended", suspension(true), "", []),
  ...fromEach([...ANY], "not suspended", suspension(false), "", []),
  [run(AN.connected, [suspension(true)]), "the suspension ends", suspension(false), "connecting/resuming", ["place"]],
  [run(AN.reconnecting, [suspension(true)]), "the suspension ends", suspension(false), "connecting/resuming", ["place"]],
  [run(AN.scanning, [suspension(true)]), "the suspension ends", suspension(false), "disconnected/manual", []],
  ...fromEach(
    [AN.untouched, AN.manual, AN.banned].map((state) => run(state, [suspension(true)])),
    "the suspension ends",
    suspension(false),
    "",
    [],
  ),
  ...([connect, { type: "restart" }] as const).map((command): Row => [
    run(AN.connected, [suspension(true)]),
    `${command.type} while suspended`,
    command,
    "disconnected/account_suspended",
    [],
  ]),
  [run(AN.connected, [suspension(true), { type: "disconnect" }]), "the suspension ends", suspension(false), "disconnected/manual", []],
  [run(AN.connected, [suspension(true), { type: "logout" }]), "the suspension ends", suspension(false), "disconnected/logged_out", []],
];

const nameOf = (effect: Effect): string => {
  if (effect.type !== "stop") return effect.type;
  return ["stop", ...(effect.logout ? ["logout"] : []), ...(effect.finish ? ["finish"] : [])].join(" ");
};

describe("an instance", () => {
  it.each(rows.map(([from, what, trigger, to, effects]) => ({ from, what, trigger, to, effects, name: status(from) })))(
    "$name, $what → $to",
    ({ from, trigger, to, effects }) => {
      const next = advance(from, trigger, NOW + 1);
      expect(status(next.state)).toBe(to === "" ? status(from) : to);
      expect(next.effects.map(nameOf)).toEqual(effects);
    },
  );

  it("gives every new session a higher generation, and fences the one it ends", () => {
    for (const trigger of [{ type: "restart" }, { type: "disconnect" }, { type: "logout" }, closed("replaced", 440)] satisfies Trigger[]) {
      expect(advance(AN.connected, trigger, NOW).state.generation).toBe(AN.connected.generation + 1);
    }
    expect(run(AN.manual, [connect]).generation).toBe(AN.manual.generation + 1);
  });

  it("keeps the credentials unless it was logged out", () => {
    expect([AN.manual, AN.banned, run(AN.connected, [closed("replaced", 440)])].map((state) => state.paired)).toEqual([true, true, true]);
    expect(run(AN.connected, [closed("logged_out", 401)]).paired).toBe(false);
    expect(run(AN.connected, [{ type: "logout" }])).toMatchObject({ paired: false, phone: null });
  });

  it("ignores the reports of a session that was ended", () => {
    for (const trigger of [open, qr(), closed("lost"), reconnecting(), restricted()]) {
      expect(advance(AN.manual, trigger, NOW)).toEqual({ state: AN.manual, effects: [], notices: [] });
    }
  });

  it.each([-600, 600])("uses durations, not times, of a bridge whose clock is %i s off", (skew) => {
    const timestamp = NOW / 1000 + skew;
    const late = session({ type: "session.qr", raw: "qr-1", expires_at: timestamp + 20, attempt: 2, timestamp });
    expect(run(AN.scanning, [late]).qr?.expires_at).toBe(NOW / 1000 + 20);
    const again = session({ type: "session.reconnecting", attempt: 1, next_at: timestamp + 4, timestamp });
    expect(run(AN.connected, [again]).reconnect?.nextAt).toBe(NOW + 4_000);
  });

  it("shows a QR only while it waits for a scan", () => {
    expect(AN.scanning.qr).toEqual({ raw: "qr-1", expires_at: NOW / 1000 + 60, attempt: 1 });
    expect(AN.pairing.qr).toBeNull();
    expect(run(AN.scanning, [{ type: "disconnect" }]).qr).toBeNull();
  });
});
