// Limits a session's outgoing files, so that sessions take turns at the disk and the converter.
import { Semaphore } from "async-mutex";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { perSession } from "../session/per-session.ts";

const FILES = 4;
const CONVERSIONS = 1;

class Slots {
  readonly #slots: Semaphore;

  constructor(atOnce: number) {
    this.#slots = new Semaphore(atOnce);
  }

  /** Fails with `unavailable` if the caller has stopped waiting by the time a slot is free. */
  run<T>(work: () => Promise<Outcome<T>>, isWanted = (): boolean => true): Promise<Outcome<T>> {
    return this.#slots.runExclusive(async () => (isWanted() ? work() : fail("unavailable")));
  }
}

export const outgoingFilesOf = perSession(() => new Slots(FILES));
export const conversionsOf = perSession(() => new Slots(CONVERSIONS));
