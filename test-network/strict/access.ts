// What a client meets before it has logged in: an edge that answers the WebSocket upgrade with an HTTP status, and a network that no longer
// takes clients of its version.
import type { proto } from "baileys";
import type { BinaryNode } from "baileys";
import { node } from "../node.ts";

/** Upgrades are answered with `status` this many times. */
export interface RefusedUpgrades {
  status: number;
  times: number;
}

/** What becomes of a client below `minVersion`: its login is refused, or it shows QR codes that no phone can link. */
export type StaleClient = "refused" | "unlinkable";

export class Access {
  #upgrades: RefusedUpgrades | null = null;
  /** `2.3000.1043857760`; null: every version is taken. */
  minVersion: string | null = null;
  stale: StaleClient = "refused";
  /** Upgrades that were answered with a status. */
  refused = 0;

  /** Null: every upgrade is let in. */
  get upgrades(): RefusedUpgrades | null {
    return this.#upgrades;
  }

  refuseUpgrades(upgrades: RefusedUpgrades | null): void {
    this.#upgrades = upgrades;
  }

  /** The status that this upgrade is answered with; null: it is let in. */
  statusOfUpgrade(): number | null {
    const upgrades = this.#upgrades;
    if (upgrades === null) return null;
    this.refused++;
    const times = upgrades.times - 1;
    this.#upgrades = times > 0 ? { ...upgrades, times } : null;
    return upgrades.status;
  }

  isStale({ userAgent }: proto.IClientPayload): boolean {
    if (this.minVersion === null) return false;
    const { primary, secondary, tertiary } = userAgent?.appVersion ?? {};
    return isBelow([primary, secondary, tertiary].map(Number), this.minVersion.split(".").map(Number));
  }
}

/** The last word to a client whose version is too old. */
export function outdated(): BinaryNode {
  return node("failure", { reason: "405", location: "atn" });
}

function isBelow(version: readonly number[], least: readonly number[]): boolean {
  const index = least.findIndex((number, at) => number !== version[at]);
  return index >= 0 && !((version[index] ?? 0) > (least[index] ?? 0));
}
