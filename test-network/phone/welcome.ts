// What a newly linked device gets: first the app-state key, then the history (docs/internals/wire-protocol.md, "After login").
import { shareKeys } from "./app-state-keys.ts";
import { sendInitialHistory } from "./history.ts";
import type { PhoneDependencies } from "./dependencies.ts";

export async function welcome(phone: PhoneDependencies, device: number): Promise<void> {
  await shareKeys(phone, device);
  await sendInitialHistory(phone, device);
  phone.commit(() => phone.documents.remove("welcome", String(device)));
}

/** Stored, so that a restart does not leave the device waiting. */
export function oweWelcome(phone: PhoneDependencies, device: number): void {
  phone.commit(() => phone.documents.put("welcome", String(device), { device }));
}

export function owedWelcomes(phone: PhoneDependencies): number[] {
  return phone.documents.list("welcome").map(({ device }) => device);
}
