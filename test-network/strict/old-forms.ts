// Forms of stanzas that the real network has replaced. They are counted; a strict network refuses them as well.
import type { Device } from "../model.ts";
import type { Stats } from "../stats.ts";

/** By what was said in the old form. */
export type OldForm = "about/status" | "chatstate/from" | "create/key" | "newsletter/flags" | "usync/contact";

export class OldForms {
  readonly #strict: boolean;
  readonly #stats: Stats;

  constructor(strict: boolean, stats: Stats) {
    this.#strict = strict;
    this.#stats = stats;
  }

  /** Notes that a linked device used the form; true when it is refused. A simulated phone is never refused. */
  refuses(from: Device, form: OldForm): boolean {
    if (from.id === 0) return false;
    this.#stats.count("deprecated", form);
    return this.#strict;
  }
}
