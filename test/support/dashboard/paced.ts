/** Starts `act` for each item at `everyMs` intervals, without waiting for the previous one. */
export async function paced<T>(items: readonly T[], everyMs: number, act: (item: T) => Promise<unknown>): Promise<void> {
  await Promise.all(
    items.map(async (item, n) => {
      await new Promise((resolve) => setTimeout(resolve, n * everyMs));
      await act(item);
    }),
  );
}
