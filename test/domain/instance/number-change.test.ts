// When a number changes hands, its owner is emailed and the audit log records it.
import { expect, it } from "vitest";
import { advance, hasChangedNumber, type Trigger } from "@gateway/domain/instance/advance.ts";
import type { InstanceState } from "@gateway/domain/instance/state.ts";
import { AN, attach, closed, connect, NOW, open, paired, PHONE, qr, run, session } from "./instances.ts";

const OTHER = "5511900000077";
const force: Trigger = { type: "connect", forceNewPairing: true };
const pairedAs = (phone: string): Trigger =>
  session({ type: "session.paired", phone, platform: "android", is_business: false, timestamp: NOW / 1000 });
const verifiedAs = (phone: string): Trigger => ({ type: "cloud.verified", phone, profileName: null });
const rescanned = (state: InstanceState) => run(attach(run(state, [connect])), [qr()]);

const loggedOut = run(AN.connected, [closed("logged_out", 401)]);
const forced = run(attach(run(AN.connected, [force])), [qr()]);
const asCloud = run(AN.untouched, [verifiedAs(PHONE)]);

const rows: readonly [what: string, InstanceState, Trigger, from: string | null, to: string][] = [
  ["its first pairing", AN.scanning, paired, null, PHONE],
  ["the same phone after a log-out", rescanned(loggedOut), paired, null, PHONE],
  ["another phone after a log-out", rescanned(loggedOut), pairedAs(OTHER), PHONE, OTHER],
  ["the same phone by force", forced, paired, PHONE, PHONE],
  ["another phone by force", forced, pairedAs(OTHER), PHONE, OTHER],
  ["by force twice", run(attach(run(forced, [force])), [qr()]), paired, PHONE, PHONE],
  ["by force where nothing was paired", run(attach(run(AN.untouched, [force])), [qr()]), paired, null, PHONE],
  ["the same phone, open after its pairing", AN.pairing, open, null, PHONE],
  ["a number that the network changed", run(AN.connected, [pairedAs(OTHER)]), open, OTHER, PHONE],
  ["the same number of the cloud", asCloud, verifiedAs(PHONE), null, PHONE],
  ["another number of the cloud", asCloud, verifiedAs(OTHER), PHONE, OTHER],
];

it.each(rows)("a changed number is told from an ordinary connection: %s", (_what, before, trigger, from, to) => {
  const { state } = advance(before, trigger, NOW + 1);
  const change = hasChangedNumber(before, state) ? state.numberChange : null;
  expect([state.phone, change]).toEqual([to, from === null ? null : { at: NOW + 1, from, to }]);
});

it("a changed number is noticed once", () => {
  const changed = run(forced, [paired]);
  expect(hasChangedNumber(changed, run(changed, [closed("restart_required", 515), open]))).toBe(false);
});
