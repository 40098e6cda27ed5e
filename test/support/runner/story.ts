// Tests that continue each other, such as a deployment's first day.
import { afterAll, type TestContext } from "vitest";

type Test = () => Promise<void>;

/**
 * All tests of a file get one world: `it("…", step(async () => …))`. A second attempt, and a test after one that failed, begins in a new
 * world, where the tests before it run again.
 */
export function useStory(open: () => Promise<void>, close: () => Promise<void>): (test: Test) => (context: TestContext) => Promise<void> {
  const tests: Test[] = [];
  let isOpen = false;
  /** Tests that this world has passed. */
  let passed = 0;
  const end = async (): Promise<void> => {
    if (isOpen) await close();
    isOpen = false;
  };
  const begin = async (): Promise<void> => {
    await end();
    isOpen = true;
    passed = 0;
    await open();
  };
  afterAll(end);
  return (test) => {
    const at = tests.push(test) - 1;
    return async ({ task }) => {
      const isRepeated = (task.result?.retryCount ?? 0) > 0;
      if (!isOpen || isRepeated || passed !== at) await begin();
      for (; passed <= at; passed += 1) await tests[passed]?.();
    };
  };
}
