// How much of the process one session's outgoing files take, so that no customer's files hold up those of the others: what is bounded per
// process (converters, disk) is reached through the session's own bound first.
import { Semaphore } from "async-mutex";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { perSession } from "../session/per-session.ts";

/** Sends whose file is on its way from the worker to the network. */
const FILES = 4;
/** Of the two that run at once in the process. */
const CONVERSIONS = 1;

class Turns {
  readonly #slots: Semaphore;

  constructor(atOnce: number) {
    this.#slots = new Semaphore(atOnce);
  }

  /** Fails `unavailable` when its turn comes too late: nobody waits any longer. */
  run<T>(work: () => Promise<Outcome<T>>, isWanted = (): boolean => true): Promise<Outcome<T>> {
    return this.#slots.runExclusive(async () => (isWanted() ? work() : fail("unavailable")));
  }
}

export const outgoingFilesOf = perSession(() => new Turns(FILES));
export const conversionsOf = perSession(() => new Turns(CONVERSIONS));
