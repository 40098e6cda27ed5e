import type { InstanceStatus } from "@gateway/protocol/connection.ts";

/** `idle` means that nobody is pairing, `scan` that a code is waiting to be scanned, and `unknown` that the object does not respond. */
export type Stage = "idle" | "starting" | "scan" | "passkey" | "pairing" | "syncing" | "connected" | "failed" | "unknown";

export function stageOf(status: InstanceStatus | null, reason: string | null): Stage {
  switch (status) {
    case null:
      return "unknown";
    case "disconnected":
      return "idle";
    case "connecting":
      return reason === "pairing" ? "pairing" : reason === "passkey_wanted" ? "passkey" : "starting";
    case "scan_qr":
      return "scan";
    case "connected":
      return reason === "syncing" ? "syncing" : "connected";
    case "failed":
      return "failed";
  }
}

export const STEPS = ["scan", "pairing", "syncing", "connected"] as const satisfies readonly Stage[];

export function stepOf(stage: Stage): number {
  if (stage === "passkey") return stepOf("pairing");
  return stage === "starting" ? 0 : STEPS.findIndex((step) => step === stage);
}

export type ShownQr = { qr: string; expires_at: string; totalSeconds: number };

/** The network's first QR code is valid for 60 seconds, and later ones for 20. `now` is in Unix ms. */
export function shownQr({ qr, expires_at }: { qr: string; expires_at: string }, now: number): ShownQr {
  return { qr, expires_at, totalSeconds: Date.parse(expires_at) - now > 21_000 ? 60 : 20 };
}
