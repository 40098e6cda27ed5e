/** Limits concurrent transfers across all sessions, so that a few sessions cannot take up the whole process. */
export class ProcessSlots {
  readonly #size: number;
  readonly #reserved: number;
  readonly #waiting = new Set<TransferSlots>();
  #used = 0;

  constructor(size: number, reserved = 0) {
    this.#size = size;
    this.#reserved = reserved;
  }

  /** Starts waiting transfers while slots are free, always for the session with the fewest running. */
  begin(waiting: TransferSlots): void {
    this.#waiting.add(waiting);
    this.#fill();
  }

  release(): void {
    this.#used -= 1;
    this.#fill();
  }

  #fill(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#used += 1;
      // Moves the session to the end of the queue, so that ties are served round-robin.
      this.#waiting.delete(next);
      if (next.startNext()) this.#waiting.add(next);
    }
  }

  #next(): TransferSlots | null {
    let next: TransferSlots | null = null;
    for (const session of this.#waiting) {
      const free = this.#size - this.#used - (session.underWay === 0 ? 0 : this.#reserved);
      if (free > 0 && session.canStart && (next === null || session.underWay < next.underWay)) next = session;
    }
    return next;
  }
}

const PROCESS_SLOTS = new ProcessSlots(32, 8);

type Sender = { underWay: number; waiting: (() => void)[] };

export class TransferSlots {
  readonly #concurrency: number;
  readonly #maxWaiting: number;
  readonly #shared: ProcessSlots;
  readonly #senders = new Map<string, Sender>();
  #waiting = 0;
  underWay = 0;

  constructor(concurrency: number, maxWaiting: number, shared: ProcessSlots = PROCESS_SLOTS) {
    this.#concurrency = concurrency;
    this.#maxWaiting = maxWaiting;
    this.#shared = shared;
  }

  /** Returns null when too many transfers are waiting. One sender may use half of the session's slots and half of the session's queue. */
  async run<T>(sender: string, work: () => Promise<T>): Promise<T | null> {
    const own = this.#senders.get(sender) ?? { underWay: 0, waiting: [] };
    if (this.#waiting >= this.#maxWaiting || own.waiting.length >= half(this.#maxWaiting)) return null;
    this.#senders.set(sender, own);
    const slot = Promise.withResolvers<void>();
    own.waiting.push(slot.resolve);
    this.#waiting += 1;
    this.#shared.begin(this);
    await slot.promise;
    try {
      return await work();
    } finally {
      own.underWay -= 1;
      this.underWay -= 1;
      if (own.underWay === 0 && own.waiting.length === 0) this.#senders.delete(sender);
      this.#shared.release();
    }
  }

  get canStart(): boolean {
    return this.underWay < this.#concurrency && this.#nextSender() !== null;
  }

  startNext(): boolean {
    const next = this.#nextSender();
    if (next !== null) {
      const [name, own] = next;
      this.#senders.delete(name);
      this.#senders.set(name, own);
      own.underWay += 1;
      this.underWay += 1;
      this.#waiting -= 1;
      own.waiting.shift()?.();
    }
    return this.#waiting > 0;
  }

  #nextSender(): [string, Sender] | null {
    for (const entry of this.#senders) {
      const [, { underWay, waiting }] = entry;
      if (waiting.length > 0 && underWay < half(this.#concurrency)) return entry;
    }
    return null;
  }
}

const half = (all: number): number => Math.ceil(all / 2);
