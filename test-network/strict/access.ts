// What a client meets before it has logged in: an edge that answers the WebSocket upgrade with an HTTP status, and a network that no longer
// takes clients of its version.
import { DEFAULT_CONNECTION_CONFIG, type BinaryNode, type proto } from "baileys";
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
  /** What the web client is said to be; null: the least one that is taken, or the library's own. */
  servedVersion: string | null = null;
  /** How often it was asked for. */
  lookedUp = 0;
  #handshakes = 0;
  /** The most handshakes at a time, each from the socket's opening to its login, its first QR code or its end. */
  mostHandshakes = 0;
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

  /** A socket has opened; the answer is called when it has come as far as it can, or is gone. */
  handshake(): () => void {
    this.#handshakes++;
    this.mostHandshakes = Math.max(this.mostHandshakes, this.#handshakes);
    let isOver = false;
    return () => {
      if (!isOver) this.#handshakes--;
      isOver = true;
    };
  }

  /** The script that names the version of the web client, as far as it is known. */
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

/** The last word to a client whose version is too old. */
export function outdated(): BinaryNode {
  return node("failure", { reason: "405", location: "atn" });
}

function isBelow(version: readonly number[], least: readonly number[]): boolean {
  const index = least.findIndex((number, at) => number !== version[at]);
  return index >= 0 && !((version[index] ?? 0) > (least[index] ?? 0));
}
