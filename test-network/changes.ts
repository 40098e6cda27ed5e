// Tells watchers, such as the phones' page, which part of a phone has changed. The watchers read the new state themselves.

export type Part =
  /** The phone itself, its connection, its linked devices, or a pending pairing code. */
  | "phone"
  | "chats"
  | "messages"
  | "presence"
  | "calls"
  /** The accounts, names and pictures of all phones. */
  | "people"
  | "groups";

export type Change = {
  part: Part;
  phone?: string;
  chatId?: string;
};

export class Changes {
  readonly #watchers = new Set<(change: Change) => void>();

  /** `watcher` is called in the middle of a change, so the state may be incomplete. Returns a function that unsubscribes. */
  watch(watcher: (change: Change) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  report(change: Change): void {
    for (const watcher of this.#watchers) watcher(change);
  }
}
