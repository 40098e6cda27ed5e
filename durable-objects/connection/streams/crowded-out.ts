// Decides which streams end when a connection has too many (docs/use/account-api.md, "Event streams").

/** Returns the sockets to close: the oldest ones of the users with the most sockets, the owner's last. `sockets` are sorted by age. */
export function crowdedOut<S>(sockets: readonly { socket: S; user: string }[], newcomer: string, owner: string | null, max: number): S[] {
  const left = [...sockets];
  const leaving: S[] = [];
  while (left.length + 1 > max) {
    const at = oldestOfMost([...left.map(({ user }) => user), newcomer], owner);
    const [gone] = left.splice(at, 1);
    if (gone === undefined) return leaving;
    leaving.push(gone.socket);
  }
  return leaving;
}

/** The index of the oldest entry of the user with the most entries. In a tie, prefers a user other than the owner. */
function oldestOfMost(users: readonly string[], owner: string | null): number {
  const count = (user: string) => users.filter((other) => other === user).length;
  const weight = (user: string) => count(user) - (user === owner ? 0.5 : 0);
  return users.reduce((most, user, at) => (weight(user) > weight(users[most] ?? "") ? at : most), 0);
}
