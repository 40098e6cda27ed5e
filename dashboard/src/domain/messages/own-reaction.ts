type Reaction = { from_me: boolean; from: string | null; reaction: string };

export function ownReaction(reactions: readonly Reaction[]): string | undefined {
  return reactions.find(({ from_me }) => from_me)?.reaction;
}

/** Replaces only the user's own reaction. An empty one removes it. */
export function withOwnReaction(reactions: readonly Reaction[], reaction: string): Reaction[] {
  const others = reactions.filter(({ from_me }) => !from_me);
  return reaction === "" ? others : [...others, { from_me: true, from: null, reaction }];
}
