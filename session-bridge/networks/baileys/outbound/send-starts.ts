// Starts only a few sends per turn of the event loop. Otherwise, hundreds would build their stanzas before the first is sent.

const STARTS_PER_TURN = 4;

let startedInTurn = 0;
const waiting: (() => void)[] = [];

/** Resolves when a send may start, in the order of the calls. */
export async function sendStart(): Promise<void> {
  if (startedInTurn === 0) setImmediate(nextTurn);
  if (startedInTurn < STARTS_PER_TURN) {
    startedInTurn += 1;
    return;
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  await promise;
}

function nextTurn(): void {
  const starts = waiting.splice(0, STARTS_PER_TURN);
  startedInTurn = starts.length;
  if (startedInTurn > 0) setImmediate(nextTurn);
  for (const start of starts) start();
}
