// Faults before login: the network rejects WebSocket upgrades, or no longer accepts client versions.
import { DEFAULT_CONNECTION_CONFIG, type BinaryNode, type proto } from "baileys";
import { node } from "../node.ts";

export type RefusedUpgrades = {
  status: number;
  times: number;
};

/** Clients below `minVersion` are refused at login, or show QR codes that no phone can link. */
export type StaleClient = "refused" | "unlinkable";

export class Access {
  #upgrades: RefusedUpgrades | null = null;
  /** For example `2.3000.1043857760`. Null accepts every version. */
  minVersion: string | null = null;
  stale: StaleClient = "refused";
  /** The version that the web client's page contains. If null, the page contains the minimum version, or the library's own. */
  servedVersion: string | null = null;
  lookedUp = 0;
  #handshakes = 0;
  /** Highest number of concurrent handshakes so far. Each lasts from opening to login, first QR code or close. */
  mostHandshakes = 0;
  refused = 0;

  get upgrades(): RefusedUpgrades | null {
    return this.#upgrades;
  }

  refuseUpgrades(upgrades: RefusedUpgrades | null): void {
    this.#upgrades = upgrades;
  }

  statusOfUpgrade(): number | null {
    const upgrades = this.#upgrades;
    if (upgrades === null) return null;
    this.refused++;
    const times = upgrades.times - 1;
    this.#upgrades = times > 0 ? { ...upgrades, times } : null;
    return upgrades.status;
  }

  handshake(): () => void {
    this.#handshakes++;
    this.mostHandshakes = Math.max(this.mostHandshakes, this.#handshakes);
    let isOver = false;
    return () => {
      if (!isOver) this.#handshakes--;
      isOver = true;
    };
  }

  script(): string {
    this.lookedUp++;
    const version = this.servedVersion ?? this.minVersion ?? DEFAULT_CONNECTION_CONFIG.version.join(".");
    return `self.x=JSON.parse("{\\"client_revision\\":${version.split(".")[2]},\\"push_phase\\":\\"C3\\"}");`;
  }

  isStale({ userAgent }: proto.IClientPayload): boolean {
    if (this.minVersion === null) return false;
    const { primary, secondary, tertiary } = userAgent?.appVersion ?? {};
    return isBelow([primary, secondary, tertiary].map(Number), this.minVersion.split(".").map(Number));
  }
}

export function outdated(): BinaryNode {
  return node("failure", { reason: "405", location: "atn" });
}

function isBelow(version: readonly number[], least: readonly number[]): boolean {
  const index = least.findIndex((number, at) => number !== version[at]);
  return index >= 0 && !((version[index] ?? 0) > (least[index] ?? 0));
}
