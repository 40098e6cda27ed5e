/** Begins `act` for each item, `everyMs` apart, whether or not the one before has ended. */
export async function paced<T>(items: readonly T[], everyMs: number, act: (item: T) => Promise<unknown>): Promise<void> {
  await Promise.all(
    items.map(async (item, n) => {
      await new Promise((resolve) => setTimeout(resolve, n * everyMs));
      await act(item);
    }),
  );
}
