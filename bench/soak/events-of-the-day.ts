// The simulated day's incidents: recycled connections, three kinds of outages, and killed bridges.
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../test/support/eventually.ts";
import type { Ledger } from "./ledger.ts";
import { eachOf, type SoakedWorld } from "./soaked-world.ts";
import type { Traffic } from "./traffic.ts";

/** Lifetime of a connection in simulated hours; it varies by a fifth. */
const RECYCLE_HOURS = 50 / 60;
/** Stream errors that the real network sends when it recycles a connection. */
const WORDS = ["ack", "xml-not-well-formed", ""];
const RECYCLED = { what: "recycled line", codes: [0] };
/** Maximum delay before a close is noticed. */
const NOTICED_WITHIN_MS = 120_000;
const WAIT_MS = 900_000;
/** Close codes of a dead connection, which the library detects by a ping every 30 s. */
const LOST_CODES = [0, 408, 428, 503];

export type Restart = { hour: number; backMs: number; cpuSeconds: number };
export type Outage = { hour: number; what: string; ms: number; backMs: number };

export class EventsOfTheDay {
  readonly #world: SoakedWorld;
  readonly #ledger: Ledger;
  readonly #traffic: Traffic;
  readonly #hourMs: number;
  readonly restarts: Restart[] = [];
  readonly outages: Outage[] = [];
  recycled = 0;
  #away = false;

  constructor(world: SoakedWorld, ledger: Ledger, traffic: Traffic, hourMs: number) {
    this.#world = world;
    this.#ledger = ledger;
    this.#traffic = traffic;
    this.#hourMs = hourMs;
  }

  /** Closes each number's connection every fifty minutes, until `over`. */
  async recycleLines(over: () => boolean): Promise<void> {
    const { numbers, network } = this.#world;
    const nextAt = numbers.map(() => performance.now() + Math.random() * RECYCLE_HOURS * this.#hourMs);
    while (!over()) {
      await pause(200);
      for (const [number, phone] of numbers.entries()) {
        if (this.#away || performance.now() < nextAt[number]!) continue;
        nextAt[number] = performance.now() + (0.8 + Math.random() * 0.4) * RECYCLE_HOURS * this.#hourMs;
        const word = WORDS[this.recycled % WORDS.length]!;
        this.recycled += 1;
        this.#ledger.causes.push({ ...RECYCLED, number, from: Date.now(), to: Date.now() + NOTICED_WITHIN_MS });
        await network.call("POST", "/faults", { phone, kind: "close", word }).catch(() => undefined);
      }
    }
  }

  /** Kills the bridge and starts another one. `profile` is the file for the CPU profile until all sessions are back. */
  async restartBridge(hour: number, profile: string | null): Promise<void> {
    const { bridge } = this.#world;
    this.#away = true;
    await bridge.kill();
    const killedAt = performance.now();
    await this.#world.openAll(async () => {
      if (profile !== null) await bridge.inspector.startProfile();
    });
    if (profile !== null) await bridge.inspector.saveProfile(profile);
    this.#ledger.read();
    // Requests the outcome of sends that the lost bridge received, as a Connection object does.
    for (const { id, number } of this.#traffic.done.sends) {
      if (this.#ledger.settled.has(id)) continue;
      void this.#world.connections[number]!.command("recall", { message_ids: [id] });
    }
    const cpuSeconds = (await bridge.scrape()).get("process_cpu_seconds_total") ?? 0;
    this.restarts.push({ hour, backMs: performance.now() - killedAt, cpuSeconds });
    this.#away = false;
  }

  /** The edge responds with 503 and closes all connections. Phones keep sending. */
  refuse(hour: number, ms: number): Promise<void> {
    const { network, numbers } = this.#world;
    return this.#outage(hour, ms, "upgrades answered with 503", {
      begin: async () => {
        await network.call("PATCH", "/network", { refused_upgrades: { status: 503, times: 1_000_000 } });
        await eachOf(numbers, (phone) => network.call("POST", "/faults", { phone, kind: "close", code: 503 }));
      },
      end: async () => {
        await network.call("PATCH", "/network", { refused_upgrades: null });
        await network.call("DELETE", "/faults");
      },
    });
  }

  /** Nothing listens on the network's ports. */
  async killNetwork(hour: number, ms: number): Promise<void> {
    await this.#traffic.rest();
    const { network } = this.#world;
    await this.#outage(hour, ms, "network killed", { begin: () => network.kill(), end: () => network.start() });
  }

  /** Connections stay open but receive no response. */
  async silence(hour: number, ms: number): Promise<void> {
    await this.#traffic.rest();
    const { pid } = this.#world.network.ready();
    await this.#outage(hour, ms, "network silent", {
      begin: async () => void process.kill(pid, "SIGSTOP"),
      end: async () => void process.kill(pid, "SIGCONT"),
    });
  }

  async #outage(hour: number, ms: number, what: string, how: { begin(): Promise<unknown>; end(): Promise<unknown> }): Promise<void> {
    const { bridge, numbers } = this.#world;
    const cause = { what: `outage, ${what}`, number: null, from: Date.now(), to: Number.POSITIVE_INFINITY, codes: LOST_CODES };
    this.#away = true;
    this.#ledger.causes.push(cause);
    await how.begin();
    await pause(ms);
    await how.end();
    const returnedAt = performance.now();
    await eventually("all sessions to be back", WAIT_MS, async () => (await bridge.health()).connected === numbers.length);
    this.outages.push({ hour, what, ms, backMs: performance.now() - returnedAt });
    cause.to = Date.now() + NOTICED_WITHIN_MS;
    this.#away = false;
    this.#traffic.resume();
  }
}
