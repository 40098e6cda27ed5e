// Drops old receiving chains of Signal sessions. libsignal 6.0.0 keeps every chain, so sessions would grow forever.

/** The number of chains that phones keep too; messages of older chains are requested again. */
const RECENT_CHAINS = 5;
/** Limit for older chains that still contain keys of skipped messages. */
const MAX_CHAINS = 40;
const RECEIVING = 2;

type Chains = Record<string, { chainType: number; messageKeys: object }>;

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
