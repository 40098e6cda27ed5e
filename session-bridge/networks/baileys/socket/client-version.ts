// The announced client version: the operator's choice, or the newer of the library's version and the one served to browsers.
import { DEFAULT_CONNECTION_CONFIG, type WAVersion } from "baileys";
import type { Logger } from "pino";
import type { AnnouncedVersion, ClientVersionSetting } from "@gateway/protocol/bridge-socket.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

export const NOTHING_SET: ClientVersionSetting = { version: null, max: null };

const MAX_DOUBTED = 50;

export class ClientVersion {
  readonly #fallback: ClientVersionSetting;
  readonly #logger: Logger;
  readonly #library: WAVersion;
  readonly #listeners = new Set<() => void>();
  readonly #doubted = new Set<string>();
  #setting: ClientVersionSetting;
  #served: WAVersion | null = null;
  #lookUpDueAt = Number.NEGATIVE_INFINITY;
  #lookingUp: Promise<void> | null = null;

  constructor(fallback: ClientVersionSetting, logger: Logger, library: WAVersion = DEFAULT_CONNECTION_CONFIG.version) {
    this.#fallback = fallback;
    this.#setting = fallback;
    this.#logger = logger;
    this.#library = library;
  }

  get current(): WAVersion {
    return this.#choice().version;
  }

  announced(): AnnouncedVersion {
    const { version, source } = this.#choice();
    return { version: textOf(version), source };
  }

  served(): string | null {
    return this.#served === null ? null : textOf(this.#served);
  }

  set({ version, max }: ClientVersionSetting): void {
    this.#change(() => {
      this.#setting = { version: version ?? this.#fallback.version, max: max ?? this.#fallback.max };
    });
  }

  /** Call it when the network refused this version, or no phone could link with it. Each doubted version causes one look-up. */
  doubt(version: WAVersion): void {
    const text = textOf(version);
    if (this.#doubted.has(text)) return;
    if (this.#doubted.size >= MAX_DOUBTED) this.#doubted.clear();
    this.#doubted.add(text);
    this.#lookUpDueAt = Number.NEGATIVE_INFINITY;
  }

  /** Looks up at most hourly after a success, and each minute after a failure. Concurrent calls share a look-up. `now` is in Unix ms. */
  lookUp(fetchServed: () => Promise<WAVersion | null>, now: number): Promise<void> {
    if (this.#lookingUp !== null) return this.#lookingUp;
    if (this.#setting.version !== null || now < this.#lookUpDueAt) return Promise.resolve();
    this.#lookUpDueAt = now + HOUR_MS;
    this.#lookingUp = fetchServed()
      .then((served) => this.#found(served, now))
      .finally(() => {
        this.#lookingUp = null;
      });
    return this.#lookingUp;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #found(served: WAVersion | null, askedAt: number): void {
    this.#logger.info({ served: served === null ? null : textOf(served) }, "version.looked_up");
    if (served === null) {
      this.#lookUpDueAt = Math.min(this.#lookUpDueAt, askedAt + MINUTE_MS);
      return;
    }
    // Never downgrades, because a lower version comes from one of the network's servers that has not been updated yet.
    if (this.#served !== null && !isNewer(served, this.#served)) return;
    this.#change(() => {
      this.#served = served;
    });
  }

  #choice(): { version: WAVersion; source: AnnouncedVersion["source"] } {
    const set = versionOf(this.#setting.version);
    if (set !== null) return { version: set, source: "set" };
    const max = versionOf(this.#setting.max);
    const served = this.#served;
    const isTaken = served !== null && isNewer(served, this.#library) && (max === null || !isNewer(served, max));
    return isTaken ? { version: served, source: "served" } : { version: this.#library, source: "library" };
  }

  #change(make: () => void): void {
    const before = textOf(this.current);
    make();
    const { version, source } = this.announced();
    if (version === before) return;
    this.#logger.info({ version, source, before }, "version.changed");
    for (const listener of this.#listeners) listener();
  }
}

export function textOf(version: WAVersion): string {
  return version.join(".");
}

function versionOf(text: string | null): WAVersion | null {
  const [primary, secondary, tertiary] = (text ?? "").split(".").map(Number);
  return primary === undefined || secondary === undefined || tertiary === undefined ? null : [primary, secondary, tertiary];
}

function isNewer(version: WAVersion, than: WAVersion): boolean {
  const index = version.findIndex((number, at) => number !== than[at]);
  return index >= 0 && (version[index] ?? 0) > (than[index] ?? 0);
}
