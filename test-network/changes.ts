// What has changed, reported to whoever watches a phone: the page of the phones. Only that something is new, never what.

export type Part =
  /** The phone itself, its line, its linked devices, a device that waits for a code. */
  | "phone"
  | "chats"
  | "messages"
  | "presence"
  | "calls"
  /** Of everybody: who there is, names and pictures; and groups. */
  | "people"
  | "groups";

export interface Change {
  part: Part;
  /** Digits; absent: any phone. */
  phone?: string;
  /** Of messages. */
  chatId?: string;
}

export class Changes {
  readonly #watchers = new Set<(change: Change) => void>();

  /** Calls `watcher` in the middle of each change: what it reads then may be half of it. Returns how to stop. */
  watch(watcher: (change: Change) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  report(change: Change): void {
    for (const watcher of this.#watchers) watcher(change);
  }
}
