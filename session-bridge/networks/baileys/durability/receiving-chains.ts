// libsignal 6.0.0 never forgets a receiving chain. Each turn of a conversation begins one, so a session, and the row that each message
// writes, would grow for as long as two people write to each other (docs/internals/baileys.md, "Defects of the libraries").

/** As many as phones keep of one session; a message of an older turn is asked for again. */
const RECENT_CHAINS = 5;
/** Older ones are kept as well while keys of messages that were left out are in them, up to so many. */
const MAX_CHAINS = 40;
/** libsignal's `ChainType.RECEIVING`. */
const RECEIVING = 2;

/** In the order in which they began. */
type Chains = Record<string, { chainType: number; messageKeys: object }>;

/** Of a session record as libsignal serializes it; anything else is left as it is. */
export function dropOldChains(record: unknown): void {
  const { _sessions: sessions } = (record ?? {}) as { _sessions?: Record<string, { _chains?: Chains }> };
  for (const { _chains: chains } of Object.values(sessions ?? {})) if (chains !== undefined) drop(chains);
}

function drop(chains: Chains): void {
  const newestFirst = Object.entries(chains)
    .filter(([, { chainType }]) => chainType === RECEIVING)
    .toReversed();
  for (const [at, [name, { messageKeys }]] of newestFirst.entries()) {
    const isWanted = at < RECENT_CHAINS || (at < MAX_CHAINS && Object.keys(messageKeys).length > 0);
    if (!isWanted) delete chains[name];
  }
}
