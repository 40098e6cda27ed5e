// Stanza forms that the real network has replaced. They are counted, and a strict network refuses them.
import type { Device } from "../model.ts";
import type { Stats } from "../stats.ts";

export type OldForm = "about/status" | "chatstate/from" | "create/key" | "newsletter/flags" | "usync/contact";

export class OldForms {
  readonly #strict: boolean;
  readonly #stats: Stats;

  constructor(strict: boolean, stats: Stats) {
    this.#strict = strict;
    this.#stats = stats;
  }

  /** Counts the form; true when it is refused. Simulated phones are never refused. */
  refuses(from: Device, form: OldForm): boolean {
    if (from.id === 0) return false;
    this.#stats.count("deprecated", form);
    return this.#strict;
  }
}
