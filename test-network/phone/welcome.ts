// What a phone does for a device that has just been linked: the app-state key first, then the past (docs/internals/wire-protocol.md, "After login").
import { shareKeys } from "./app-state-keys.ts";
import { sendInitialHistory } from "./history.ts";
import type { PhoneDependencies } from "./dependencies.ts";

/** Sends everything a fresh device waits for. Its keys must be published. */
export async function welcome(phone: PhoneDependencies, device: number): Promise<void> {
  await shareKeys(phone, device);
  await sendInitialHistory(phone, device);
  phone.commit(() => phone.documents.remove("welcome", String(device)));
}

/** Remembers that a device is owed its welcome, so that a restart in between does not leave it waiting. */
export function oweWelcome(phone: PhoneDependencies, device: number): void {
  phone.commit(() => phone.documents.put("welcome", String(device), { device }));
}

export function owedWelcomes(phone: PhoneDependencies): number[] {
  return phone.documents.list("welcome").map(({ device }) => device);
}
