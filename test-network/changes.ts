// Notifies watchers, such as the phones' page, which part of a phone has changed. They read the new state themselves.

export type Part =
  /** Covers the phone itself, its connection, its linked devices and a pending pairing code. */
  | "phone"
  | "chats"
  | "messages"
  | "presence"
  | "calls"
  /** The accounts, names and pictures of all phones. */
  | "people"
  | "groups";

export interface Change {
  part: Part;
  phone?: string;
  chatId?: string;
}

export class Changes {
  readonly #watchers = new Set<(change: Change) => void>();

  /** `watcher` is called mid-change, so the state may be incomplete. Returns the unsubscribe function. */
  watch(watcher: (change: Change) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  report(change: Change): void {
    for (const watcher of this.#watchers) watcher(change);
  }
}
